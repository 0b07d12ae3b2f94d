package peer_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// withholds returns a client that acknowledges all packets, except those with the first message of
// structure from now on.
func withholds() func(from *peer.Peer, b []byte) bool {
	var frame []byte // the beginning of the frame with that message
	return func(from *peer.Peer, b []byte) bool {
		if packet.Kind(b[0]) != packet.Data || len(b) < packet.HeaderSize+3 {
			return false
		}
		if head := b[packet.HeaderSize:]; frame == nil && head[0]&0x3f == byte(peer.Actions) {
			frame = []byte{byte(peer.Actions), head[1], head[2]}
		}
		last := append([]byte{byte(peer.Actions) | 0x80}, frame[min(1, len(frame)):]...)
		return frame != nil && (bytes.Contains(b, frame) || bytes.Contains(b, last))
	}
}

// tour moves many entities from group to group in every fourth tick, and returns how long the ticks
// with moves took.
func tour(t *testing.T, hostile bool) (took time.Duration) {
	const movers, groups, moves = 128, 8192, 40
	p := newPair(t, 1, 1)
	place := func(mover, move int) sender.Place {
		return sender.Place{Name: uint32(mover*(groups/movers)+move)%groups + 1}
	}
	p.tickWith(func() {
		for s := range repl.Slot(movers) {
			p.world.SpawnAt(s, repl.MaskOf(0), place(int(s), 0))
		}
		for g := range repl.Slot(groups) {
			p.world.SpawnAt(movers+g, repl.MaskOf(0), sender.Place{Name: uint32(g) + 1})
		}
		p.world.Spawn(movers+groups, repl.MaskOf(0))
	})
	p.run(80)
	if hostile {
		p.drops = withholds()
	}
	p.tickWith(func() { p.world.Despawn(movers + groups) })
	p.run(8)
	for i := range moves {
		begun := time.Now()
		p.tickWith(func() {
			for s := range movers {
				p.world.Move(repl.Slot(s), place(s, i+1))
			}
		})
		if i >= moves/2 {
			took += time.Since(begun)
		}
		require.NoError(t, p.slow)
		require.True(t, !hostile || p.server.HeldUp() >= movers*i, "it withholds")
		p.run(3)
	}
	return took
}

// A client acknowledges everything except one message, while entities move from group to group.
// This must not make the ticks longer, because the other clients wait for them, too.
//
// Proves: Z10, R39
func TestAWithheldAcknowledgementHoldsUpNoTick(t *testing.T) {
	honest, hostile := tour(t, false), tour(t, true)
	t.Logf("honest %v, hostile %v in 20 ticks", honest, hostile)
	assert.Less(t, hostile, 3*honest)
}
