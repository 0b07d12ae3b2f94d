package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

const (
	tidyAfter = 32  // ticks after which leavers of a group are scanned
	minTidy   = 16  // leavers from which they are scanned at once
	keptRoom  = 128 // members and leavers for which a group keeps memory
)

// roomOfGroups returns for how many members and leavers all groups together have memory.
func (w *World) roomOfGroups() (members, left int) {
	for i := range w.state.Groups {
		members += cap(w.state.Groups[i].Members)
		left += cap(w.state.Groups[i].Left)
	}
	return members, left
}

// A crowd of entities passes through one group after the other, and leaves one entity behind in
// each. When all peers have acknowledged that, no memory of the crowd remains, although no entity
// leaves these groups any more. The same is true for ended groups with reused indexes, and if the
// crowd is despawned long after.
func TestGroupsForgetThoseThatLeft(t *testing.T) {
	const groups, crowd = 40, 500
	for _, c := range []struct{ stays, late bool }{{true, false}, {false, false}, {true, true}, {false, true}} {
		stays := c.stays
		w, tick := NewWorld(nil, 1), entangle.Tick(0)
		step := func() {
			tick++
			w.Begin(tick)
			w.Commit()
		}
		run := func(ticks int) {
			for range ticks {
				step()
			}
		}
		step()
		for g := range uint32(groups) {
			tick++
			w.Begin(tick)
			if stays {
				w.SpawnAt(repl.Slot(crowd+g), set.Mask{}, group.Place{Name: g + 1})
			}
			for s := range repl.Slot(crowd) {
				if g == 0 {
					w.SpawnAt(s, set.Mask{}, group.Place{Name: 1})
				} else {
					w.Move(s, group.Place{Name: g + 1})
				}
			}
			w.Commit()
			run(2)
		}
		_, left := w.roomOfGroups()
		require.Greater(t, left, crowd)
		if c.late {
			run(15 * tidyAfter)
		}
		tick++
		w.Begin(tick)
		for s := range repl.Slot(crowd) {
			w.Despawn(s)
		}
		w.Commit()
		run(15 * tidyAfter)
		members, left := w.roomOfGroups()
		assert.LessOrEqual(t, left, groups*keptRoom)
		if !stays {
			assert.LessOrEqual(t, members, groups*keptRoom)
		}
		for i := range w.state.Groups {
			assert.LessOrEqual(t, len(w.state.Groups[i].Left), 0)
		}
		assert.Zero(t, alloctest.Count(10, step))
	}
}

// Leavers of a group that a peer has not yet received, and the groups that they went to, are
// scanned until that peer acknowledges them. Then no memory of despawned leavers remains, although
// no entity leaves the group any more.
func TestGroupsForgetLeaversThatWereAcknowledgedLate(t *testing.T) {
	const crowd = minTidy - 1 // too few to be scanned when one more leaves
	w, tick := NewWorld(nil, 1), entangle.Tick(0)
	p := w.NewPeer()
	var sent []uint16
	step := func(change func()) {
		tick++
		w.Begin(tick)
		change()
		w.Commit()
		for len(p.AppendActions(nil, 1000)) > 0 {
			name := uint16(len(sent))
			sent = append(sent, name)
			p.ActionsSent(name)
		}
	}
	hear := func() {
		for _, name := range sent {
			p.HandleDelivered(name)
		}
	}
	step(func() {
		for s := range repl.Slot(crowd + 1) {
			w.SpawnAt(s, set.Mask{}, group.Place{Name: 1})
		}
	})
	hear()
	step(func() {
		for s := range repl.Slot(crowd) {
			w.Move(s, group.Place{Name: 2})
		}
	})
	step(func() {
		for s := range repl.Slot(crowd - 1) {
			w.Despawn(s)
		}
	})
	leavers := func() (n int) {
		for i := range w.state.Groups {
			n += len(w.state.Groups[i].Left)
		}
		return n
	}
	for range 3 * tidyAfter {
		step(func() {})
	}
	require.Positive(t, leavers(), "the peer has not heard")
	hear()
	for range 3 * tidyAfter {
		step(func() {})
	}
	assert.Equal(t, 1, leavers(), "it lives on under an id from there")
	step(func() { w.Despawn(crowd - 1) })
	for range 3 * tidyAfter {
		hear()
		step(func() {})
	}
	assert.Zero(t, leavers())
}
