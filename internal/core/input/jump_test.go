package input_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// packed sends all unsent ticks of a stream.
func packed(w *input.Writer, header entangle.Tick, packet uint16) []byte {
	var c input.Composer
	c.Begin(nil, 1100, header)
	c.Pack([]input.OwnStream{{Writer: w}}, names{}, nil, input.MaxTicks, packet)
	return c.Finish()
}

func TestAJumpForwardKeepsInputsInFlight(t *testing.T) {
	w := newWriter()
	w.Write(10, 3, hands{X: 1, Press: 1}.bytes())
	packed(w, 10, 1)
	w.Write(11, 3, hands{X: 1, Press: 2}.bytes()) // no packet is sent
	w.Jump(20)
	w.Write(32, 3, hands{X: 2}.bytes())
	requireActs(
		t, w,
		acts{13, input.Fresh, hands{X: 1, Press: 1}},
		acts{14, input.Repeated, hands{X: 1}},
		acts{34, input.Fresh, hands{X: 1, Press: 2}},
		acts{35, input.Fresh, hands{X: 2}},
	)
}

func TestAJumpBackKeepsTheEvents(t *testing.T) {
	w := newWriter()
	for tick := entangle.Tick(90); tick < 100; tick++ {
		w.Write(tick, 2, hands{X: uint8(tick), Press: uint16(tick)}.bytes())
	}
	w.Write(100, 2, hands{X: 100}.bytes())
	w.Jump(-6) // tick 94 has run again, and the next input is for 97
	requireActs(
		t, w,
		acts{95, input.Fresh, hands{X: 93, Press: 93}},
		acts{96, input.Fresh, hands{X: 94, Press: 94}},
		acts{97, input.Repeated, hands{X: 94}},
	)
	w.Write(95, 2, hands{X: 5}.bytes())
	w.Write(96, 2, hands{X: 6}.bytes())
	requireActs(t, w, acts{97, input.Fresh, hands{X: 5, Press: 99}}, acts{98, input.Fresh, hands{X: 6}})
}

func TestAJumpForwardLeavesAHole(t *testing.T) {
	w := newWriter()
	w.Write(10, 1, hands{X: 1}.bytes())
	packed(w, 10, 1)
	w.Jump(20)
	w.Write(31, 1, hands{X: 2}.bytes())
	requireActs(
		t, w,
		acts{11, input.Fresh, hands{X: 1}},
		acts{12, input.Repeated, hands{X: 1}},
		acts{30, input.Repeated, hands{X: 1}},
		acts{31, input.Fresh, hands{X: 1}}, // repeated until the next input acts
		acts{32, input.Fresh, hands{X: 2}},
	)
}

func TestAWaitingEventSurvivesAJumpBack(t *testing.T) {
	w := newWriter()
	w.Write(10, 3, hands{Press: 1}.bytes())
	w.Write(11, 0, hands{Press: 2}.bytes()) // this input waits
	w.Jump(-4)
	w.Write(8, 0, hands{}.bytes())
	w.Write(9, 0, hands{}.bytes())
	w.Write(10, 0, hands{}.bytes())
	requireActs(t, w, acts{10, input.Fresh, hands{Press: 2}})
}

// The server may have run the tick, so the server decides whether the event acts.
func TestAnEventThatWasSentIsNotWrittenAgain(t *testing.T) {
	w := newWriter()
	w.Write(109, 0, hands{Press: 1}.bytes())
	packed(w, 109, 1)
	w.Write(110, 0, hands{X: 1}.bytes())
	w.Jump(-8)
	w.Write(103, 0, hands{X: 2}.bytes())
	requireActs(t, w, acts{103, input.Fresh, hands{X: 2}})
}

// Packets sent before a jump back do not count for the ticks that are written again.
func TestTicksAfterAJumpBackAreSentAgain(t *testing.T) {
	w := newWriter()
	for tick := entangle.Tick(95); tick <= 110; tick++ {
		w.Write(tick, 0, hands{X: 1}.bytes())
	}
	packed(w, 110, 1)
	w.Jump(-8)
	for tick := entangle.Tick(103); tick < 107; tick++ {
		w.Write(tick, 0, hands{X: 2}.bytes())
	}
	w.HandleAcked(1)
	require.Equal(t, 4, w.Wants(0))
	require.Equal(t, 4, w.Wants(input.MaxTicks), "a frame has no tick from before the jump")
}

func TestAJumpBackIsNoNewBeginning(t *testing.T) {
	w := newWriter()
	w.Write(99, 0, hands{}.bytes())
	w.Write(100, 0, hands{}.bytes())
	w.Jump(-50)
	requireActs(t, w, acts{48, input.Unknown, hands{}}, acts{50, input.None, hands{}}, acts{100, input.None, hands{}})
}

func TestTheServerDropsWaitingInputsFromBeforeAJumpBack(t *testing.T) {
	w, stream := newWriter(), newReader(90)
	for tick := entangle.Tick(95); tick <= 110; tick++ {
		w.Write(tick, 0, hands{X: 1, Press: uint16(tick)}.bytes())
	}
	old := packed(w, 110, 1)
	_, err := read(old, 110, stream)
	require.NoError(t, err)
	w.Jump(-8)
	w.Write(103, 0, hands{X: 2}.bytes())
	frame := packed(w, 103, 2)
	_, err = read(frame, 103, stream)
	require.NoError(t, err)
	_, err = read(old, 110, stream) // a packet that a newer one overtook
	require.NoError(t, err)
	requireActs(
		t, stream,
		acts{101, input.Fresh, hands{X: 1, Press: 101}},
		acts{102, input.Fresh, hands{X: 1, Press: 102}},
		acts{103, input.Fresh, hands{X: 2, Press: 110}}, // the newest of the presses that did not act
		acts{104, input.Repeated, hands{X: 2}},
	)
	require.Equal(t, uint64(16), stream.Stats().Old)
}

// However the clock jumps, no press acts twice, or after a newer press, and the newest press acts.
//
// Proves: I4
// Proves: Z12
func TestJumpsDuplicateNothing(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		p := newPlay(t, rng, 100_000, 40)
		p.inTime, p.loss = input.MaxTicks, 0.2*float64(rng.IntN(2))
		p.delay = rng.IntN(30)
		var h hands
		for range 500 {
			if rng.IntN(25) == 0 {
				p.jump(rng.IntN(80) - 40)
			}
			h = p.draw(h)
			p.step(h)
		}
		p.drain()
		for i, press := range p.acted[1:] {
			require.Greater(t, press, p.acted[i])
		}
		require.Equal(t, p.pressed[len(p.pressed)-1], p.acted[len(p.acted)-1])
		require.Greater(t, len(p.acted), len(p.pressed)/2)
	})
}

// jump moves the client's clock, but not so far that the next input is late.
func (p *play) jump(by int) {
	lead := int(p.tick.Sub(p.server))
	by = min(max(by, 8-lead-p.delay), 60-p.delay-lead)
	p.tick += entangle.Tick(by)
	p.w.Jump(int32(by))
}
