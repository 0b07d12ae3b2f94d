// Package ident gives out network ids. A [Table] is the handles of one space: public ones of a world, or the
// private ones of one peer. [Viewers] lists, for each private group, the peers at which it has a handle.
//
// A handle is reused under its next generation, so an id never stands for two entities.
package ident
