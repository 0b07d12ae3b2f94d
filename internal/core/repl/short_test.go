package repl_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// fixed returns a function with the same limit in every tick.
func fixed(bytes int) func(*end) int { return func(*end) int { return bytes } }

// Under a limit, groups that change all the time are sent in proportion to their priorities,
// whatever the limit is, and also when packets are lost.
//
// Proves: P13, R36
func TestSharesFollowPriorities(t *testing.T) {
	priorities := []float32{1, 2, 5, 10}
	for _, place := range []group.Place{{}, {Private: true}} {
		for _, limit := range []int{70, 110, 145} {
			for _, loss := range []float64{0, 0.05, 0.3} {
				t.Run(fmt.Sprintf("private %v, %d bytes, loss %v", place.Private, limit, loss), func(t *testing.T) {
					t.Parallel()
					n, slots := evenNetwork(t, 7, 80, place, group.Rate{})
					n.step(func() { n.prioritize(slots, priorities) })
					n.loss, n.delay, n.limit, n.trusts = loss, 3, fixed(limit), true
					counts := make([]int, len(priorities))
					n.told = func(e *end, s saying) { counts[n.slotOf(e, s.Group)%len(priorities)]++ }
					for range 700 {
						n.step(func() { n.writeAll(slots) })
					}
					assertShares(t, priorities, counts)
				})
			}
		}
	}
}

// If not all predicted groups have room, their shares follow their priorities as well.
//
// Proves: R36
func TestSharesOfPredictedGroupsFollowPriorities(t *testing.T) {
	priorities := []float32{1, 2, 5, 10}
	n, slots := evenNetwork(t, 7, 80, group.Place{}, group.Rate{})
	n.step(func() {
		n.prioritize(slots, priorities)
		for _, slot := range slots {
			n.foresee(n.peers[0], slot, true)
		}
	})
	n.limit, n.trusts = fixed(145), true
	counts := make([]int, len(priorities))
	n.told = func(e *end, s saying) { counts[n.slotOf(e, s.Group)%len(priorities)]++ }
	for range 300 {
		n.step(func() { n.writeAll(slots) })
	}
	assertShares(t, priorities, counts)
}

// Bounds that were broken for some ticks do not disturb the shares of later ones.
//
// Proves: R36
func TestSharesFollowPrioritiesAfterBrokenBounds(t *testing.T) {
	priorities := []float32{1, 2, 5, 10}
	n, slots := evenNetwork(t, 7, 80, group.Place{}, group.Rate{})
	n.step(func() {
		n.prioritize(slots, priorities)
		for i := range repl.Slot(20) {
			n.spawnAt(group.Place{})
			n.world.SetRate(80+i, group.Rate{MaxAge: 1})
		}
	})
	n.limit, n.trusts = fixed(45), true
	for range 10 {
		n.step(func() {
			n.writeAll(slots)
			for i := range repl.Slot(20) {
				n.set(80+i, 0, n.model.entities[80+i].values[0])
			}
		})
	}
	require.NotZero(t, n.world.Stats().Overdue)
	n.limit = fixed(145)
	counts := make([]int, len(priorities))
	n.told = func(e *end, s saying) { counts[n.slotOf(e, s.Group)%len(priorities)]++ }
	for range 300 {
		n.step(func() { n.writeAll(slots) })
	}
	assertShares(t, priorities, counts)
}

// assertShares checks that groups were sent in proportion to four priorities.
func assertShares(t *testing.T, priorities []float32, counts []int) {
	per := float64(counts[0]+counts[1]+counts[2]+counts[3]) / 18 // the share of a priority of 1
	for i, priority := range priorities {
		assert.InEpsilon(t, per*float64(priority), counts[i], 0.1, "priority %v of %v", priority, counts)
	}
}

func (n *network) prioritize(slots []repl.Slot, priorities []float32) {
	for i, slot := range slots {
		n.world.SetRate(slot, group.Rate{Priority: priorities[i%len(priorities)]})
	}
}

// slotOf returns the slot of the entity in a group of one.
func (n *network) slotOf(e *end, h repl.Handle) int {
	slot, ok := e.peer.Slot(repl.ID{Group: h})
	require.True(n.t, ok)
	return int(slot)
}

