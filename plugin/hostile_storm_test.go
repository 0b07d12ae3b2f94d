package plugin_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// storm is a source of frames with arbitrary content, nearly all of which can be decoded.
type storm struct {
	rng  *rand.Rand
	sent int
}

// wild returns a random number that is mostly small.
func (s *storm) wild() uint64 { return s.rng.Uint64() >> s.rng.IntN(64) }

// seldom is true once in n calls on average.
func (s *storm) seldom(n int) bool { return s.rng.IntN(n) == 0 }

// lane returns an input stream that a reader can decode to its end.
func (s *storm) lane() forged {
	l := forged{
		typ: s.rng.Uint64N(inputTypes), of: s.ref(), epoch: s.rng.Uint64N(8), value: s.rng.Uint64N(1 << 9),
		distance: int64(s.rng.IntN(140)) - 70, more: s.rng.Uint64N(64), table: s.rng.IntN(3),
	}
	if s.seldom(8) {
		l.distance = int64(s.rng.IntN(8000)) - 4000
	}
	if s.seldom(4) {
		l.body = s.runs(l)
	}
	return l
}

// ref returns a possible network id, the first one half of the time.
func (s *storm) ref() repl.Ref {
	if s.seldom(2) {
		return wireName(0)
	}
	of := wireName(repl.Handle(s.wild()%repl.MaxGroups) + repl.Private*repl.Handle(s.rng.IntN(2)))
	of.ID.Member, of.Yours = repl.Member(s.wild()%repl.MaxMembers), !s.seldom(5)
	return of
}

// runs returns the body of a value, with ticks without a value and gaps in between.
func (s *storm) runs(l forged) func(w *bits.Writer) {
	first := s.rng.IntN(2)
	return func(w *bits.Writer) {
		for n := 0; n <= int(l.more); n++ {
			switch (n + first) % 3 {
			case 1:
				w.Bits(0, 2) // none
			case 2:
				w.Bits(2, 2) // a gap
			default:
				w.Bool(true)
				if l.typ == glanceType {
					w.Uvarint(uint64(min(l.table, 1)))
				} else {
					w.Bits(l.value, 9)
				}
			}
			if int(l.more)-n > 0 {
				w.Bool(true) // one tick
			}
		}
	}
}

// mutate truncates one frame in a thousand, flips bits of it or replaces it by noise.
func (s *storm) mutate(b []byte) []byte {
	s.sent++
	if !s.seldom(1000) || len(b) == 0 {
		return b
	}
	switch s.rng.IntN(3) {
	case 0:
		return b[:s.rng.IntN(len(b))]
	case 1:
		b[s.rng.IntN(len(b))] ^= 1 << s.rng.IntN(8)
		return b
	}
	return noiseOf(s.rng, s.rng.IntN(100))
}

// inputs returns a frame of input streams.
func (s *storm) inputs() []byte {
	lanes := make([]forged, 1+s.rng.IntN(4))
	for i := range lanes {
		lanes[i] = s.lane()
	}
	return s.mutate(frameOf(lanes...))
}

// tick returns a tick near now, or any tick.
func (s *storm) tick(now entangle.Tick) entangle.Tick {
	if s.seldom(10) {
		return now + entangle.Tick(s.wild())
	}
	return now + entangle.Tick(s.rng.IntN(12)-4)
}

// strike sends the frames of one tick: twice the inputs that the server accepts, and pings.
func (s *storm) strike(a *arena) {
	now := a.server.Tick()
	for range 4 {
		a.sendInputs(s.tick(now), s.inputs())
	}
	for range 6 {
		a.sendFrame(peer.Clock, s.tick(now), s.mutate(noiseOf(s.rng, 1)))
	}
}

// A client sends a hundred thousand frames of inputs and pings, nearly all of which can be decoded.
// In every tick, entities that it does not drive are as without it. The other clients stay
// connected, the server's memory does not grow, and it counts the inputs that it refused.
//
// Proves: Z11, Z12, Z13
func TestAStormOfInputsAndPings(t *testing.T) {
	const seed = 7
	t.Logf("seed %d; repeat with: go test ./plugin -run TestAStormOfInputsAndPings", seed)
	frames := 100_000
	if testing.Short() {
		frames /= 10
	}
	a := newArena(t)
	a.sums = make([]uint64, 0, frames)
	s := storm{rng: rand.New(rand.NewPCG(seed, 8))}
	before := heap()
	for s.sent < frames {
		a.strike(1, func() { s.strike(a) })
	}
	assert.Less(t, heap(), before+2<<20)
	for _, c := range a.clients {
		assert.Equal(t, plugin.Connected, c.State(), c.Err())
	}
	stats := a.server.Stats().Inputs
	assert.Greater(t, stats.Refused, uint64(frames/10))
	assert.Greater(t, stats.TooFar, uint64(frames/10))
	assert.Greater(t, stats.Flooded, uint64(frames/10))
	assert.Greater(t, a.broken(), uint64(frames/10_000))

	calm := newArena(t)
	calm.sums = make([]uint64, 0, len(a.sums))
	calm.strike(len(a.sums), nil)
	for i := range a.sums {
		require.Equal(t, calm.sums[i], a.sums[i], "tick %d of the storm", i)
	}
}
