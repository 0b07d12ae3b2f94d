package oracle

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// Changes describes the changes up to a later snapshot of the same server.
func (s *Snapshot) Changes(after *Snapshot) (words []string) {
	was := map[ecs.Entity]*inspect.Mirrored{}
	for i := range s.mirror.Entities {
		was[s.mirror.Entities[i].Entity] = &s.mirror.Entities[i]
	}
	changed, spawned := map[int]int{}, 0
	for i := range after.mirror.Entities {
		now := &after.mirror.Entities[i]
		if old := was[now.Entity]; old == nil {
			spawned++
		} else {
			countChanges(old.Values, now.Values, changed)
		}
		delete(was, now.Entity)
	}
	for _, component := range slices.Sorted(maps.Keys(changed)) {
		words = append(words, fmt.Sprintf("%v of %s changed", after.mirror.Components[component].Type, entities(changed[component])))
	}
	if spawned > 0 {
		words = append(words, entities(spawned)+" came")
	}
	if len(was) > 0 {
		words = append(words, entities(len(was))+" went")
	}
	for i, r := range after.mirror.Resources {
		if old := s.mirror.Resources[i]; r.On && (old.There != r.There || !bytes.Equal(old.Wire, r.Wire)) {
			words = append(words, fmt.Sprintf("the resource %v changed", after.mirror.ResourceInfos[i].Type))
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
