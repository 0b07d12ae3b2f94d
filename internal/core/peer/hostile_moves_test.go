package peer_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// withholds returns a client that acknowledges all packets, except those with the first message of
// structure from now on.
func withholds() func(from *peer.Peer, b []byte) bool {
	var frame []byte // the beginning of the frame with that message
	return func(from *peer.Peer, b []byte) bool {
		h, _, err := packet.ParseHeader(b)
		if err != nil || h.Kind != packet.Data || len(b) < packet.HeaderSize+3 {
			return false
		}
		if head := b[packet.HeaderSize:]; frame == nil && head[0]&0x3f == byte(peer.Actions) {
			frame = []byte{byte(peer.Actions), head[1], head[2]}
		}
		last := append([]byte{byte(peer.Actions) | 0x80}, frame[min(1, len(frame)):]...)
		return frame != nil && (bytes.Contains(b, frame) || bytes.Contains(b, last))
	}
}

// tour moves many entities from group to group, and measures the last twenty ticks with moves.
func tour(b *testing.B, hostile bool) {
	const movers, groups, moves = 128, 8192, 40
	p := newPair(b, 1, 1)
	place := func(mover, move int) group.Place {
		return group.Place{Name: uint32(mover*(groups/movers)+move)%groups + 1}
	}
	p.tickWith(func() {
		for s := range repl.Slot(movers) {
			p.world.SpawnAt(s, set.MaskOf(0), place(int(s), 0))
		}
		for g := range repl.Slot(groups) {
			p.world.SpawnAt(movers+g, set.MaskOf(0), group.Place{Name: uint32(g) + 1})
		}
		p.world.Spawn(movers+groups, set.MaskOf(0))
	})
	p.run(80)
	if hostile {
		p.drops = withholds()
	}
	p.tickWith(func() { p.world.Despawn(movers + groups) })
	p.run(8)
	for i := range moves {
		if i >= moves/2 {
			b.StartTimer()
		}
		p.tickWith(func() {
			for s := range movers {
				p.world.Move(repl.Slot(s), place(s, i+1))
			}
		})
		b.StopTimer()
		require.NoError(b, p.slow)
		require.True(b, !hostile || p.server.Tombstones() >= movers*i, "it withholds")
		p.run(3)
	}
}

// A client acknowledges everything except one message, while entities move from group to group.
// The server then remembers each move. The ticks must not become longer by that, because all other
// clients wait for them.
func BenchmarkAWithheldAcknowledgement(b *testing.B) {
	for name, hostile := range map[string]bool{"honest": false, "hostile": true} {
		b.Run(name, func(b *testing.B) {
			b.StopTimer()
			for range b.N {
				tour(b, hostile)
			}
		})
	}
}
