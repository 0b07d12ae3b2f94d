package group

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// The trail of an entity ends once no peer can have it in a former group, also if that is its home, where it is still found
// by its network id until it ends. Trails that stay would make each action of its group slower.
func TestTheTrailOfANativeEnds(t *testing.T) {
	st := NewState(1)
	tick := entangle.Tick(0)
	begin := func() {
		tick++
		st.Begin(tick)
		st.OldestInFlight = tick
		st.TidyDue()
	}
	spawn := func(s repl.Slot, at Place) Position {
		to, ok := st.AllocatePosition(ident.NoGroup, at)
		assert.True(t, ok)
		st.AddEntity(s, set.MaskOf(0), to)
		st.AddMember(s, to)
		return to
	}
	begin()
	home := spawn(0, Place{})
	other := spawn(1, Place{Name: 1})
	begin()
	st.RemoveMember(0, repl.Moved)
	to, _ := st.AllocatePosition(home.Group, Place{Name: 1})
	assert.Equal(t, other.Group, to.Group)
	st.AddMember(0, to)
	st.Trails.Extend(0, home.Group)
	assert.NotEmpty(t, st.Trails.Of)
	for range 2 * tidyAfter {
		begin()
	}
	assert.Empty(t, st.Trails.Of)
	s, ok := st.Native(home.Group, home.Number)
	assert.True(t, ok)
	assert.EqualValues(t, 0, s)
	st.RemoveEntity(0, repl.Despawned)
	_, ok = st.Native(home.Group, home.Number)
	assert.False(t, ok)
}
