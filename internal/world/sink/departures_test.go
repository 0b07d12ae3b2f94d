package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// References to an entity that was removed wait for its return until its handle has a later generation, or
// the connection ends.
func TestDeparturesThatDoNotReturn(t *testing.T) {
	h := newHand(t)
	left := func() (n int) {
		l := &h.applier.refs.departed
		for id := range l.byID {
			if l.mayReturn(id) {
				n++
			}
		}
		return n
	}
	h.come(1)
	h.come(2, h.one(1))
	h.record(func() { h.despawn(1) })
	h.applier.Outdate(2, 1)
	h.applier.Outdate(1, 0)
	assert.Equal(t, 1, left())
	h.applier.Outdate(1, 1)
	assert.Zero(t, left())
	assert.Zero(t, h.waiting())

	h.come(3)
	h.record(func() { h.state(2, h.one(3)) })
	h.record(func() { h.despawn(3) })
	assert.Equal(t, 1, left())
	h.applier.Clear()
	assert.Zero(t, left())
}

// The departures of which the references are not searched are bounded.
func TestDeparturesAreBounded(t *testing.T) {
	h := newHand(t)
	for g := repl.Handle(1); g <= 600; g += 2 {
		h.come(g)
		h.come(g+1, h.one(g))
	}
	for g := repl.Handle(1); g <= 600; g += 2 {
		h.record(func() { h.despawn(g) })
		assert.Less(t, len(h.applier.refs.departed.byID), maxDepartures)
	}
	assert.Equal(t, 300, h.waiting())
}

// References to entities that return are searched once in a frame, however many return, and however often.
func TestReturnsAreSearchedOnceAFrame(t *testing.T) {
	const holders, returns = 100, 50
	h := newHand(t)
	h.come(1)
	h.come(2)
	for g := repl.Handle(0); g < holders; g++ {
		h.come(10+g, h.one(1+g%2))
	}
	examined := 0
	h.applier.refs.departed.note = func(n int, e ecs.Entity) ecs.Entity {
		examined++
		return h.applier.refs.awaitReturn(n, e)
	}
	for i := range returns {
		g := repl.Handle(1 + i%2)
		h.recordWithin(func() { h.despawn(g) })
		h.recordWithin(func() {
			h.spawn(g)
			h.state(g)
		})
		h.recordWithin(func() { h.state(10, h.one(1)); h.state(11, h.one(2)) })
	}
	h.applier.ResolveReturns()
	h.applier.ResolveReturns()
	assert.Equal(t, holders, examined)
	for g := repl.Handle(0); g < holders; g++ {
		assert.Equal(t, h.entity(1+g%2), at[heldOne](h, 10+g).To)
	}
	assert.Zero(t, h.waiting())
}

// The more replicas there are, the more departures one search is for.
func TestASearchPaysForItself(t *testing.T) {
	h := newHand(t)
	h.come(1, h.one(0))
	for g := repl.Handle(2); g < 4600; g++ {
		h.come(g, h.one(1))
	}
	h.record(func() { // all of them become referred
		for g := repl.Handle(2); g < 4600; g++ {
			h.state(1, h.one(g))
		}
	})
	examined := 0
	h.applier.refs.departed.note = func(_ int, e ecs.Entity) ecs.Entity {
		examined++
		return e
	}
	for g := repl.Handle(2); g < 2002; g++ {
		h.record(func() { h.despawn(g) })
	}
	assert.LessOrEqual(t, examined, 4*4600)
}

// BenchmarkOutdateWithoutDepartures is the beginning of a group under a handle without departures, beside as many of
// others as there can be: a message of a hostile server may begin thousands of groups.
func BenchmarkOutdateWithoutDepartures(b *testing.B) {
	h := newHand(b)
	for g := repl.Handle(1); g < maxDepartures; g++ {
		h.come(g)
		h.come(g+1000, h.one(g))
		h.record(func() { h.despawn(g) })
	}
	for i := range repl.Handle(b.N) {
		h.applier.Outdate(2000+i%5000, 1)
	}
}

// BenchmarkDepartures is the end of an entity to which a component refers, in a world with many others.
func BenchmarkDepartures(b *testing.B) {
	h := newHand(b)
	for g := repl.Handle(1); g < 4000; g++ {
		h.come(g, h.one(max(g, 2)-1))
	}
	g := repl.Handle(0)
	for b.Loop() {
		if g++; g == 3000 {
			b.StopTimer()
			for ; g > 1; g-- {
				h.come(g-1, h.one(g))
			}
			b.StartTimer()
		}
		h.record(func() { h.despawn(g) })
	}
}

// BenchmarkReturns is an entity that is hidden and shown again in a world with many others that refer to one,
// which a packet of a hostile server can say more than fifty times.
func BenchmarkReturns(b *testing.B) {
	h := newHand(b)
	h.come(1)
	for g := repl.Handle(2); g < 60000; g++ {
		h.record(func() {
			h.spawn(g)
			h.state(g, h.one(1))
		})
	}
	for b.Loop() {
		h.recordWithin(func() { h.state(2, h.one(1)) })
		h.recordWithin(func() { h.despawn(1) })
		h.recordWithin(func() { h.spawn(1); h.state(1) })
	}
}
