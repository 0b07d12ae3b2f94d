// Package group holds the groups of a replicated world, on the side of the sender.
//
// A [State] is what all peers share: entities (state.go, slots.go, natives.go), the groups that they are in
// (groups.go, members.go), members that left and are not acknowledged as gone (leavers.go), parts that views hide
// (hidden.go), and how often groups are sent (rates.go, turns.go). Each change is noted as a tick, by component and
// entity: no list of changes exists.
//
// A [Space] is what one peer was sent and has acknowledged (space.go, known.go, wait.go).
package group
