package main

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// viewState is the drawn state of a world at the end of a frame. With smoothing, it is interpolated
// between two ticks, and corrections are spread over several frames. Otherwise it is the state of
// the last tick.
type viewState struct {
	discs     []shown
	confirmed []shown // the confirmed state of predicted discs
}

// shown is a disc in the drawn state.
type shown struct {
	Disc
	Place
	order  int32
	remote bool // the network moves this disc
}

// lookBack returns a system of a client that records the confirmed state.
func (s *viewState) lookBack(w *ecs.World) func() {
	filter := generic.NewFilter2[Disc, components.Predicted]()
	confirmed := plugin.NewConfirmed[Place](w)
	return func() {
		s.confirmed = s.confirmed[:0]
		query := filter.Query(w)
		for query.Next() {
			disc, _ := query.Get()
			if place, _, ok := confirmed.Get(query.Entity()); ok {
				s.confirmed = append(s.confirmed, shown{Disc: *disc, Place: place})
			}
		}
	}
}

// recordDrawn returns a system that records the drawn state.
func (s *viewState) recordDrawn(w *ecs.World) func() {
	filter := generic.NewFilter3[Disc, Place, components.SID]()
	remote := ecs.ComponentID[components.Remote](w)
	return func() {
		s.discs = s.discs[:0]
		query := filter.Query(w)
		for query.Next() {
			disc, place, id := query.Get()
			s.discs = append(s.discs, shown{*disc, *place, id.ID, query.Has(remote)})
		}
		slices.SortFunc(s.discs, func(a, b shown) int { return cmp.Compare(a.order, b.order) })
	}
}
