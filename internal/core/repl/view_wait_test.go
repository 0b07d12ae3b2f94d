package repl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A group that the peer was never sent, and of which its view hides every member, waits without being
// due. It is sent when the view shows some of it, and when a member comes that the view shows. A change
// of the view of a group that the peer is not shown makes nothing due.
//
// Proves: R33, V15
func TestAGroupWaitsForAViewThatShowsSomeOfIt(t *testing.T) {
	w := sender.NewWorld(sized{}, 6)
	s := &scene{w: w, p: w.NewPeer()}
	idle := func(why string) {
		t.Helper()
		require.False(t, s.p.ActionsDue(), why)
		require.True(t, s.p.Idle(), why)
	}
	hide := func(slot repl.Slot) { s.p.SetView(slot, view.Hidden{Slot: slot, Whole: true}) }
	s.tick(func() {
		w.SpawnAt(0, set.MaskOf(0), den)
		w.SpawnAt(1, set.MaskOf(0), group.Place{Name: 8, Private: true})
		w.SpawnAt(2, set.MaskOf(0), group.Place{Name: 9, Private: true})
		s.p.Show(0)
		s.p.Show(1)
		hide(0)
		hide(1)
	})
	s.rest(2)
	idle("all members are hidden")
	require.False(t, s.p.Has(0) || s.p.Has(1))

	s.tick(func() { s.p.SetView(0) })
	s.rest(2)
	require.True(t, s.p.Has(0), "the view shows the member")
	idle("it was sent")

	s.tick(func() { w.SpawnAt(3, set.MaskOf(0), group.Place{Name: 8, Private: true}) })
	s.rest(2)
	require.True(t, s.p.Has(3) && !s.p.Has(1), "a member came that is not hidden")
	idle("it was sent, too")

	tick(w, func() { hide(2); s.p.SetView(2) })
	idle("the peer is not shown the group")
}
