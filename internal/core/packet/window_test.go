package packet

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// plainWindow is a simple version of window: it stores every packet that arrived, by its number
// before truncation to 16 bits.
type plainWindow struct {
	arrived map[int]bool
	newest  int
	unacked []int // since the last acknowledgement
}

func (p *plainWindow) receive(n int) bool {
	if p.arrived[n] || n <= p.newest-WindowSize {
		return false
	}
	p.arrived[n] = true
	p.newest = max(p.newest, n)
	p.unacked = append(p.unacked, n)
	return true
}

// full reports whether the next packets could push an unacknowledged one out of the window.
func (p *plainWindow) full() bool {
	return len(p.unacked) >= AckEvery || len(p.unacked) > 0 && p.newest-slices.Min(p.unacked) >= AckEvery
}

func (p *plainWindow) bits() (bits uint32) {
	for i := range 32 {
		if n := p.newest - 1 - i; p.arrived[n] {
			bits |= 1 << i
		}
	}
	return bits
}

// Proves: P1, P2
func TestWindowEqualsPlainTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.SampledFrom([]int{1, 65500, 131060}).Draw(t, "first")
		plain := plainWindow{arrived: map[int]bool{first - 1: true}, newest: first - 1}
		w := window{newest: uint16(first - 1)}
		for range rapid.IntRange(1, 200).Draw(t, "packets") {
			n := max(first, plain.newest+rapid.IntRange(-45, 45).Draw(t, "ahead"))
			fresh, _ := w.recordID(uint16(n), 0)
			assert.Equal(t, plain.receive(n), fresh, "packet %d", n)
			assert.Equal(t, uint16(plain.newest), w.newest)
			assert.Equal(t, plain.bits(), w.bits)
			assert.Equal(t, plain.full(), w.full())
			if rapid.IntRange(0, 5).Draw(t, "acknowledge") == 0 {
				w.acknowledge()
				plain.unacked = nil
			}
		}
	})
}
