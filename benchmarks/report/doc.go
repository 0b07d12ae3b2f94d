// Package report measures a variant of a case, our side beside the limit, and prints the result.
package report
