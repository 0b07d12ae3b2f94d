package sink

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/snapshot"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pendingModel is pendingChanges as one list, which is searched for everything.
type pendingModel struct {
	ids   []int // of the changes that wait
	ticks map[int]entangle.Tick
	since map[int]entangle.Tick
	slots map[int]snapshot.Slot
	comps map[int]int // of the value of a change
}

// The changes that are due, and the newest values, are those of a search through all of them.
func TestRandomPendingChanges(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 3))
			p := pendingChanges{}
			m := pendingModel{nil, map[int]entangle.Tick{}, map[int]entangle.Tick{}, map[int]snapshot.Slot{}, map[int]int{}}
			present, id := entangle.Tick(1<<32-500), 0
			finish := func(gone map[int]bool) {
				m.ids = slices.DeleteFunc(m.ids, func(id int) bool { return gone[id] })
			}
			for range 120 {
				for range rng.IntN(40) {
					id++
					slot := snapshot.Slot(rng.IntN(5) + 1)
					tick := present + entangle.Tick(rng.IntN(40)-5)
					if rng.IntN(20) == 0 {
						tick = entangle.Tick(rng.Uint32())
					}
					c := p.add(pendingChange{slot: slot, tick: tick, since: present})
					require.LessOrEqual(t, max(c.tick.Sub(present), present.Sub(c.tick)), int32(2*maxPendingTicks))
					for _, id := range m.ids {
						require.False(t, m.slots[id] == slot && c.tick.Before(m.ticks[id]), "the ticks of an entity rise")
					}
					m.ids, m.ticks[id], m.since[id], m.slots[id], m.comps[id] = append(m.ids, id), c.tick, present, slot, rng.IntN(4)
					p.addValue(m.comps[id], []byte{byte(id), byte(id >> 8), byte(id >> 16)}, ecs.Entity{})
				}
				if rng.IntN(10) == 0 {
					slot := snapshot.Slot(rng.IntN(5) + 1)
					p.dropSlot(slot)
					require.Zero(t, p.lastOf(slot), "another entity of the slot has nothing of it")
					gone := map[int]bool{}
					for _, id := range m.ids {
						gone[id] = m.slots[id] == slot
					}
					finish(gone)
				}
				present += entangle.Tick(rng.IntN(10))
				if rng.IntN(20) == 0 {
					present += 600
				}
				shown := func(s snapshot.Slot) entangle.Tick { return present - 3*entangle.Tick(s) }
				isDue := func(slot snapshot.Slot, tick, since entangle.Tick) bool {
					return !shown(slot).Before(tick) || present.Sub(since) > maxPendingTicks
				}
				var want []int
				gone := map[int]bool{}
				for _, id := range m.ids {
					if gone[id] = isDue(m.slots[id], m.ticks[id], m.since[id]); gone[id] {
						want = append(want, id)
					}
				}
				slices.SortStableFunc(want, func(a, b int) int { return int(m.ticks[a].Sub(m.ticks[b])) })
				due := p.findDue(present, func(c *pendingChange) bool { return isDue(c.slot, c.tick, c.since) })
				var got []int
				for _, i := range due {
					v := p.bytesOf(&p.values[p.list[i].first])
					got = append(got, int(v[0])|int(v[1])<<8|int(v[2])<<16)
					p.finish(i)
				}
				p.due = p.due[:0]
				require.Equal(t, want, got)
				finish(gone)
				for slot := range snapshot.Slot(7) {
					var want, got []int // of this entity
					for _, id := range m.ids {
						if m.slots[id] == slot {
							want = append(want, id)
						}
					}
					for _, i := range p.findOf(slot) {
						v := p.bytesOf(&p.values[p.list[i].first])
						got = append(got, int(v[0])|int(v[1])<<8|int(v[2])<<16)
					}
					p.due = p.due[:0]
					require.Equal(t, want, got)
					for comp := range 5 {
						want := 0
						for _, id := range m.ids {
							if m.slots[id] == slot && m.comps[id] == comp {
								want = id
							}
						}
						v, ok := p.newestOf(slot, comp)
						require.Equal(t, want != 0, ok)
						if ok {
							require.Equal(t, byte(want), p.bytesOf(v)[0])
						}
					}
				}
			}
			assert.Equal(t, len(m.ids), len(p.list)-p.gone)
		})
	}
}
