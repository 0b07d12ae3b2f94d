package netsim

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// restFrames is the number of server frames for which a world that should be at rest is watched.
const restFrames = 10

// restless names the replicated state that still changes on the server, for a comparison that has
// failed: clients are always some time behind changing state, so the difference is no fault of
// theirs. It advances time.
func (s *Sim) restless() string {
	s.t.Helper()
	s.watch = nil // the test has failed already
	before := s.mirror()
	s.Run(restFrames * s.server.every)
	after := s.mirror()
	moving := s.moving(before, after)
	if len(moving) == 0 {
		return ""
	}
	return fmt.Sprintf("\nThe server's world is still moving: within its next %d frames %s. Clients are always a way behind what moves, "+
		"so worlds are compared at rest: have the systems stop (a flag in a resource), run until all has arrived, and compare then",
		restFrames, strings.Join(moving, ", "))
}

// moving describes the changes between two copies of the server's state.
func (s *Sim) moving(before, after *inspect.Mirror) (words []string) {
	was := map[ecs.Entity]*inspect.Mirrored{}
	for i := range before.Entities {
		was[before.Entities[i].Entity] = &before.Entities[i]
	}
	changed, come := map[int]int{}, 0
	for i := range after.Entities {
		now := &after.Entities[i]
		if old := was[now.Entity]; old == nil {
			come++
		} else {
			countChanges(old.Values, now.Values, changed)
		}
		delete(was, now.Entity)
	}
	for _, component := range slices.Sorted(maps.Keys(changed)) {
		words = append(words, fmt.Sprintf("%v of %s changed", after.Components[component].Type, entities(changed[component])))
	}
	if come > 0 {
		words = append(words, entities(come)+" came")
	}
	if len(was) > 0 {
		words = append(words, entities(len(was))+" went")
	}
	for i, r := range after.Resources {
		if old := before.Resources[i]; r.On && (old.There != r.There || !bytes.Equal(old.Wire, r.Wire)) {
			words = append(words, fmt.Sprintf("the resource %v changed", after.ResourceInfos[i].Type))
		}
	}
	return words
}

func entities(n int) string {
	if n == 1 {
		return "1 entity"
	}
	return fmt.Sprintf("%d entities", n)
}

// countChanges counts changed values by component: those that differ, or exist on one side only.
// Both lists are sorted by component.
func countChanges(old, now []inspect.MirroredValue, changed map[int]int) {
	for len(old)+len(now) > 0 {
		switch {
		case len(now) == 0 || len(old) > 0 && old[0].Component < now[0].Component:
			changed[old[0].Component]++
			old = old[1:]
		case len(old) == 0 || now[0].Component < old[0].Component:
			changed[now[0].Component]++
			now = now[1:]
		default:
			if !bytes.Equal(old[0].Wire, now[0].Wire) || !slices.Equal(old[0].Refs, now[0].Refs) {
				changed[now[0].Component]++
			}
			old, now = old[1:], now[1:]
		}
	}
}
