package main

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// part is a segment in a world.
type part struct {
	entity ecs.Entity
	Segment
	Place
	Link
}

// watcher reads the snakes of a world, which may be the server's or a client's.
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

// whole reports whether the server can have a snake in the state of these parts.
func whole(parts []part) bool {
	for i := range parts {
		if !fits(parts, i) {
			return false
		}
	}
	return true
}

// fits reports whether part i is at the right distance from the part ahead of it. On the server a
// segment is always one or two steps behind the one that it follows, after every tick. If a client
// shows both in one cell, or further apart, their states come from different ticks.
func fits(parts []part, i int) bool {
	if i == 0 {
		return parts[0].Number == 0
	}
	ahead, behind := parts[i-1], parts[i]
	gap := steps(ahead.Place, behind.Place)
	return behind.Number == ahead.Number+1 && // otherwise a part is missing, or exists twice
		(gap == 1 || gap == 2) &&
		(behind.Ahead.IsZero() || behind.Ahead == ahead.entity)
}
