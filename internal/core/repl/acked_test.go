package repl_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// Packets that are acknowledged together, in any order, advance the same baselines as packets acknowledged one by one in
// the order of sending, and leave the same packets in flight. The twin acknowledges them one by one.
func TestPacketsAcknowledgedTogetherEqualThoseOneByOne(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		place := func(s repl.Slot) group.Place { return group.Place{Private: s%5 == 4 && s > 300} }
		together, alone := newCrowd(400, 1, place), newCrowd(400, 1, place)
		var underWay []uint16
		pkt := uint16(65500) // the ids wrap around
		for range 60 {
			changed := changedOf(rng, together.all)
			sent := pkt
			for _, c := range []*crowd{together, alone} {
				tick(c.World, func() { c.Change(0, changed) })
				for pkt = sent; len(c.peers[0].AppendUpdates(nil, 300, pkt)) > 0; pkt++ {
				}
			}
			for ; sent != pkt; sent++ {
				underWay = append(underWay, sent)
			}
			n := rng.IntN(len(underWay) + 1)
			inOrder, known := underWay[:n], slices.Clone(underWay[:n])
			rng.Shuffle(n, func(i, k int) { known[i], known[k] = known[k], known[i] })
			underWay = underWay[n:]
			together.peers[0].HandleAcked(known...)
			for _, one := range inOrder {
				alone.peers[0].HandleAcked(one)
			}
			requireSameBases(t, seed, together.peers[0], alone.peers[0])
		}
	}
}

// changedOf returns all slots, a few of them, or some in a row.
func changedOf(rng *rand.Rand, all []repl.Slot) []repl.Slot {
	switch rng.IntN(3) {
	case 0:
		return all
	case 1:
		from := 50 * rng.IntN(6) // often where the last row ended
		return all[from : from+50+50*rng.IntN(2)]
	}
	var few []repl.Slot
	for _, s := range all {
		if rng.IntN(8) == 0 {
			few = append(few, s)
		}
	}
	return few
}

func requireSameBases(t *testing.T, seed uint64, ours, plain *sender.Peer) {
	t.Helper()
	for _, first := range []repl.Handle{0, repl.Private} {
		for h := range repl.Handle(400) {
			got, _ := ours.Base(first + h)
			want, _ := plain.Base(first + h)
			require.Equal(t, want, got, "handle %d, seed %d", first+h, seed)
		}
	}
	require.Equal(t, plain.InFlight(), ours.InFlight())
	require.Equal(t, plain.Idle(), ours.Idle())
}
