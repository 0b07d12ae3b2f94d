// Package cases holds the benchmark cases, one per file: the work, both sides, and the variants.
package cases
