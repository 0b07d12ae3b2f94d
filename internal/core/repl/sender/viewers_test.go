package sender

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Showing and hiding random groups allocates nothing, as long as the peers see about as many groups
// as before.
func TestShowingAndHidingAllocatesNothing(t *testing.T) {
	const groups, peers, shown = 200, 60, 30
	w := NewWorld(nil, 1)
	w.Begin(1)
	for s := range repl.Slot(groups) {
		w.SpawnAt(s, set.Mask{}, group.Place{Private: true})
	}
	var all []*Peer
	var seen [peers][]repl.Slot
	for range peers {
		all = append(all, w.NewPeer())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	tick := entangle.Tick(1)
	step := func() {
		tick++
		w.Begin(tick)
		for i, p := range all {
			if len(seen[i]) > shown {
				p.Hide(seen[i][0])
				seen[i] = slices.Delete(seen[i], 0, 1)
			}
			s := repl.Slot(int(tick)+rng.IntN(groups/3)) % groups
			if !p.Sees(s) && p.Show(s) {
				seen[i] = append(seen[i], s)
			}
		}
		w.Commit()
	}
	const often = 10 * groups
	assert.Zero(t, alloctest.Count(1, func() {
		for range often {
			step()
		}
	}), "of so many ticks, after as many")
}

// A peer uses two views of a group at most, that of now and the one with which it was sent the group, however often these
// change while it is shown and retained.
//
// Proves: Z10
func TestViewsThatAreNotUsedAnyMoreAreFreed(t *testing.T) {
	const members = 6
	rng := rand.New(rand.NewPCG(1, 1))
	w, tick, name := NewWorld(nil, 1), entangle.Tick(0), uint16(0)
	p := w.NewPeer()
	step := func(what func()) {
		tick++
		w.Begin(tick)
		what()
		w.Commit()
		for rng.IntN(3) > 0 && len(p.AppendActions(nil, 500)) > 0 {
			name++
			p.ActionsSent(name)
			p.HandleDelivered(name)
		}
	}
	step(func() {
		for s := range repl.Slot(members) {
			w.SpawnAt(s, set.Mask{}, group.Place{Name: 1, Private: true})
		}
		p.Show(0)
	})
	some := func() (hidden []view.Hidden) {
		for s := range repl.Slot(members) {
			if rng.IntN(3) == 0 {
				hidden = append(hidden, view.Hidden{Slot: s, Whole: true})
			}
		}
		return hidden
	}
	most := view.ID(0)
	for range 2000 {
		step(func() {
			switch rng.IntN(4) {
			case 0:
				p.Show(0)
			case 1, 2:
				p.Retain(0, some()...)
			default:
				p.SetView(0, some()...)
			}
		})
		id, ok := w.state.Views.Intern([]view.HiddenMember{{Number: repl.MaxMembers - 1, Whole: true}})
		assert.True(t, ok)
		w.state.Views.AddUsers(id, 0) // frees it
		most = max(most, id)
	}
	assert.LessOrEqual(t, most, view.ID(6)) // two, and those that one change needs meanwhile
}
