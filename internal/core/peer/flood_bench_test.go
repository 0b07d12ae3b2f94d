package peer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
)

// BenchmarkFlood measures the work of a server for one packet of a client that floods it: a packet with
// a ping, with a message that has arrived before, and with as many of these as fit.
func BenchmarkFlood(b *testing.B) {
	ping := []byte{byte(peer.Clock), 1, 7}
	for _, c := range []struct {
		name  string
		frame func(n int) []byte
		many  int
	}{
		{"ping", func(int) []byte { return ping }, 1},
		{"duplicate", func(int) []byte { return frameOf(byte(peer.FirstMessages), 0, []byte{1}) }, 1},
		{"duplicates", func(int) []byte { return frameOf(byte(peer.FirstMessages), 0, []byte{1}) }, 220},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newPair(b, 1, 1)
			meter := timesync.NewMeter(timesync.MeterConfig{TickRate: 60})
			server, err := peer.New(peer.Config{
				Registry: registry(1), Inbox: &p.mail, Clock: meter,
				OnPacket: func(_ uint16, t entangle.Tick, _ time.Time) { meter.PacketReceived(t, t) },
			})
			require.NoError(b, err)
			var f forge
			require.NoError(b, server.HandlePayload(f.payload(f.say(hello(1)...)), p.now))
			require.NoError(b, server.HandlePayload(f.payload(frameOf(byte(peer.FirstMessages), 0, []byte{1})), p.now))
			var frames [][]byte
			for n := range c.many {
				frames = append(frames, c.frame(n))
			}
			var out []byte
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, server.HandlePayload(f.payload(frames...), p.now))
				out = server.AppendAck(out[:0], 1, p.now)
			}
		})
	}
}
