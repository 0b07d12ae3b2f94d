package repl_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A group that changes all the time is sent in every n-th tick, with all changes since the last
// time. The ticks of different groups are spread evenly. Lost values are resent at once.
//
// Proves: R35
func TestAGroupIsSentAtItsInterval(t *testing.T) {
	const groups, ticks = 60, 300
	for _, loss := range []float64{0, 0.05, 0.3} {
		for name, place := range map[string]group.Place{"public": {}, "private": {Private: true}} {
			t.Run(fmt.Sprint(name, " loss ", loss), func(t *testing.T) {
				n, slots := evenNetwork(t, 7, groups, place, group.Rate{Every: 10})
				n.loss, n.delay = loss, 2
				sent, at := map[repl.Handle]int{}, map[repl.Handle]map[int]bool{}
				n.told = func(_ *end, s saying) {
					if sent[s.Group]++; at[s.Group] == nil {
						at[s.Group] = map[int]bool{}
					}
					at[s.Group][int(s.Tick)%10] = true
				}
				before, most := n.world.Stats().Resent, 0
				for range ticks {
					sum := total(sent)
					n.step(func() { n.writeAll(slots) })
					most = max(most, total(sent)-sum)
				}
				resent := int(n.world.Stats().Resent - before)
				require.Len(t, sent, groups)
				assert.InDelta(t, groups*ticks/10, total(sent), float64(resent+groups))
				if loss == 0 {
					require.Zero(t, resent)
					assert.Equal(t, groups/10, most, "groups in one tick")
					for h := range at {
						assert.Len(t, at[h], 1, "group %d", h)
						assert.InDelta(t, ticks/10, sent[h], 1, "group %d", h)
					}
				}
				n.loss = 0
				n.settle()
				n.requireEqual(n.peers[0])
				assert.True(t, n.peers[0].peer.Idle(), "nothing waits any more")
			})
		}
	}
}

// If ticks are skipped, every group still gets its turn, and no sooner than its interval allows.
//
// Proves: R35
func TestAnIntervalWhereTicksAreSkipped(t *testing.T) {
	const groups, ticks = 12, 360
	for _, place := range []group.Place{{}, {Private: true}} {
		for _, every := range []uint16{2, 3, 4, 10} {
			for _, stride := range []int{2, 3, 6, 7} {
				n, slots := evenNetwork(t, 7, groups, place, group.Rate{})
				n.skips = entangle.Tick(stride - 1)
				n.world.SetStride(stride)
				sent := map[repl.Handle][]entangle.Tick{}
				n.told = func(_ *end, s saying) { sent[s.Group] = append(sent[s.Group], s.Tick) }
				n.step(func() {
					for _, slot := range slots {
						n.world.SetRate(slot, group.Rate{Every: every})
					}
				})
				for range ticks / stride {
					n.step(func() { n.writeAll(slots) })
				}
				says := fmt.Sprintf("%v every %d in steps of %d", place, every, stride)
				beat := (int(every) + stride - 1) / stride * stride
				require.Len(t, sent, groups, says)
				for _, at := range sent {
					assert.InDelta(t, ticks/beat, len(at), 1, says)
					for i := 1; i < len(at); i++ {
						assert.EqualValues(t, beat, at[i]-at[i-1], says)
					}
				}
				n.step(func() { n.writeAll(slots) })
				for range 12 {
					n.step(func() {})
				}
				n.requireEqual(n.peers[0])
			}
		}
	}
}

// If a frame runs several ticks at once, no group misses its turn.
//
// Proves: R35
func TestAnIntervalWhereTicksJump(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		for seed := range uint64(20) {
			n, slots := evenNetwork(t, seed, 12, place, group.Rate{Every: 4})
			for range 10 {
				n.skips = entangle.Tick(n.rng.IntN(7))
				n.step(func() { n.writeAll(slots) })
			}
			for range 2 {
				n.skips = entangle.Tick(n.rng.IntN(3)) + 1
				n.step(func() {})
			}
			n.requireEqual(n.peers[0])
		}
	}
}

// The interval of a group is the shortest of those requested for its entities, and changes when
// entities join, leave or change their request.
func TestAGroupHasTheShortestInterval(t *testing.T) {
	for _, place := range []group.Place{{Name: 9}, {Name: 9, Private: true}} {
		n, slots := evenNetwork(t, 7, 3, place, group.Rate{})
		sent, write := 0, func() { n.writeAll(n.membersOf(groupKey{place: place})) }
		n.told = func(*end, saying) { sent++ }
		expect := func(every int) {
			t.Helper()
			before := sent
			for range 120 {
				n.step(write)
			}
			assert.InDelta(t, 120/every, sent-before, 1)
		}
		rate := func(every ...uint16) {
			n.step(func() {
				for i, e := range every {
					n.world.SetRate(slots[i], group.Rate{Every: e})
				}
			})
		}
		expect(1)
		rate(8, 4, 6)
		expect(4)
		rate(8, 8, 6)
		expect(6)
		n.step(func() { n.despawn(slots[2]) })
		expect(8)
		n.step(func() {
			slot := n.spawnAt(place)
			n.world.SetRate(slot, group.Rate{Every: 3})
			n.show(n.peers[0], slot)
		})
		expect(3)
		n.step(func() { n.show(n.peers[0], n.spawnAt(place)) })
		expect(1)
	}
}

