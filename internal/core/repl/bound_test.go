package repl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/schedule"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// ages measures how long groups that change in every tick wait, without packet loss.
type ages struct {
	due  map[int]int // by slot: the tick since which its change waits
	over int         // ticks by which changes waited beyond the bounds
	most int
}

// watchAges measures how long changes of slots wait, against the bounds of the slots.
func (n *network) watchAges(slots []repl.Slot, bounds func(slot int) int) *ages {
	a := &ages{due: map[int]int{}}
	for _, slot := range slots {
		a.due[int(slot)] = int(n.tick) + 1
	}
	n.told = func(e *end, s saying) {
		slot := n.slotOf(e, s.Group)
		a.count(int(n.tick)-a.due[slot], bounds(slot))
		a.due[slot] = int(n.tick) + 1
	}
	return a
}

func (a *ages) count(age, bound int) {
	if bound > 0 {
		a.over += max(0, age-bound)
		a.most = max(a.most, age)
	}
}

// breaches returns all reports of a peer.
func breaches(p *sender.Peer) (all []schedule.Breach) {
	for b, ok := p.PollBreach(); ok; b, ok = p.PollBreach() {
		all = append(all, b)
	}
	return all
}

// If the limits suffice, no group waits for longer than its bound, however urgent other groups are.
// Of groups with bounds, the one nearest to its bound is sent first.
//
// Proves: R36
func TestBoundsAreKeptWhereThereIsRoom(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		for _, loss := range []float64{0, 0.05, 0.3} {
			t.Run(fmt.Sprintf("private %v, loss %v", place.Private, loss), func(t *testing.T) {
				n, slots := evenNetwork(t, 7, 60, place, group.Rate{})
				bounds := func(slot int) int { return []int{0, 0, 0, 40, 15}[slot%5] }
				n.step(func() {
					for i, slot := range slots {
						rate := group.Rate{Priority: 100, MaxAge: uint16(bounds(i))}
						if rate.MaxAge > 0 {
							rate.Priority = 0.1
						}
						n.world.SetRate(slot, rate)
					}
				})
				n.loss, n.delay, n.limit = loss, 2, fixed(65)
				counts, before := map[repl.Handle]int{}, n.world.Stats()
				a := n.watchAges(slots, bounds)
				count := n.told
				n.told = func(e *end, s saying) { count(e, s); counts[s.Group]++ }
				for range 400 {
					n.step(func() { n.writeAll(slots) })
				}
				assert.Zero(t, n.world.Stats().Overdue-before.Overdue)
				assert.Empty(t, breaches(n.peers[0].peer))
				if loss == 0 {
					assert.Zero(t, a.over)
					assert.Greater(t, a.most, 10, "a bound is no interval")
				}
				bound, free := 0, 0
				for h, sent := range counts {
					if bounds(n.slotOf(n.peers[0], h)) > 0 {
						bound += sent
					} else {
						free += sent
					}
				}
				assert.Greater(t, free, 3*bound/2, "what is left goes by priority")
			})
		}
	}
}

