package group

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// What a peer is denied is kept as long as the leaver: until every peer has acknowledged it, or the group is freed.
func TestDeniedLeaversAreForgotten(t *testing.T) {
	for _, ends := range []bool{false, true} {
		st := NewState(1)
		st.Begin(1)
		place := Place{Name: 1}
		for s := range repl.Slot(2) {
			at, _ := st.AllocatePosition(ident.NoGroup, place)
			st.AddEntity(s, set.MaskOf(0), at)
			st.AddMember(s, at)
		}
		id := st.Slots.Group[0]
		st.Begin(2)
		st.Deny(id, 0, 7)
		st.RemoveEntity(0, repl.Orphaned)
		left := st.Groups[id].Left[0]
		assert.True(t, st.isDenied(id, &left, 7))
		assert.False(t, st.isDenied(id, &left, 6))
		if ends {
			st.RemoveEntity(1, repl.Despawned)
			st.FreeUnused(func(ident.GroupIndex) bool { return false })
		} else {
			st.Begin(2 + tidyAfter)
			st.OldestInFlight = 2
			st.TidyDue()
			assert.True(t, st.isDenied(id, &left, 7))
			st.OldestInFlight = 3
			st.Begin(3 + 2*tidyAfter)
			st.TidyDue()
		}
		assert.Empty(t, st.denied)
	}
}