// If the interval of a waiting group changes, the group stops waiting for its tick.
func TestAnotherIntervalEndsTheWaiting(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		for _, every := range []uint16{0, 40, 60} {
			n, slots := evenNetwork(t, 7, 1, place, group.Rate{Every: 50})
			n.tick = 50*(n.tick/50) + 59
			n.step(func() {})
			n.step(func() { n.writeAll(slots) })
			for range 10 {
				n.step(func() {})
			}
			n.step(func() { n.world.SetRate(slots[0], group.Rate{Every: every}) })
			n.requireEqual(n.peers[0])
		}
	}
}

// Structure does not wait for the interval. It contains the waiting values, so that they need not
// be sent again.
func TestStructureTakesAlongWhatWaits(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		n, slots := evenNetwork(t, 7, 1, place, group.Rate{Every: 50})
		e, sent := n.peers[0], 0
		n.told = func(*end, saying) { sent++ }
		n.tick = 50*(n.tick/50) + 59 // some ticks before its turn
		n.step(func() {})
		n.step(func() { n.writeAll(slots) })
		n.step(func() { n.writeAll(slots) })
		require.Zero(t, sent)
		assert.False(t, e.peer.Idle())
		n.step(func() { n.reshape(slots[0], n.model.entities[slots[0]]) })
		n.step(func() {})
		n.requireEqual(e)
		assert.True(t, e.peer.Idle())
		for range 100 {
			n.step(func() {})
		}
		assert.Zero(t, sent)
	}
}

// A peer that predicts a group is sent each change at once, because it has to know when it has all
// state of a tick. Other peers wait for the interval.
func TestWhatIsPredictedHasNoInterval(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		n, slots := evenNetwork(t, 7, 1, place, group.Rate{Every: 10})
		other := n.join()
		n.step(func() { n.show(other, slots[0]) })
		n.step(func() {})
		n.step(func() { n.foresee(n.peers[0], slots[0], true) })
		sent := map[*end]int{}
		n.told = func(e *end, _ saying) { sent[e]++ }
		for range 100 {
			n.step(func() { n.writeAll(slots) })
		}
		assert.Equal(t, 100, sent[n.peers[0]])
		assert.Equal(t, 10, sent[other])
		n.step(func() { n.foresee(n.peers[0], slots[0], false) })
		for range 100 {
			n.step(func() { n.writeAll(slots) })
		}
		assert.InDelta(t, 110, sent[n.peers[0]], 2)
	}
}

// evenNetwork returns a network of one peer, which has all of n entities with one value each.
func evenNetwork(t testing.TB, seed uint64, n int, place group.Place, rate group.Rate) (*network, []repl.Slot) {
	net, slots := newNetwork(t, seed, 3, 0), []repl.Slot(nil)
	e := net.join()
	net.step(func() {
		for slot := range repl.Slot(n) {
			net.model.names++
			is := entity{mask: set.MaskOf(0, 1)}
			is.values[0] = uint32(slot) | net.model.names<<16
			net.put(slot, is, place)
			net.world.SetRate(slot, rate)
			net.show(e, slot)
			slots = append(slots, slot)
		}
	})
	for range 3 {
		net.step(func() {})
	}
	return net, slots
}

func (n *network) writeAll(slots []repl.Slot) {
	for _, slot := range slots {
		if e := n.model.entities[slot]; e.mask.Has(1) {
			n.set(slot, 1, n.rng.Uint32())
		}
	}
}

// The tick 0, which follows the greatest one, is a tick like any other for a group that has not had
// its tick yet: it is not taken for the last tick of the group. Otherwise an update might start from
// a tick at which a component was not there.
func TestAGroupHasNotHadItsTickAtZero(t *testing.T) {
	n := newNetwork(t, 1, 12, math.MaxUint32-10)
	n.differ()
	e := n.join()
	n.step(func() {
		n.put(0, entity{mask: set.MaskOf(0, 3)}, group.Place{})
		n.world.SetRate(0, group.Rate{Every: 100})
		n.foresee(e, 0, true)
	})
	for n.tick != math.MaxUint32-2 {
		n.step(func() {})
	}
	n.step(func() { n.set(0, 3, 1) }) // it waits
	n.step(func() {
		is := n.model.entities[0]
		is.mask.Set(4)
		n.world.Reshape(0, set.MaskOf(4), set.Mask{}) // nothing waits any more
		n.world.SetRate(0, group.Rate{})
		n.model.entities[0], n.model.changed[0][4] = is, n.tick
	})
	n.step(func() { n.set(0, 4, 2) })
	require.Zero(t, n.tick)
	n.settle()
	n.requireEqual(e)
}

// A change of a group with an interval is sent once, even if turns of the group pass before the peer has acknowledged
// it.
//
// Proves: R35
func TestAChangeIsSentAtOneTurn(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		n, slots := evenNetwork(t, 7, 12, place, group.Rate{Every: 4})
		other := n.join()
		n.step(func() {
			for _, slot := range slots {
				n.show(other, slot)
				n.foresee(n.peers[0], slot, slot%2 == 0)
			}
		})
		n.settle()
		n.delay = 12
		type group struct {
			*end
			repl.Handle
		}
		sent := map[group]int{}
		n.told = func(e *end, s saying) { sent[group{e, s.Group}]++ }
		for i := range 8 {
			n.step(func() { n.writeAll(slots) })
			for range 2*n.delay + 6 + i {
				n.step(func() {})
			}
			require.Len(t, sent, 2*len(slots))
			for of, times := range sent {
				require.Equal(t, 1, times, "%v: group %d", place, of.Handle)
			}
			clear(sent)
		}
	}
}
