package sink

import (
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/stretchr/testify/assert"
)

// References to an entity that was removed wait for its return until its handle has a later generation, or
// the connection ends.
func TestDeparturesThatDoNotReturn(t *testing.T) {
	h := newHand(t)
	left := func() int { return len(h.applier.refs.departed.byID) }
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
