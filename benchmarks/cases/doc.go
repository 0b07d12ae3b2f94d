// Package cases holds the benchmark cases, a file each: the work, the two sides, and the variants.
package cases
