package group

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// denied holds, by leaver, the peers at which an orphaned entity despawns: those that had it and could not see it any
// more when it was orphaned. What they could see then does not follow from what they can see when they are sent the end.
type denied map[leaverKey][]uint16

// leaverKey identifies a leaver. No other entity gets the number before the leaver is dropped.
type leaverKey struct {
	group  ident.GroupIndex
	number repl.Member
}

// Deny records that a peer despawns an entity which is about to be orphaned, where it has the entity: as a member or a
// leaver of a group.
func (st *State) Deny(id ident.GroupIndex, number repl.Member, peer uint16) {
	if st.denied == nil {
		st.denied = denied{}
	}
	key := leaverKey{id, number}
	st.denied[key] = append(st.denied[key], peer)
}

// isDenied reports whether an orphaned leaver despawns at a peer.
func (st *State) isDenied(id ident.GroupIndex, l *Leaver, peer uint16) bool {
	return len(st.denied) > 0 && l.Fate == repl.Orphaned && slices.Contains(st.denied[leaverKey{id, l.Number}], peer)
}

// forgetDenied is called for a leaver that is dropped.
func (st *State) forgetDenied(id ident.GroupIndex, l *Leaver) {
	if len(st.denied) > 0 {
		delete(st.denied, leaverKey{id, l.Number})
	}
}
