// Package group stores the groups of a replicated world for the sender: which entities are in which group, when they
// last changed, and what each peer was sent and has acknowledged of them. It neither encodes nor sends anything.
//
// A [State] is the part that all peers share: entities (state.go, slots.go), the groups that they are in (groups.go,
// members.go), leavers, which left a group and which some peer may still have there (leavers.go), what views hide
// (hidden.go), and how often groups are sent (rates.go, turns.go). A change is stored as the tick of the newest change
// of a component of an entity. There is no list of changes, so a peer may lack any number of ticks.
//
// A [Peer] is the state of one peer. It has two spaces of handles: the public one, and its private one. A [Space] has
// what the peer was sent and has acknowledged of each group (space.go, sent.go), and how long groups with unsent
// changes have waited (wait.go).
//
// The group in which an entity spawns is its home. The network id of the entity is made of the handle of its home and
// its number there, and stays the same when the entity moves. While an entity is in its home group, it is a native
// member of it (natives.go).
//
// The caller drives a State once per tick: Begin, then changes (AddEntity, AddMember, Change, Reshape, ...), then it
// reads what changed from State.Changed, and marks those groups as due in the spaces of the
// peers.
package group