// If the limits do not suffice for the bounds, each tick beyond a bound is counted, and the peer
// reports it: at once, and then at most once in 60 ticks.
//
// Proves: R36
func TestBrokenBoundsAreReported(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		for _, limit := range []int{0, 5, 30, 45} {
			n, slots := evenNetwork(t, 7, 60, place, group.Rate{})
			bounds := func(slot int) int { return []int{0, 3, 4}[slot%3] }
			n.step(func() {
				for i, slot := range slots {
					n.world.SetRate(slot, group.Rate{MaxAge: uint16(bounds(i))})
				}
			})
			a := n.watchAges(slots, bounds)
			var got []schedule.Breach
			first, begin := 0, int(n.tick)
			run := func(ticks int) {
				for range ticks {
					n.step(func() { n.writeAll(slots) })
					all := breaches(n.peers[0].peer)
					if got = append(got, all...); len(all) > 0 && first == 0 {
						first = int(n.tick) - begin
					}
				}
			}
			run(10)
			require.Empty(t, got, "there is room for all")
			before := n.world.Stats().Overdue
			n.limit, begin = fixed(limit), int(n.tick)
			run(200)
			assert.InDelta(t, 5, first, 2)
			require.NotEmpty(t, got)
			assert.LessOrEqual(t, len(got), 2*4)
			for _, b := range got {
				assert.Contains(t, []int{3, 4}, b.Bound)
				assert.Equal(t, bounds(int(b.Slot)), b.Bound)
				assert.Greater(t, b.Age, b.Bound)
				assert.Positive(t, b.Groups)
				assert.LessOrEqual(t, b.Groups, len(slots)/3, "those of one tick")
			}
			for slot, since := range a.due {
				a.count(int(n.tick)+1-since, bounds(slot))
			}
			assert.EqualValues(t, a.over, n.world.Stats().Overdue-before, "limit %d", limit)
			n.limit = nil
			n.step(func() {})
			counted := n.world.Stats().Overdue
			breaches(n.peers[0].peer)
			run(100)
			assert.Equal(t, counted, n.world.Stats().Overdue)
		}
	}
}

// If the packets of a tick are used up, bounds can be broken without any limit of bytes. That is
// counted and reported as well, from the first tick on.
//
// Proves: R36
func TestBoundsThatPacketsBreakAreReported(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		t.Run(fmt.Sprintf("private %v", place.Private), func(t *testing.T) {
			n, slots := evenNetwork(t, 7, 200, place, group.Rate{})
			bounds := func(slot int) int { return []int{0, 1, 2}[slot%3] }
			n.step(func() {
				for i, slot := range slots {
					n.world.SetRate(slot, group.Rate{MaxAge: uint16(bounds(i))})
				}
			})
			a := n.watchAges(slots, bounds)
			run := func(ticks int) (all []schedule.Breach) {
				for range ticks {
					n.step(func() { n.writeAll(slots) })
					all = append(all, breaches(n.peers[0].peer)...)
				}
				return all
			}
			require.Empty(t, run(10), "there is room for all")
			require.Zero(t, a.over)
			before := n.world.Stats().Overdue
			n.most = 2
			got := run(100)
			for slot, since := range a.due {
				a.count(int(n.tick)+1-since, bounds(slot))
			}
			over := a.over
			require.NotZero(t, over)
			n.most = 0
			n.step(func() {}) // groups without a packet in the last tick become known only now
			assert.EqualValues(t, over, n.world.Stats().Overdue-before)
			require.NotEmpty(t, got)
			assert.LessOrEqual(t, len(got), 2*2)
			for _, b := range got {
				assert.Equal(t, bounds(int(b.Slot)), b.Bound)
				assert.Greater(t, b.Age, b.Bound)
				assert.Positive(t, b.Groups)
			}
		})
	}
}

// A bound of a single tick is kept, and so are bounds where ticks are skipped.
//
// Proves: R36
func TestShortBoundsAndThoseOfSkippedTicksAreKept(t *testing.T) {
	for _, stride := range []int{1, 3} {
		for _, place := range []group.Place{{}, {Private: true}} {
			t.Run(fmt.Sprintf("stride %d, private %v", stride, place.Private), func(t *testing.T) {
				n, slots := evenNetwork(t, 7, 60, place, group.Rate{Priority: 100})
				n.skips, n.limit = entangle.Tick(stride-1), fixed(60)
				n.world.SetStride(stride)
				sent, bounds := map[int]entangle.Tick{}, map[int]int{}
				n.step(func() {
					for i, slot := range slots[:30] {
						bounds[i], sent[i] = max(1, min(i/2, 8))*stride, n.tick
						n.world.SetRate(slot, group.Rate{Priority: 0.1, MaxAge: uint16(bounds[i])})
					}
				})
				over, most := 0, 0
				count := func(slot int) {
					if last, some := sent[slot]; some {
						age := int(n.tick.Sub(last)) - stride // since the change of the next step
						over, most = over+max(0, age-bounds[slot]), max(most, age)
						sent[slot] = n.tick
					}
				}
				n.told = func(e *end, s saying) { count(n.slotOf(e, s.Group)) }
				for range 120 {
					n.step(func() { n.writeAll(slots) })
				}
				for slot := range sent {
					count(slot)
				}
				assert.Zero(t, over, "ticks beyond a bound")
				assert.Greater(t, most, 4*stride, "a bound is no interval")
				assert.Empty(t, breaches(n.peers[0].peer))
			})
		}
	}
}

