package packet

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// What the headers of a frame withhold, because it came after a newer id, is due in the next frame and not in the same
// one: a client that sends a header while one is due would never end.
func TestWhatIsWithheldIsDueInTheNextFrame(t *testing.T) {
	w := window{ordered: true}
	for _, id := range []uint16{1, 3, 2} {
		w.recordID(id, 10)
	}
	assert.True(t, w.due(20, 5))
	assert.Equal(t, uint32(0b10), w.acknowledge(20)&3)
	assert.False(t, w.due(20, 5))
	assert.Equal(t, uint32(0b10), w.acknowledge(20)&3)
	assert.False(t, w.due(20, 5))
	assert.True(t, w.due(21, 5))
	assert.Equal(t, uint32(0b11), w.acknowledge(21)&3)
	assert.False(t, w.due(21, 5))
	assert.False(t, w.due(99, 5))
}

// Many packets may be read in one frame: of a full window all is acknowledged.
func TestAFullWindowWithholdsNothing(t *testing.T) {
	w, acked := window{ordered: true}, map[uint16]bool{}
	header := func() {
		h := w.acknowledge(20)
		acked[w.newest] = true
		for back := range 32 {
			acked[w.newest-1-uint16(back)] = acked[w.newest-1-uint16(back)] || h>>back&1 != 0
		}
	}
	for first := uint16(1); first < 1000; first += 2 {
		for _, id := range []uint16{first + 1, first} {
			w.recordID(id, 20)
			if w.full() {
				header()
			}
		}
	}
	for sent := 0; w.due(20, 0) && sent < 3; sent++ {
		header()
	}
	assert.False(t, w.due(20, 0))
	for id := uint16(1); id < 1000-AckEvery; id++ {
		assert.True(t, acked[id], "%d", id)
	}
}

// An id is not acknowledged before a newer one that arrived before it: what came after a header of a frame is withheld
// in the next frame, and so is an older id that arrives only then. The peer would take an update that was dropped as
// the baseline of differences.
func TestNoIDIsAcknowledgedBeforeANewerOneThatArrivedBeforeIt(t *testing.T) {
	w := window{ordered: true}
	w.recordID(3, 10)
	assert.Equal(t, uint32(0), w.acknowledge(10)&3)
	w.recordID(2, 10)
	w.recordID(1, 20)
	assert.Equal(t, uint32(0), w.acknowledge(20)&3)
	assert.Equal(t, uint32(0b11), w.acknowledge(30)&3)
}

// In any order of ids, frames and headers, each header that acknowledges an id has all newer ones that arrived before it.
func TestHeadersHaveWhatArrivedBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, at := window{ordered: true}, time.Duration(1)
		var arrived []uint16
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				at++
			case 1:
				acked, has := w.acknowledge(at), map[uint16]bool{w.newest: true}
				for back := range uint16(32) {
					has[w.newest-1-back] = acked>>back&1 != 0
				}
				for i, id := range arrived {
					for _, before := range arrived[:i] {
						if has[id] && before > id && !has[before] {
							t.Fatalf("a header has %d and not %d, which arrived before it", id, before)
						}
					}
				}
			default:
				if id := rapid.Uint16Range(1, 32).Draw(t, "id"); id != w.newest {
					if fresh, _ := w.recordID(id, at); fresh {
						arrived = append(arrived, id)
					}
				}
			}
		}
	})
}

// plainWindow is a simple version of window: it stores every packet that arrived, by its number
// before truncation to 16 bits.
type plainWindow struct {
	arrived map[int]bool
	newest  int
}

func (p *plainWindow) receive(n int) bool {
	if p.arrived[n] || n <= p.newest-WindowSize {
		return false
	}
	p.arrived[n] = true
	p.newest = max(p.newest, n)
	return true
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
		}
	})
}

// An id that arrived after a newer one is acknowledged after it, so that the peer knows the order, however many
// arrive before a header is sent. Headers that are sent at the same time may arrive in any order.
//
// Proves: L1
func TestAcknowledgementsTellTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := window{ordered: true}
		var arrived, acked []uint16
		known := map[uint16]bool{}
		handle := func(h Header) {
			for back := 31; back >= 0; back-- { // the oldest first, as the peer handles them
				if id := h.Ack - 1 - uint16(back); h.AckBits>>back&1 != 0 && !known[id] && id > 0 {
					known[id], acked = true, append(acked, id)
				}
			}
			if !known[h.Ack] && h.Ack > 0 {
				known[h.Ack], acked = true, append(acked, h.Ack)
			}
		}
		now, sent := time.Duration(1), []Header(nil)
		pass := func() {
			for now++; len(sent) > 0; {
				i := rapid.IntRange(0, len(sent)-1).Draw(t, "first")
				handle(sent[i])
				sent = slices.Delete(sent, i, i+1)
			}
		}
		header := func() { sent = append(sent, Header{Ack: w.newest, AckBits: w.acknowledge(now)}) }
		for range rapid.IntRange(1, 60).Draw(t, "packets") {
			id := uint16(max(1, int(w.newest)+rapid.IntRange(-6, 3).Draw(t, "ahead")))
			if fresh, _ := w.recordID(id, now); fresh {
				arrived = append(arrived, id)
			}
			switch rapid.IntRange(0, 5).Draw(t, "header") {
			case 0, 1:
				header()
				pass()
			case 2:
				header()
			}
			if w.full() { // one is sent at once
				header()
				pass()
			}
		}
		for range 3 {
			header()
			pass()
		}
		assert.False(t, w.due(1000, 1), "nothing waits any more")
		place := map[uint16]int{}
		for i, id := range acked {
			place[id] = i
		}
		newest := uint16(0)
		for i, id := range arrived {
			at, all := place[id]
			assert.True(t, all, "%d", id)
			if id < newest {
				continue // the peer knows already that it is too late
			}
			newest = id
			for _, later := range arrived[i+1:] {
				if later < id { // the peer takes it to have been too late
					assert.Less(t, at, place[later], "%d came before %d: %v, acknowledged %v", id, later, arrived, acked)
				}
			}
		}
	})
}
