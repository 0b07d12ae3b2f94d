// Package ident allocates the handles of groups, from which network ids are made.
//
// A [Table] allocates the handles of one space: the public handles of a world, or the private handles of one peer.
// A freed handle is reused under its next generation, so no two entities ever have the same network id. The caller
// decides when a handle may be freed.
//
// A [Viewer] is one peer at which a private group has a handle. [ViewerLists] holds the memory for lists of viewers.
package ident
