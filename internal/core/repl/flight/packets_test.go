package flight_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
)

// TestPacketsEqualAMap compares Packets with a map from packet number to contents. Packets are acknowledged or lost
// in any order, and some more than once.
func TestPacketsEqualAMap(t *testing.T) {
	type contents struct {
		one []flight.Sent
		run []flight.SentRun
	}
	rapid.Check(t, func(t *rapid.T) {
		log := flight.Packets{KeepBaselines: rapid.Bool().Draw(t, "bases")}
		plain := map[uint16]contents{}
		number := uint16(rapid.IntRange(0, 1<<16-1).Draw(t, "first"))
		var recent []uint16
		newest, empty := number, map[uint16]bool{}
		for tick := entangle.Tick(1); tick < 60; tick++ {
			number += uint16(rapid.IntRange(1, 3).Draw(t, "gap"))
			recent = append(recent, number)
			var c contents
			log.Begin(number, tick)
			groups := rapid.IntRange(0, 4).Draw(t, "groups")
			log.Reserve(groups)
			for range groups {
				s := flight.Sent{Tick: tick, Group: repl.Handle(rapid.Uint32Range(0, 1<<21-1).Draw(t, "group")), Unproven: rapid.Bool().Draw(t, "waits")}
				base := tick - entangle.Tick(rapid.IntRange(1, 9).Draw(t, "base"))
				log.AddGroup(s.Group, s.Unproven, base)
				if log.KeepBaselines {
					s.Base = base
				}
				c.one = append(c.one, s)
			}
			for range rapid.IntRange(0, 2).Draw(t, "runs") {
				r := flight.SentRun{SharedRun: &flight.SharedRun{Tick: tick, Groups: []repl.Handle{1, 2}, Dense: true}, Base: tick - 1}
				log.AddRun(r.SharedRun, r.Base)
				c.run = append(c.run, r)
			}
			assert.Equal(t, len(c.one)+len(c.run) == 0, log.LastIsEmpty())
			if log.LastIsEmpty() {
				log.Cancel()
				empty[number] = true
				continue
			}
			plain[number] = c
			removed := rapid.SliceOfN(rapid.SampledFrom(recent), 0, 5).Draw(t, "removed")
			lost, acked := rapid.Bool().Draw(t, "lost"), map[uint16]bool{} // in this call
			for _, n := range removed {
				if _, inFlight := plain[n]; !lost {
					acked[n] = inFlight
					newest += uint16(max(int16(n-newest), 0))
				}
			}
			if !lost {
				slices.SortFunc(removed, func(a, b uint16) int { return int(int16(a - b)) })
			}
			var want, got contents
			var arrived, acknowledged []uint16
			for _, n := range removed {
				if _, inFlight := plain[n]; inFlight {
					arrived = append(arrived, n)
				}
				overtaken := slices.ContainsFunc(recent, func(later uint16) bool {
					return !empty[later] && !acked[later] && int16(later-n) > 0 && int16(newest-later) >= 0
				})
				for _, s := range plain[n].one {
					s.Overtaken = overtaken
					want.one = append(want.one, s)
				}
				for _, r := range plain[n].run {
					r.Overtaken = overtaken
					want.run = append(want.run, r)
				}
				delete(plain, n)
			}
			one := func(s flight.Sent) { got.one = append(got.one, s) }
			run := func(r flight.SentRun) { got.run = append(got.run, r) }
			if lost {
				for _, n := range removed {
					log.Lose(n, one, run)
				}
			} else {
				log.Acknowledge(rapid.Permutation(removed).Draw(t, "order"), func(n uint16) { acknowledged = append(acknowledged, n) }, one, run)
				assert.Equal(t, arrived, acknowledged)
			}
			assert.Equal(t, want, got)
			if len(plain) == 0 {
				assert.Equal(t, tick+5, log.OldestTick(tick+5))
			}
		}
	})
}
