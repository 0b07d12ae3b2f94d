package input_test

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// benchClients is how many players one operation is for.
const benchClients = 200

// BenchmarkServerTick reads a frame of six ticks of each of 200 players, and takes the
// tick of each: what a server does in a tick.
func BenchmarkServerTick(b *testing.B) {
	b.ReportAllocs()
	const cycle = 64
	var frames [cycle][]byte
	w := newWriter()
	var c input.Composer
	for i := range entangle.Tick(2 * cycle) {
		w.Write(i, 0, hands{X: uint8(i / 10), Y: 1}.bytes())
		c.Begin(nil, 1100, i, &input.Shown{Tick: i - 20})
		c.Pack([]input.OwnLane{{Writer: w}}, names{}, 6, uint16(i))
		frames[i%cycle] = c.Finish()
	}
	var lanes []*input.Reader
	for range benchClients {
		lanes = append(lanes, newReader(0))
	}
	var f input.Frame
	for i := 0; b.Loop(); i++ {
		tick := entangle.Tick(i)
		for _, lane := range lanes {
			f.Open(frames[i%cycle], tick, 1)
			take(&f, lane)
			lane.Take(tick - 2)
		}
	}
}

// BenchmarkPassOn encodes the lanes of 200 players, and copies each into 199 frames.
func BenchmarkPassOn(b *testing.B) {
	b.ReportAllocs()
	w := newWriter()
	for tick := range entangle.Tick(100) {
		w.Write(tick, 0, hands{X: uint8(tick / 10), Y: 1}.bytes())
	}
	bodies, composers := make([]input.Body, benchClients), make([]input.Composer, benchClients)
	buffer := make([]byte, 0, 4096)
	for b.Loop() {
		for i := range bodies {
			bodies[i].Encode(w, 99, 6)
		}
		for i := range composers {
			c := &composers[i]
			c.BeginDown(buffer, 4000, 99)
			for j := range bodies {
				c.Lane(0).Uvarint(uint64(j))
				c.Put(&bodies[j])
			}
			c.Finish()
		}
	}
}
