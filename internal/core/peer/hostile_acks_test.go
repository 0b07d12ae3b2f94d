package peer_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
)

// acker is a client that chooses which of the sent packets it acknowledges.
type acker struct {
	rng     *rand.Rand
	newest  uint16        // id of the server's newest packet
	actions [1 << 16]bool // by packet id: whether the packet has structure
	bytes   int           // bytes that the server has sent
	old     [][6]byte
	// choose writes the acknowledgements of one packet.
	choose func(a *acker, ack []byte)
}

// drops replaces pair.drops: it loses nothing, and rewrites the client's acknowledgements.
func (a *acker) drops(p *pair) func(*peer.Peer, []byte) bool {
	return func(from *peer.Peer, b []byte) bool {
		h, _, err := packet.ParseHeader(b)
		require.NoError(p.t, err)
		switch {
		case from != p.server:
			a.choose(a, b[3:9])
		case h.Kind == packet.Data:
			a.bytes += len(b)
			a.newest = h.ID
			a.actions[a.newest] = len(b) > packet.HeaderSize && b[packet.HeaderSize]&0x3f == byte(peer.Actions)
		}
		return false
	}
}

func putAck(to []byte, ack uint16, bits uint32) {
	binary.LittleEndian.PutUint16(to, ack)
	binary.LittleEndian.PutUint32(to[2:], bits)
}

// before returns the newest of the last packets that has structure, or that has none.
func (a *acker) before(structure bool) uint16 {
	for id := a.newest; id != a.newest-200; id-- {
		if a.actions[id] == structure {
			return id
		}
	}
	return a.newest - 200
}

// ackers are the ways in which a hostile client may acknowledge.
var ackers = map[string]func(*acker, []byte){
	"the newest and no other": func(a *acker, to []byte) { putAck(to, a.newest, 0) },
	"one in fifty":            func(a *acker, to []byte) { putAck(to, a.newest/50*50, 0) },
	"what is long past":       func(a *acker, to []byte) { putAck(to, a.newest-min(a.newest, 900), 0) },
	"any": func(a *acker, to []byte) {
		putAck(to, a.newest-uint16(a.rng.IntN(100)), a.rng.Uint32())
	},
	"what it has acknowledged before": func(a *acker, to []byte) {
		if len(a.old) < 1000 {
			a.old = append(a.old, [6]byte(to))
		} else {
			a.old[a.rng.IntN(len(a.old))] = [6]byte(to)
		}
		copy(to, a.old[a.rng.IntN(len(a.old))][:])
	},
	"values and no structure": func(a *acker, to []byte) {
		id, bits := a.before(false), uint32(0)
		for i := range uint16(32) {
			if !a.actions[id-1-i] {
				bits |= 1 << i
			}
		}
		putAck(to, id, bits)
	},
	"structure and no values": func(a *acker, to []byte) { putAck(to, a.before(true), 0) },
}

// maxActionsOften is how many times as many bytes as an honest client a hostile one can cause: structure
// that it never acknowledges, at most MaxActionBytes, is resent each time that it counts as lost.
const maxActionsOften = 8

// A client acknowledges fewer packets than have arrived, or repeatedly, or out of order. It costs
// the server a bounded number of bytes in a tick, and memory that does not grow with time. If it
// prevents the reuse of network ids, it is disconnected. Another client receives everything.
//
// Proves: Z9, Z10
func TestHostileAcknowledgementsCostNoMoreThanTheyMay(t *testing.T) {
	const entities, warm = 150, 600
	run := func(p *pair, a *acker, ticks int, happens func(i int) func()) int {
		p.drops, a.bytes = a.drops(p), 0
		other := p.world.NewPeer()
		defer other.Close()
		for i := range ticks {
			p.tickWith(happens(i))
			serve(other)
			if p.slow != nil {
				require.ErrorIs(t, p.slow, peer.ErrTombstones)
				break
			}
			p.requireBounded()
		}
		require.True(t, other.Idle(), "the other has all")
		return a.bytes
	}
	values := func(int) func() { return func() {} }
	start := func() *pair {
		p := inStep(t, entities)
		p.run(warm)
		return p
	}
	churn := func(p *pair) func(int) func() { return func(i int) func() { return p.churn(entities, i%3) } }
	fair := start()
	honest := run(fair, &acker{choose: func(*acker, []byte) {}}, warm, churn(fair))
	for name, choose := range ackers {
		t.Run(name, func(t *testing.T) {
			p := start()
			a := &acker{rng: rand.New(rand.NewPCG(1, 1)), choose: choose}
			hostile := run(p, a, warm, churn(p))
			t.Logf("%.1f times the bytes of an honest client", float64(hostile)/float64(honest))
			assert.Less(t, hostile, maxActionsOften*honest)
			before := heap()
			run(p, a, minutes(2)*60, values)
			assert.Less(t, heap()-before, int64(512<<10), "where nothing comes and goes")
		})
	}
}
