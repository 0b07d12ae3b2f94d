package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
)

// The bytes for a peer do not depend on the baselines of another peer for the same groups, even if
// that peer is served first and acknowledges nothing. Those baselines may result from groups that
// only the other peer sees.
//
// Proves: V13
func TestOthersBasesChangeNoByte(t *testing.T) {
	for _, place := range []group.Place{{Private: true}, {}} {
		var sent [2][]byte
		for i := range sent {
			bits := map[repl.Slot]int{}
			for s := range repl.Slot(8) {
				bits[s] = 8
			}
			w := sender.NewWorld(sized{bits}, kindsComps)
			b, a := w.NewPeer(), w.NewPeer()
			tick(w, func() {
				for s := range repl.Slot(8) {
					w.SpawnAt(s, set.Mask{1<<kindsComps - 1}, place)
					a.Show(s)
					b.Show(s)
				}
			})
			for _, p := range []*sender.Peer{a, b} {
				for m := uint16(0); len(p.AppendActions(nil, 1000)) > 0; m++ {
					p.ActionsSent(m)
					p.HandleDelivered(m)
				}
			}
			for n := range 3 {
				tick(w, func() {
					for s := range repl.Slot(8) {
						changeSet(w, 1<<n, s)
					}
				})
				b.Prepare()
				a.Prepare()
				sent[i] = a.AppendUpdates(nil, repl.MaxUpdateBytes, uint16(n))
				b.AppendUpdates(nil, repl.MaxUpdateBytes, uint16(n))
				a.HandleAcked(uint16(n))
				if i == 0 {
					b.HandleAcked(uint16(n))
				}
			}
		}
		assert.Equal(t, sent[0], sent[1])
	}
}
