package prespawn

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
)

// bench is a Matcher with a world of numbers.
type bench struct {
	*Matcher[int]
	t     *testing.T
	dead  map[int]bool
	drops []int
}

func newBench(t *testing.T, limit int) *bench {
	b := &bench{t: t, dead: map[int]bool{}}
	b.Matcher = New(limit, func(e int) bool { return !b.dead[e] })
	return b
}

func (b *bench) drop(e int, _ State) {
	require.False(b.t, b.dead[e])
	b.dead[e] = true
	b.drops = append(b.drops, e)
}

func (b *bench) spawn(e int, hash uint32, tick entangle.Tick) (int, bool) {
	return b.Spawned(e, hash, tick, tick+40, b.drop)
}

func (b *bench) match(hash uint32, tick entangle.Tick) int {
	e, ok := b.Match(hash, tick)
	if !ok {
		return 0
	}
	return e
}

// An entity of the client is found by its hash, once.
//
// Proves: E2
func TestAHashFindsItsEntityOnce(t *testing.T) {
	b := newBench(t, 8)
	b.spawn(1, 100, 10)
	assert.Zero(t, b.match(101, 10), "another hash")
	assert.Zero(t, b.match(100, 9), "the server cannot have it before its tick")
	assert.Equal(t, 1, b.match(100, 12))
	assert.Zero(t, b.match(100, 12))
	b.Expire(500, 500, 400, b.drop)
	assert.Empty(t, b.drops, "it is the server's now")
	assert.Zero(t, b.Len())
	assert.Equal(t, Stats{Matched: 1}, b.Stats())
}

// An unmatched entity goes after its time, but not before all state of its tick has arrived, unless no
// rollback can reach the tick.
//
// Proves: E4
func TestAnUnmatchedEntityGoesAfterItsTime(t *testing.T) {
	b := newBench(t, 8)
	b.spawn(1, 100, 10)
	b.Expire(49, 48, 0, b.drop)
	assert.Empty(t, b.drops)
	b.Expire(50, 9, 0, b.drop)
	assert.Empty(t, b.drops, "the server's may still arrive")
	b.Expire(50, 10, 0, b.drop)
	assert.Equal(t, []int{1}, b.drops)
	b.spawn(2, 200, 60)
	b.Expire(110, 20, 61, b.drop)
	assert.Equal(t, []int{1, 2}, b.drops, "no rollback reaches it")
	assert.Equal(t, Stats{Unmatched: 2}, b.Stats())
}

// The replay of its tick spawns an absent entity again, matched or not. One that the replay does not
// spawn goes, if the server does not have it.
//
// Proves: E6
func TestAReplayRepeatsASpawn(t *testing.T) {
	b := newBench(t, 8)
	b.spawn(1, 100, 10)
	b.spawn(2, 200, 10)
	b.spawn(3, 300, 5)
	b.match(100, 10)
	var absent []int
	b.Restored(9, func(e int) { absent = append(absent, e) })
	assert.Equal(t, []int{1, 2}, absent)
	assert.True(t, b.Absent(2))
	assert.False(t, b.Absent(3))
	assert.Zero(t, b.match(200, 10), "it may not be spawned again")
	same, repeated := b.spawn(4, 100, 10)
	assert.True(t, repeated)
	assert.Equal(t, 1, same)
	same, repeated = b.spawn(5, 300, 10)
	assert.False(t, repeated, "a third is there")
	assert.Zero(t, same)
	b.Expire(12, 5, 0, b.drop)
	assert.Equal(t, []int{2}, b.drops, "nothing has spawned it")
	assert.Equal(t, Stats{Matched: 1, Merged: 1, Collisions: 1}, b.Stats())
}

// The first entity of a hash keeps it. A second one goes after its time, as one of which the server has
// none.
//
// Proves: E8
func TestTheFirstOfAHashKeepsIt(t *testing.T) {
	b := newBench(t, 8)
	b.spawn(1, 100, 10)
	b.spawn(2, 100, 10)
	assert.Equal(t, 1, b.match(100, 10))
	b.Arrived(3, 100, 10, 20)
	b.Expire(50, 50, 0, b.drop)
	assert.Equal(t, []int{2}, b.drops)
	assert.Equal(t, Stats{Matched: 1, Unmatched: 1, Collisions: 2}, b.Stats())
}

// A hash is free when its entity has ended: of a despawn and a spawn with one hash, the new one counts.
func TestAHashIsFreeWhenItsEntityEnds(t *testing.T) {
	b := newBench(t, 8)
	b.spawn(1, 100, 10)
	b.match(100, 10)
	b.Ended(1)
	b.Arrived(2, 100, 11, 10)
	same, repeated := b.spawn(3, 100, 11)
	assert.True(t, repeated)
	assert.Equal(t, 2, same, "the server's, of a tick that had not run yet")
	b.dead[2] = true
	_, repeated = b.spawn(4, 100, 12)
	assert.False(t, repeated)
	assert.Equal(t, 4, b.match(100, 12))
	assert.Zero(t, b.Stats().Collisions)
}

// While the server stands still, the client's ticks go on. Then its clock is set back, and a rollback goes back from
// there: the replay must find a matched entity that was older than any rollback before.
//
// Proves: E6
func TestAReplayAfterAStallRepeatsASpawn(t *testing.T) {
	b := newBench(t, 8)
	b.spawn(1, 100, 20)
	assert.Equal(t, 1, b.match(100, 25))
	b.Expire(90, 30, 30, b.drop) // the ticks after 30 have not arrived
	b.Restored(15, func(int) {}) // set back to 35, and from there to 15
	same, repeated := b.spawn(2, 100, 20)
	assert.True(t, repeated)
	assert.Equal(t, 1, same)
	b.Expire(90, 85, 30, b.drop)
	assert.Zero(t, b.Len())
	assert.Empty(t, b.drops)
}

// The number of entities is bounded: the oldest goes, and a server's entity is not held.
func TestTheOldestGoes(t *testing.T) {
	b := newBench(t, 100)
	for i := range 5000 {
		b.spawn(i+1, uint32(i+1), entangle.Tick(i))
		require.LessOrEqual(t, b.Len(), 100)
	}
	assert.Len(t, b.drops, 4900)
	b.Arrived(6000, 6000, 5000, 5000)
	assert.Equal(t, 100, b.Len())
	assert.Equal(t, Stats{Overflow: 4900}, b.Stats())
	b.Clear(b.drop)
	assert.Len(t, b.drops, 5000)
	assert.Zero(t, b.Len())
}

// As many entities as before allocate nothing, and neither does a tick without any.
func TestAMatcherAllocatesNothing(t *testing.T) {
	m := New(1000, func(int) bool { return true })
	tick, drop := entangle.Tick(1), func(int, State) {}
	step := func() {
		tick++
		for i := range 10 {
			m.Spawned(int(tick)*10+i, uint32(tick)*10+uint32(i), tick, tick+20, drop)
			if i%2 == 0 {
				m.Match(uint32(tick)*10+uint32(i), tick)
			}
		}
		m.Expire(tick, tick, tick-30, drop)
	}
	for range 1000 {
		step()
	}
	assert.Zero(t, alloctest.Count(100, step))
}
