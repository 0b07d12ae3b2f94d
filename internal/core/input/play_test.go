package input_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// play is a player, a line that loses, duplicates and reorders packets, and a server that runs a
// few ticks behind.
type play struct {
	t   *testing.T
	rng *rand.Rand

	tick    entangle.Tick // the client's tick
	delay   int
	w       *input.Writer
	c       input.Composer
	streams []input.OwnStream

	loss   float64
	inTime int
	packet uint16
	flying []flight
	acks   []flight

	server entangle.Tick // the last tick that the server ran
	stream *input.Reader

	press   uint16
	pressed []uint16 // presses in the order of writing
	acted   []uint16 // presses in the order in which they acted on the server
	missed  int      // ticks in which the server repeated an input, or had no input
	late    int      // inputs that arrived after their tick
	bytes   int
	frames  int
}

type flight struct {
	at     int // steps from now
	tick   entangle.Tick
	packet uint16
	frame  []byte
}

// newPlay makes a play in which the server runs slack ticks behind.
func newPlay(t *testing.T, rng *rand.Rand, start entangle.Tick, slack int) *play {
	p := &play{
		t: t, rng: rng, tick: start, inTime: slack, server: start - entangle.Tick(slack),
		w: input.NewWriter(codec{}, 60, 0), stream: newReader(start - entangle.Tick(slack)),
	}
	p.streams = []input.OwnStream{{Writer: p.w}}
	return p
}

// step runs one tick of both sides.
func (p *play) step(h hands) {
	p.tick++
	if h.Press != 0 {
		p.pressed = append(p.pressed, h.Press)
	}
	p.w.Write(p.tick, p.delay, h.bytes())
	p.send()
	p.arrive()
	p.serve()
}

func (p *play) send() {
	p.packet++
	p.c.Begin(nil, 1100, p.tick)
	p.c.Pack(p.streams, names{}, nil, p.inTime, p.packet)
	frame := p.c.Finish()
	if len(frame) == 0 {
		return
	}
	p.bytes += len(frame)
	p.frames++
	for copies := p.rng.IntN(10)/9 + 1; copies > 0; copies-- {
		if p.rng.Float64() >= p.loss {
			p.flying = append(p.flying, flight{p.rng.IntN(3), p.tick, p.packet, frame})
		}
	}
}

func (p *play) arrive() {
	p.flying = p.landed(p.flying, func(f flight) {
		brought, err := read(f.frame, f.tick, p.stream)
		require.NoError(p.t, err)
		for late := brought[0].Late; late != 0; late &= late - 1 {
			p.late++
		}
		p.acks = append(p.acks, flight{at: 3, packet: f.packet})
	})
	p.acks = p.landed(p.acks, func(f flight) {
		if p.rng.Float64() >= p.loss {
			p.w.HandleAcked(f.packet)
		} else {
			p.w.HandleLost(f.packet)
		}
	})
}

// landed calls each for the packets that have arrived, and returns the packets that have not.
func (p *play) landed(all []flight, each func(flight)) (rest []flight) {
	for _, f := range all {
		if f.at--; f.at < 0 {
			each(f)
		} else {
			rest = append(rest, f)
		}
	}
	return rest
}

func (p *play) serve() {
	p.server++
	v, s := p.stream.Take(p.server)
	if h := handsOf(v); h.Press != 0 {
		p.acted = append(p.acted, h.Press)
	}
	if s == input.Repeated || s == input.None {
		p.missed++
	}
}

// drain continues without new inputs until all inputs have acted.
func (p *play) drain() {
	for range 200 {
		p.step(hands{})
	}
}

// eachActedOnce requires that all presses acted, in their order.
func (p *play) eachActedOnce() {
	p.t.Helper()
	for i := range min(len(p.pressed), len(p.acted)) {
		require.Equal(p.t, p.pressed[i], p.acted[i], "press %d", i)
	}
	require.Len(p.t, p.acted, len(p.pressed))
}

