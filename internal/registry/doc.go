// Package registry holds what a game has registered: its components, inputs, messages, requests,
// resources and channels, with their numbers, plans and options, and the list of entries that both
// sides compare when a client connects.
//
// Package protocol fills it. The types here are not part of the public API: games cannot use them,
// because this package is internal.
//
//	registry.Seal(p)                    ends registration, when a server or client is created
//	registry.Of(p).Components           the components, by number on the wire
//	registry.Of(p).ComponentOf(type)
//	registry.Of(p).Entries, Hash        what must be the same on both sides
//	AppendEntries, ParseEntries, Diff   the wire form of a list of entries, and a comparison
//
// A sealed registry does not change, so any number of goroutines may read it. Entries that a peer
// sends are bounded, and checked before they are logged.
//
// # Entries
//
// A list of entries begins with a Uvarint, the number of entries. Each has three Uvarints for its
// kind, its number and the length of its name, then the name, 64 bits of hash and a Uvarint, the
// number of options. Each option has its name and its value, each preceded by a Uvarint with its
// length. At the end, zero bits fill up the last byte.
package registry
