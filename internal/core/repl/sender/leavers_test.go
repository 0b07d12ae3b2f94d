package sender

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// roomOfGroups is for how many members and leavers all groups together have memory.
func (w *World) roomOfGroups() (members, left int) {
	for i := range w.groups {
		members += cap(w.groups[i].members)
		left += cap(w.groups[i].left)
	}
	return members, left
}

// A crowd goes through one group after the other, and leaves an entity behind in each. When
// all have heard of it, nothing is kept of the crowd, though nobody leaves these groups any
// more; also not by groups that have ended and whose numbers others get, nor where the crowd
// ends long after.
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
				w.SpawnAt(repl.Slot(crowd+g), repl.Mask{}, Place{Name: g + 1})
			}
			for s := range repl.Slot(crowd) {
				if g == 0 {
					w.SpawnAt(s, repl.Mask{}, Place{Name: 1})
				} else {
					w.Move(s, Place{Name: g + 1})
				}
			}
			w.Commit()
			run(2)
		}
		_, left := w.roomOfGroups()
		require.Greater(t, left, crowd)
		if c.late {
			run(30 * quarantine)
		}
		tick++
		w.Begin(tick)
		for s := range repl.Slot(crowd) {
			w.Despawn(s)
		}
		w.Commit()
		run(30 * quarantine)
		members, left := w.roomOfGroups()
		assert.LessOrEqual(t, left, groups*keptRoom)
		if !stays {
			assert.LessOrEqual(t, members, groups*keptRoom)
		}
		for i := range w.groups {
			assert.LessOrEqual(t, len(w.groups[i].left), 0)
		}
		assert.Zero(t, alloctest.Count(10, step))
	}
}
