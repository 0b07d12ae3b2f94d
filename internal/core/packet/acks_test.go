package packet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// plainAcks is a simple version of handleAcks that examines every id of a header.
func plainAcks(t *Tracker, h Header, at time.Duration) {
	newest := t.sent.newest()
	behind := newest - uint64(h.Ack)
	behind &= 0xffff
	if behind >= 1<<15 || behind > newest {
		t.stats.BadAcks++
		return
	}
	seq := newest - behind
	for back := uint64(WindowSize - 1); back >= 1; back-- {
		switch {
		case h.AckBits>>(back-1)&1 == 0:
		case back > seq:
			t.stats.BadAcks++
		default:
			t.handleAck(seq-back, at)
		}
	}
	if t.handleAck(seq, at) {
		t.rtt.sample(at-t.sent.slot(seq).sentAt(), h.AckDelay)
	}
}

// Acknowledgements that an earlier header contained are skipped. This changes nothing, for headers
// of any peer in any order.
//
// Proves: P2, Z9
func TestAcknowledgementsEqualPlainTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ours, plain := NewTracker(Config{}), NewTracker(Config{})
		for n := range rapid.IntRange(1, 60).Draw(t, "rounds") {
			now := after(time.Duration(n) * 20 * time.Millisecond)
			for range rapid.IntRange(0, 40).Draw(t, "sent") {
				ours.Next(now, 0, Data)
				plain.Next(now, 0, Data)
			}
			ack := uint16(ours.sent.newest()) - uint16(rapid.IntRange(-1, 90).Draw(t, "behind"))
			bits := rapid.SampledFrom([]uint32{0, 1<<32 - 1, rapid.Uint32().Draw(t, "bits")}).Draw(t, "which")
			delay := delayOf(byte(rapid.IntRange(0, 63).Draw(t, "delay")))
			h, at := Header{Ack: ack, AckBits: bits, AckDelay: delay}, now.Sub(epoch)
			ours.handleAcks(h, at)
			plainAcks(plain, h, at)
			assert.Equal(t, polledAcked(plain), polledAcked(ours))
			assert.Equal(t, polledLost(plain, now), polledLost(ours, now))
			assert.Equal(t, plain.Stats(), ours.Stats())
			assert.Equal(t, plain.newestAcked, ours.newestAcked)
			assert.Equal(t, plain.rtt, ours.rtt)
		}
	})
}