func total[K comparable](counts map[K]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// No group starves under a limit, however low its priority is and however many more urgent groups
// there are, and every change arrives in the end.
//
// Proves: P13, R36
func TestNothingStarvesUnderALimit(t *testing.T) {
	for _, place := range []group.Place{{}, {Private: true}} {
		for _, loss := range []float64{0, 0.05, 0.3} {
			n, slots := evenNetwork(t, 7, 60, place, group.Rate{Priority: 10})
			n.step(func() {
				for _, slot := range slots[40:] {
					n.world.SetRate(slot, group.Rate{Priority: 1})
				}
			})
			n.loss, n.delay, n.limit = loss, 2, fixed(60)
			n.step(func() { n.writeAll(slots[40:]) })
			for range 400 {
				n.step(func() { n.writeAll(slots[:40]) })
			}
			for _, slot := range slots[40:] {
				is := n.model.entities[slot]
				assert.Equal(t, is, n.peers[0].sink.byName()[is.name()], "one change of %d, while others change all the time", slot)
			}
			for range 200 {
				n.step(func() {})
			}
			n.requireEqual(n.peers[0])
			assert.True(t, n.peers[0].peer.Idle())
		}
	}
}

// A limit that is large enough for all groups changes no byte, whichever peer has one.
func TestALimitWithRoomForAllChangesNoByte(t *testing.T) {
	for seed := range uint64(12) {
		var sent [2][][]byte
		for i := range sent {
			n := randomNetwork(t, seed)
			n.keep, n.trusts, n.limit, n.tight = true, true, nil, false
			if i == 1 {
				n.limit = func(e *end) int { return 2*e.peer.WantedBytes() + 100 }
			}
			n.live()
			n.end()
			sent[i] = n.sent
		}
		require.NotEmpty(t, sent[0])
		assert.Equal(t, sent[0], sent[1], "seed %d", seed)
	}
}

// WantedBytes is at least the size of the packets of a tick without other frames. It may be more,
// because equal groups take less when they are sent together. If it is the limit, a peer is sent
// all of them.
func TestWantedBytesIsWhatIsSent(t *testing.T) {
	for _, groups := range []int{1, 30, 700, 3000} {
		for name, place := range map[string]func(repl.Slot) group.Place{
			"public": func(repl.Slot) group.Place { return group.Place{} },
			"some of each": func(s repl.Slot) group.Place {
				return group.Place{Private: s%3 == 0}
			},
		} {
			c := newCrowd(groups, 1, place)
			p := c.peers[0]
			p.Predict(0, true)
			for i := range 8 {
				tick(c.World, func() { c.Change(0, c.all[:1+(len(c.all)-1)*(i%4)/3]) })
				p.Prepare()
				wanted, sent := p.WantedBytes(), 0
				p.Limit(wanted)
				for {
					c.pkt++
					frame := p.AppendUpdates(nil, repl.MaxUpdateBytes, c.pkt)
					if len(frame) == 0 {
						break
					}
					sent += len(frame)
					if i%3 > 0 {
						p.HandleAcked(c.pkt)
					}
				}
				assert.LessOrEqual(t, sent, wanted)
				assert.LessOrEqual(t, float64(wanted), 1.25*float64(sent)+100, "%d groups, %s", groups, name)
				tick(c.World, func() {})
				p.Prepare()
				assert.Zero(t, p.WantedBytes())
			}
		}
	}
}

// Groups of equal priority take turns, whatever the limit is, and every tick makes use of its room.
func TestEqualGroupsTakeTurnsUnderALimit(t *testing.T) {
	for _, limit := range []int{20, 50, 200} {
		n, slots := evenNetwork(t, 7, 50, group.Place{}, group.Rate{Priority: 3})
		n.limit = fixed(limit)
		counts := map[repl.Handle]int{}
		n.told = func(_ *end, s saying) { counts[s.Group]++ }
		least, most := len(slots), 0
		for i := range 300 {
			before := total(counts)
			n.step(func() { n.writeAll(slots) })
			if sent := total(counts) - before; i > 20 {
				least, most = min(least, sent), max(most, sent)
			}
		}
		assert.LessOrEqual(t, most-least, 1+most/10, "%d to %d groups a tick, limit %d", least, most, limit)
		mean := total(counts) / len(slots)
		for h, count := range counts {
			assert.InDelta(t, mean, count, max(2, 0.02*float64(mean)), "group %d, limit %d", h, limit)
		}
	}
}

// A record that is larger than the limit is sent alone when it is the most urgent, but not at a
// limit of 0.
func TestARecordLargerThanTheLimitGoesAlone(t *testing.T) {
	source := sized{map[repl.Slot]int{0: 3200, 1: 32, 2: 32}}
	w := sender.NewWorld(source, 1)
	p := w.NewPeer()
	all := []repl.Slot{0, 1, 2}
	tick(w, func() {
		for _, s := range all {
			w.Spawn(s, set.MaskOf(0))
		}
	})
	deliver(p, 0)
	p.Meter(true)
	sent, larger := map[repl.Handle]int{}, 0
	for i := range 300 {
		tick(w, func() { w.Change(0, all) })
		p.Prepare()
		limit := []int{40, 40, 0}[i%3]
		p.Limit(limit)
		before := w.Stats().Updates
		frame := p.AppendUpdates(nil, repl.MaxUpdateBytes, uint16(i))
		assert.Empty(t, p.AppendUpdates(nil, repl.MaxUpdateBytes, uint16(i)))
		p.HandleAcked(uint16(i))
		for _, h := range []repl.Handle{0, 1, 2} {
			if base, _ := p.Base(h); base == w.Tick() {
				sent[h]++
			}
		}
		if len(frame) > limit {
			larger++
			base, _ := p.Base(0)
			assert.True(t, limit == 40 && base == w.Tick() && w.Stats().Updates == before+1)
		}
	}
	assert.Greater(t, larger, 50)
	assert.Greater(t, sent[1], 50)
	assert.Greater(t, sent[2], 50)
}

// A tick in steady state under limits allocates nothing.
//
// Proves: R40
func TestLimitsAllocateNothing(t *testing.T) {
	peers := 25
	if testing.Short() {
		peers = 10
	}
	c := newCrowd(1000, peers, func(s repl.Slot) group.Place { return group.Place{Private: s%8 == 0} })
	tick(c.World, func() {
		for _, s := range c.all {
			c.SetRate(s, group.Rate{Every: uint16(s % 3), Priority: float32(s % 5), MaxAge: uint16(s % 7 * 20)})
		}
		for _, p := range c.peers {
			p.Predict(3, true)
			p.Predict(8, true)
		}
	})
	step := func() {
		tick(c.World, func() { c.Change(0, c.all) })
		c.pkt++
		for i, p := range c.peers {
			p.Prepare()
			p.Limit(100 + 10*i)
			c.buf = p.AppendUpdates(c.buf[:0], repl.MaxUpdateBytes, c.pkt)
			if c.pkt%16 == 0 {
				p.HandleLost(c.pkt)
			} else {
				p.HandleAcked(c.pkt)
			}
			p.PollBreach()
		}
	}
	for range 800 {
		step()
	}
	assert.Zero(t, alloctest.Count(50, step))
}

// BenchmarkShort measures a tick for a peer with 10,000 due groups and a limit that allows a few.
func BenchmarkShort(b *testing.B) {
	const groups, peers = 10_000, 200
	for name, rates := range map[string]func(repl.Slot) group.Rate{
		"alike":      func(repl.Slot) group.Rate { return group.Rate{} },
		"priorities": func(s repl.Slot) group.Rate { return group.Rate{Priority: float32(1 + s%10)} },
		"bounds":     func(s repl.Slot) group.Rate { return group.Rate{Priority: float32(1 + s%10), MaxAge: 600} },
	} {
		b.Run(name, func(b *testing.B) {
			benchmarkShort(b, newCrowd(groups, peers, func(repl.Slot) group.Place { return group.Place{} }), rates)
		})
	}
}

func benchmarkShort(b *testing.B, c *crowd, rates func(repl.Slot) group.Rate) {
	var plan, choose time.Duration
	due := 0
	tick(c.World, func() {
		for _, s := range c.all {
			c.SetRate(s, rates(s))
		}
	})
	step := func(count bool) {
		tick(c.World, func() { c.Change(0, c.all) })
		c.pkt++
		begin := time.Now()
		for _, p := range c.peers {
			p.Prepare()
			p.Limit(1200)
		}
		planned := time.Now()
		for _, p := range c.peers {
			c.buf = p.AppendUpdates(c.buf[:0], repl.MaxUpdateBytes, c.pkt)
		}
		if count {
			plan, choose, due = plan+planned.Sub(begin), choose+time.Since(planned), due+len(c.all)*len(c.peers)
		}
		for _, p := range c.peers {
			p.HandleAcked(c.pkt)
		}
	}
	for range 20 {
		step(false)
	}
	b.ResetTimer()
	for range b.N {
		step(true)
	}
	b.ReportMetric(float64(plan.Nanoseconds())/float64(due), "plan-ns/due")
	b.ReportMetric(float64(choose.Nanoseconds())/float64(due), "choose-ns/due")
}

// Predicted groups are sent before all others, whatever their priorities are, and all of them, so
// that every tick is confirmed. The others share the rest of the budget.
func TestWhatIsPredictedGoesFirst(t *testing.T) {
	n, slots, sent := shortOfPredicted(t, 5, 120)
	e := n.peers[0]
	for range 100 {
		n.step(func() { n.writeAll(slots) })
		at, ok := e.copy.ConfirmedTick()
		require.True(t, ok)
		require.Equal(t, n.tick, at)
	}
	for slot := range 5 {
		assert.Equal(t, 100, sent[slot])
	}
	for slot := 5; slot < 60; slot++ {
		assert.Positive(t, sent[slot], slot)
	}
}

// If the groups that a peer predicts would take the whole budget, they take turns, and leave some
// of it to the others.
func TestWhatIsPredictedLeavesSomeRoom(t *testing.T) {
	n, slots, sent := shortOfPredicted(t, 30, 60)
	for range 900 {
		n.step(func() { n.writeAll(slots) })
	}
	predicted, others := 0, 0
	for slot := range slots {
		if slot < 30 {
			predicted += sent[slot]
		} else {
			others += sent[slot]
		}
		assert.Greater(t, sent[slot], 10, slot)
	}
	assert.Greater(t, predicted, 5*others)
}

// shortOfPredicted returns a network with a peer that predicts some of 60 groups, which have a low
// priority, under a limit. sent counts how often each slot was sent.
func shortOfPredicted(t *testing.T, predicted, limit int) (n *network, slots []repl.Slot, sent map[int]int) {
	n, slots = evenNetwork(t, 7, 60, group.Place{}, group.Rate{Priority: 10})
	n.step(func() {
		for _, slot := range slots[:predicted] {
			n.foresee(n.peers[0], slot, true)
			n.world.SetRate(slot, group.Rate{Priority: 1})
		}
	})
	n.limit, sent = fixed(limit), map[int]int{}
	n.told = func(e *end, s saying) { sent[n.slotOf(e, s.Group)]++ }
	return n, slots, sent
}

// Under a limit, the number of encoded records follows the number of sent ones, however many groups have
// changed.
//
// Proves: R45
func TestALimitLimitsWhatIsEncoded(t *testing.T) {
	const groups, limit = 3000, 400
	for _, place := range []group.Place{{}, {Private: true}} {
		c := newCrowd(groups, 1, func(repl.Slot) group.Place { return place })
		p := c.peers[0]
		step := func() {
			tick(c.World, func() { c.Change(0, c.all) })
			c.pkt++
			p.Prepare()
			p.Limit(limit)
			c.buf = p.AppendUpdates(c.buf[:0], repl.MaxUpdateBytes, c.pkt)
			assert.LessOrEqual(t, len(c.buf), limit)
			p.HandleAcked(c.pkt)
		}
		for range 20 {
			step()
		}
		before := c.Stats()
		for range 200 {
			step()
		}
		encoded, sent := c.Stats().Bodies-before.Bodies, c.Stats().Updates-before.Updates
		assert.Greater(t, sent, uint64(200*groups/100))
		assert.LessOrEqual(t, float64(encoded), 1.1*float64(sent), "private %v", place.Private)
	}
}
