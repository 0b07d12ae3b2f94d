// Package report measures a variant of a case, ours beside the limit, and prints the result.
package report
