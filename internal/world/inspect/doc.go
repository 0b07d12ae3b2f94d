// Package inspect holds the state that a side of a connection shows to tests and tools. It is plain
// data, which the packages that own the state fill in.
package inspect
