// Package registry holds the result of registration, for all packages of this module: the
// components, inputs, messages, requests, resources and channels of a game, with their numbers,
// plans and options, and the list of entries that both sides compare when a client connects.
//
// Package protocol fills it. The types here are no part of the public API: a game cannot reach
// them, because Of takes a *protocol.Protocol and lives in an internal package.
//
//	registry.Seal(p)                    ends registration, when a server or client is made
//	registry.Of(p).Components           by number on the wire
//	registry.Of(p).ComponentOf(type)
//	registry.Of(p).Entries, Hash        all that both sides must have alike
//	AppendEntries, ParseEntries, Diff   a list of entries on the wire, and what differs in two
//
// A registry is only read once it is sealed, so that many goroutines may use it. Entries that a
// peer sends are bounded, and checked before they are logged.
//
// # Entries
//
// A list of entries is a Uvarint, how many, and for each three Uvarints, kind, number
// and length of the name, then the name and 64 bits of hash; a Uvarint, how many options, and
// for each its name and its value, each behind a Uvarint of its length; zero bits to a whole
// byte.
package registry