// draw returns the hands of a tick: sticks are held for a while, and presses occur alone and in
// series.
func (p *play) draw(last hands) hands {
	last.Press = 0
	if p.rng.IntN(10) == 0 {
		last.X, last.Y = uint8(p.rng.IntN(256)), uint8(p.rng.IntN(256))
	}
	if p.rng.IntN(4) == 0 {
		p.press++
		last.Press = p.press
	}
	return last
}

// Proves: I2
// Proves: Z12
func TestALossyLineLosesAndDuplicatesNothing(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		p := newPlay(t, rng, -entangle.Tick(rng.Uint32N(600)), 14)
		p.loss = 0.25
		var h hands
		for range 600 {
			h = p.draw(h)
			p.step(h)
		}
		p.drain()
		p.eachActedOnce()
		require.Zero(t, p.missed)
	})
}

// Proves: I10
func TestEachPressActsOnceWhateverTheDelayDoes(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		p := newPlay(t, rng, entangle.Tick(rng.Uint32()), 28)
		p.loss, p.inTime = 0.2, 48 // the number covers the lead over the server and the delay
		var h hands
		for range 1000 {
			if rng.IntN(15) == 0 {
				p.delay = rng.IntN(20)
			}
			if rng.IntN(60) == 0 { // a stall: the client's clock advances, and so does the server
				by := rng.IntN(12)
				p.tick += entangle.Tick(by)
				p.w.Jump(int32(by))
				for range by {
					p.serve()
				}
			}
			h = p.draw(h)
			p.step(h)
		}
		p.drain()
		p.eachActedOnce()
	})
}

// A held value acts as it was written, delay ticks later, on both sides. While the delay changes,
// the value that acts at a tick was written at most a delay earlier.
//
// Proves: I3
// Proves: I10
func TestHeldValuesActAfterTheDelay(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		p := newPlay(t, rng, 1000, 14)
		written := map[entangle.Tick]hands{}
		for range 40 {
			p.delay = rng.IntN(30)
			steady := p.tick + entangle.Tick(p.delay) + 1
			for range 40 {
				h := hands{X: uint8(rng.IntN(256)), Y: uint8(rng.IntN(256))}
				p.step(h)
				written[p.tick] = h
				if !p.tick.Before(steady + 31) {
					want := written[p.tick-entangle.Tick(p.delay)]
					v, s := p.w.At(p.tick)
					require.Equal(t, input.Fresh, s)
					require.Equal(t, want, handsOf(v), "tick %d, delay %d", p.tick, p.delay)
				}
			}
		}
	})
}

// An input that acted on the client acts on the server in the same tick, and a replay reads the
// same input, for History ticks.
//
// Proves: I4
func TestInputsThatActedDoNotChange(t *testing.T) {
	run(t, func(t *testing.T, rng *rand.Rand) {
		p := newPlay(t, rng, 5000, 14)
		type acted struct {
			hands  hands
			status input.Status
		}
		client, server := map[entangle.Tick]acted{}, map[entangle.Tick]acted{}
		var h hands
		for range 400 {
			if rng.IntN(15) == 0 {
				p.delay = rng.IntN(20)
			}
			h = p.draw(h)
			p.step(h)
			v, s := p.w.At(p.tick)
			client[p.tick] = acted{handsOf(v), s}
			v, s = p.stream.At(p.server)
			server[p.server] = acted{handsOf(v), s}
			back := entangle.Tick(rng.IntN(input.History + 1))
			if want, ok := client[p.tick-back]; ok {
				v, s = p.w.At(p.tick - back)
				require.Equal(t, want, acted{handsOf(v), s}, "client, %d back", back)
			}
			if want, ok := server[p.server-back]; ok {
				v, s = p.stream.At(p.server - back)
				require.Equal(t, want, acted{handsOf(v), s}, "server, %d back", back)
			}
			if want, ok := client[p.server]; ok && want.status == input.Fresh {
				require.Equal(t, want, server[p.server], "tick %d", p.server)
			}
		}
	})
}
