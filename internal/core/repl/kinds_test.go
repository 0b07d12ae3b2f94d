package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// kindsComps is the number of components, which are changed in as many ways.
const kindsComps = 9

// kindsWorld returns a world of private groups of one. The first are shown to one peer and the
// others to another, and both peers have received them.
func kindsWorld(first, others int) (w *sender.World, peers [2]*sender.Peer) {
	bits := map[repl.Slot]int{}
	for s := range repl.Slot(first + others) {
		bits[s] = 8
	}
	w = sender.NewWorld(sized{bits}, kindsComps)
	peers = [2]*sender.Peer{w.NewPeer(), w.NewPeer()}
	tick(w, func() {
		for s := range repl.Slot(first + others) {
			w.SpawnAt(s, set.Mask{1<<kindsComps - 1}, group.Place{Private: true})
			peers[min(int(s)/first, 1)].Show(s)
		}
	})
	for _, p := range peers {
		for m := uint16(0); len(p.AppendActions(nil, 1000)) > 0; m++ {
			p.ActionsSent(m)
			p.HandleDelivered(m)
		}
	}
	return w, peers
}

// changeSet changes the components of a set in some slots.
func changeSet(w *sender.World, chosen int, slots ...repl.Slot) {
	for c := range kindsComps {
		if chosen>>c&1 == 1 {
			w.Change(c, slots)
		}
	}
}

// However many different sets of components change in entities that a peer does not see, the peer
// is sent the same bytes.
//
// Proves: V13
func TestHiddenKindsOfUpdatesChangeNoByte(t *testing.T) {
	const hidden, seen = 400, 8
	var sent [2][]byte
	for i := range sent {
		w, peers := kindsWorld(hidden, seen)
		for range 2 {
			tick(w, func() {
				for s := range repl.Slot(hidden * i) {
					changeSet(w, int(s)+1, s)
				}
				for s := range repl.Slot(seen) {
					changeSet(w, 1<<kindsComps-1, hidden+s)
				}
			})
			sent[i] = peers[1].AppendUpdates(nil, repl.MaxUpdateBytes, 1)
		}
		require.NotEmpty(t, sent[i])
	}
	assert.Equal(t, sent[0], sent[1])
}

// If many sets of components change, a peer is sent the same bytes whether chunks are shared or not.
func TestManyKindsOfUpdatesAreSharedAlike(t *testing.T) {
	var sent [2][][]byte
	for i := range sent {
		w, peers := kindsWorld(2000, 1)
		if i == 1 {
			w.Unshare()
		}
		for range 2 {
			tick(w, func() {
				for s := range repl.Slot(2000) {
					changeSet(w, int(s)/4%(1<<kindsComps-1)+1, s)
				}
			})
			for pkt := uint16(1); ; pkt++ {
				b := peers[0].AppendUpdates(nil, repl.MaxUpdateBytes, pkt)
				if len(b) == 0 {
					break
				}
				sent[i] = append(sent[i], b)
			}
		}
	}
	require.NotEmpty(t, sent[0])
	assert.Equal(t, sent[1], sent[0])
}
