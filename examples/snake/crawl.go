package main

import (
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
)

// turnEvery is after how many cells a head turns, on average.
const turnEvery = 5

// crawl returns a system that moves the snakes like caterpillars: the head takes a step, in the
// next tick the segment behind it, and so on. At every tick neighbours are one step apart, or two
// where the movement is passing.
func (n *nest) crawl(w *ecs.World) func() {
	n.hatch(w)
	filter, ticks := generic.NewFilter4[Segment, Place, Link, Trail](), 0
	return func() {
		ticks++
		for query := filter.Query(w); query.Next(); {
			segment, place, link, trail := query.Get()
			if (ticks-int(segment.Number))%stepEvery != 0 {
				continue
			}
			if to := n.nextCell(segment, link); to != *place {
				trail.Left, *place = *place, to
			}
		}
		if ticks%stepEvery == 0 {
			n.change()
		}
	}
}

// nextCell returns the cell to which a segment moves: the one that the segment ahead has left.
func (n *nest) nextCell(segment *Segment, link *Link) Place {
	if link.Ahead.IsZero() {
		return n.wander(n.snakes[segment.Snake])
	}
	return n.trails.Get(link.Ahead).Left
}

// wander returns the next cell of a snake's head: straight on, unless it turns or has to turn.
func (n *nest) wander(s *snake) Place {
	head, back := *n.places.Get(s.body[0]), n.trails.Get(s.body[0]).Left
	var open, free []Place
	for _, p := range []Place{{head.X + 1, head.Y}, {head.X - 1, head.Y}, {head.X, head.Y + 1}, {head.X, head.Y - 1}} {
		if p.X >= penWidth || p.Y >= penHeight || p == back { // unsigned, so a value below zero is far beyond
			continue
		}
		open = append(open, p)
		if !n.taken(s, p) {
			free = append(free, p)
		}
	}
	if len(free) == 0 {
		free = open // then it may crawl over its own body
	}
	straight := Place{X: 2*head.X - back.X, Y: 2*head.Y - back.Y}
	if slices.Contains(free, straight) && n.chance.IntN(turnEvery) > 0 {
		return straight
	}
	return free[n.chance.IntN(len(free))]
}

func (n *nest) taken(s *snake, p Place) bool {
	return slices.ContainsFunc(s.body, func(e ecs.Entity) bool { return *n.places.Get(e) == p })
}
