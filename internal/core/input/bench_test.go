package input_test

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// benchClients is the number of players per operation.
const benchClients = 200

// BenchmarkServerTick reads a frame of six ticks of each of 200 players, and takes the tick of
// each: the work of a server in a tick.
func BenchmarkServerTick(b *testing.B) {
	b.ReportAllocs()
	const cycle = 64
	var frames [cycle][]byte
	w := newWriter()
	var c input.Composer
	var screens input.Screens
	for i := range entangle.Tick(2 * cycle) {
		w.Write(i, 0, hands{X: uint8(i / 10), Y: 1}.bytes())
		screens.Write(i, screenAt(i))
		c.Begin(nil, 1100, i)
		c.Pack([]input.OwnStream{{Writer: w}}, names{}, &screens, 6, uint16(i))
		frames[i%cycle] = c.Finish()
	}
	var streams []*input.Reader
	for range benchClients {
		streams = append(streams, newReader(0))
	}
	var f input.Frame
	for i := 0; b.Loop(); i++ {
		tick := entangle.Tick(i)
		for _, stream := range streams {
			f.Open(frames[i%cycle], tick, 1, 1)
			take(&f, stream)
			stream.Take(tick - 2)
		}
	}
}

// BenchmarkRelay encodes the streams of 200 players, and copies each into 199 frames.
func BenchmarkRelay(b *testing.B) {
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
			c.Begin(buffer, 4000, 99)
			for j := range bodies {
				c.Stream(0).Uvarint(uint64(j))
				c.Put(&bodies[j])
			}
			c.Finish()
		}
	}
}