// A group that found no packet, and that the peer retains since, is not counted as late.
//
// Proves: R36
func TestARetainedGroupIsNotLate(t *testing.T) {
	n, slots := evenNetwork(t, 7, 200, group.Place{Private: true}, group.Rate{MaxAge: 1})
	n.most = 1
	for range 5 {
		n.step(func() { n.writeAll(slots) })
	}
	before := n.world.Stats().Overdue
	require.NotZero(t, before)
	n.step(func() {
		for _, slot := range slots {
			n.retain(n.peers[0], slot)
		}
	})
	n.step(func() {})
	assert.Equal(t, before, n.world.Stats().Overdue)
}

// A group with a change that is not sent any more, because the member that has it is paused, is not counted as late.
//
// Proves: R36
func TestAGroupWithNothingToSendIsNotLate(t *testing.T) {
	for _, limit := range []int{0, 5, 60} {
		n, slots := evenNetwork(t, 7, 20, group.Place{}, group.Rate{MaxAge: 3})
		var pairs []repl.Slot // members of groups with another member, which does not change
		n.step(func() {
			for name := range uint32(20) {
				for range 2 {
					pairs = append(pairs, n.spawnAt(group.Place{Name: 1 + name}))
					n.world.SetRate(pairs[len(pairs)-1], group.Rate{MaxAge: 3})
				}
			}
		})
		n.limit = fixed(5)
		for range 6 {
			n.step(func() {
				n.writeAll(slots)
				for i := 0; i < len(pairs); i += 2 {
					n.set(pairs[i], 0, n.model.entities[pairs[i]].values[0])
				}
			})
		}
		require.NotZero(t, n.world.Stats().Overdue)
		n.limit = fixed(limit)
		n.step(func() {
			for _, slot := range slots {
				n.pause(slot)
			}
			for i := 0; i < len(pairs); i += 2 {
				n.pause(pairs[i])
			}
		})
		before := n.world.Stats().Overdue
		for range 5 {
			n.step(func() {})
		}
		assert.Equal(t, before, n.world.Stats().Overdue, "limit %d", limit)
	}
}

// A group of which the newest change was sent and lost is late if there is no room to send it again.
//
// Proves: R36
func TestAGroupWithALostChangeIsLate(t *testing.T) {
	n, slots := evenNetwork(t, 7, 1, group.Place{}, group.Rate{MaxAge: 3})
	n.limit = fixed(100)
	n.loss = 1
	n.step(func() { n.writeAll(slots) })
	n.limit, n.loss = fixed(0), 0
	for range 10 {
		n.step(func() {})
	}
	assert.NotZero(t, n.world.Stats().Overdue)
}

// Groups of runs that find no packet are counted as late from the first tick on, like others.
//
// Proves: R36
func TestGroupsOfUnsentRunsAreLate(t *testing.T) {
	c := newCrowd(3000, 1, func(repl.Slot) group.Place { return group.Place{} })
	p := c.peers[0]
	tick(c.World, func() {
		for _, s := range c.all {
			c.SetRate(s, group.Rate{MaxAge: 2})
		}
	})
	for i := range uint64(6) {
		tick(c.World, func() { c.Change(0, c.all) })
		p.Prepare()
		if i <= 3 {
			assert.Equal(t, i == 3, c.Stats().Overdue > 0, "after %d ticks", i)
		}
		if i == 3 {
			assert.Equal(t, 3000-c.Stats().Updates, c.Stats().Overdue, "all that were not sent in the ticks before")
		}
		c.pkt++
		require.NotEmpty(t, p.AppendUpdates(nil, repl.MaxUpdateBytes, c.pkt))
		p.HandleAcked(c.pkt)
	}
}
