package channel

import (
	"testing"
	"time"
)

// BenchmarkFragmentsWithoutRoom measures a packet full of last fragments of one byte, each of which
// makes the receiver drop its oldest message. "room" measures the same packet at a receiver that
// has memory for all of it.
func BenchmarkFragmentsWithoutRoom(b *testing.B) {
	for name, room := range map[string]bool{"room": true, "full": false} {
		b.Run(name, func(b *testing.B) {
			m := newMux(b, everyMode()...)
			now, packet, frames := epoch, []byte(nil), 0
			for n := 0; b.Loop(); n++ {
				if packet, frames = rests(packet[:0], n); room {
					now = now.Add(ReassemblyTimeout)
				}
				if err := m.HandleFrames(packet, now); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed()/time.Nanosecond)/float64(b.N*frames), "ns/frame")
		})
	}
}

// rests appends as many last fragments of new messages on an unreliable channel as fit.
func rests(b []byte, packet int) (_ []byte, frames int) {
	for ; ; frames++ {
		f := frame{
			id: ID(UnorderedUnreliable), hasID: true, message: uint16(packet*fullRoom + frames),
			fragment: true, index: 60, final: 60, body: []byte{1},
		}
		if len(b)+frameSize(&f) > fullRoom {
			return b, frames
		}
		b = appendFrame(b, f)
	}
}
