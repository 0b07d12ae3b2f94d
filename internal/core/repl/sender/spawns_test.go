package sender

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// bare is a source of values without bits.
type bare struct{}

func (bare) Encode(*bits.Writer, repl.Slot, int, *repl.RefTable) {}

// Actions that are written together are in flight as those that are written one by one: they carry the same
// structure of each group.
//
// Proves: R41
func TestActionsWrittenTogetherCarryTheSame(t *testing.T) {
	const groups = 6
	var worlds [2]*World
	var peers [2]*Peer
	for i := range worlds {
		worlds[i] = NewWorld(bare{}, 1)
		peers[i] = worlds[i].NewPeer()
	}
	worlds[1].Unshare()
	number := uint16(0)
	send := func(tick entangle.Tick, change func(w *World)) {
		number++
		for i, w := range worlds {
			w.Begin(tick)
			change(w)
			w.Commit()
			require.NotEmpty(t, peers[i].AppendActions(nil, 1000))
			peers[i].ActionsSent(number)
		}
		require.Equal(t, peers[1].groups.Public.Unacked, peers[0].groups.Public.Unacked)
		require.Equal(t, peers[1].groups.Public.ActionSent, peers[0].groups.Public.ActionSent)
	}
	deliver := func() {
		for _, p := range peers {
			p.HandleDelivered(number)
		}
	}
	send(10, func(w *World) {
		for s := range repl.Slot(groups) {
			w.Spawn(s, set.MaskOf(0))
		}
	})
	deliver()
	for half := range repl.Slot(2) {
		send(12+entangle.Tick(half), func(w *World) {
			for s := range repl.Slot(groups / 2) {
				w.Reshape(half*groups/2+s, set.MaskOf(0), set.Mask{})
			}
		})
		deliver()
	}
	send(15, func(w *World) {
		for s := range repl.Slot(groups) {
			w.Despawn(s)
		}
	})
}
