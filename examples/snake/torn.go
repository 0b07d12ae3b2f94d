package main

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// part is a segment as a world shows it.
type part struct {
	entity ecs.Entity
	Segment
	Place
	Link
}

// watcher reads the snakes of a world, the server's or a client's.
type watcher struct {
	world  *ecs.World
	filter *generic.Filter3[Segment, Place, Link]
}

func newWatcher(w *ecs.World) *watcher {
	return &watcher{world: w, filter: generic.NewFilter3[Segment, Place, Link]()}
}

// snake returns the parts of a snake, its head first.
func (s *watcher) snake(number uint8) []part {
	var parts []part
	for query := s.filter.Query(s.world); query.Next(); {
		segment, place, link := query.Get()
		if segment.Snake == number {
			parts = append(parts, part{query.Entity(), *segment, *place, *link})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.Number, b.Number) })
	return parts
}

// whole reports whether the parts are a state of a snake that the server can have.
func whole(parts []part) bool {
	for i := range parts {
		if !fits(parts, i) {
			return false
		}
	}
	return true
}

// fits reports whether the i-th part is where the one before it leaves it. On the
// server a segment is one or two steps behind the one that it follows, after every
// tick. If a client shows them in one cell, or further apart, they are of different
// ticks.
func fits(parts []part, i int) bool {
	if i == 0 {
		return parts[0].Number == 0
	}
	ahead, behind := parts[i-1], parts[i]
	gap := steps(ahead.Place, behind.Place)
	return behind.Number == ahead.Number+1 && // else one is missing, or there twice
		(gap == 1 || gap == 2) &&
		(behind.Ahead.IsZero() || behind.Ahead == ahead.entity)
}
