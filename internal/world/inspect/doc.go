// Package inspect holds what a side of a connection shows of itself to tests and tools: plain
// data, filled in by the packages that own it.
package inspect
