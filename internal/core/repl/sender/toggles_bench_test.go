package sender

import (
	"testing"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/set"
)

// BenchmarkToggles measures a tick in which all members of one large group change in one respect, for one peer.
func BenchmarkToggles(b *testing.B) {
	for name, toggle := range map[string]func(w *World, p *Peer, s repl.Slot, on bool){
		"predicted": func(_ *World, p *Peer, s repl.Slot, on bool) { p.Predict(s, on) },
		"rate": func(w *World, _ *Peer, s repl.Slot, on bool) {
			rate := group.Rate{Priority: 1}
			if on {
				rate.Priority = 2
			}
			w.SetRate(s, rate)
		},
		"moved": func(w *World, _ *Peer, s repl.Slot, on bool) {
			at := group.Place{Name: 1}
			if on {
				at.Name = 2
			}
			w.Move(s, at)
		},
	} {
		b.Run(name, func(b *testing.B) {
			w, tick := NewWorld(sizedSource(1), 1), entangle.Tick(0)
			p, message := w.NewPeer(), uint16(0)
			step := func(change func(s repl.Slot)) {
				tick++
				w.Begin(tick)
				for s := range repl.Slot(repl.MaxMembers) {
					change(s)
				}
				w.Commit()
				for len(p.AppendActions(nil, 1000)) > 0 {
					p.ActionsSent(message)
					message++
				}
				for n := uint16(0); n < message; n++ {
					p.HandleDelivered(n)
				}
			}
			step(func(s repl.Slot) { w.SpawnAt(s, set.MaskOf(0), group.Place{Name: 1}) })
			for i := 0; b.Loop(); i++ {
				step(func(s repl.Slot) { toggle(w, p, s, i%2 == 0) })
			}
		})
	}
}
