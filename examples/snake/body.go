package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
)

// The average number of steps after which a snake changes, and by how much it may become longer
// than it was created.
const (
	growEvery   = 12
	shrinkEvery = 12
	beheadEvery = 20
	maxExtra    = 8
)

// hatch creates the snakes, which differ only in their group.
func (n *nest) hatch(w *ecs.World) {
	n.world = w
	n.spawn = generic.NewMap5[Segment, Place, Link, Trail, components.Replicate](w)
	n.places, n.links, n.trails = generic.NewMap[Place](w), generic.NewMap[Link](w), generic.NewMap[Trail](w)
	n.snakes = []*snake{{number: grouped, group: 1}, {number: ungrouped, group: 0}} // group 0: each segment is a group of one
	if n.ungrouped {
		n.snakes[grouped].group = 0
	}
	for _, s := range n.snakes {
		for cell := n.segments; cell > 0; cell-- {
			n.add(s, coil(cell), coil(cell-1))
		}
	}
}

// coil returns cells that lie in rows, to and fro, so that each cell shares a side with the next
// one.
func coil(cell int) Place {
	x, y := cell%penWidth, cell/penWidth
	if y%2 == 1 {
		x = penWidth - 1 - x
	}
	return Place{X: uint8(x), Y: uint8(y)}
}

// change sometimes makes a snake grow, shrink or get a new head.
func (n *nest) change() {
	for _, s := range n.snakes {
		if n.chance.IntN(growEvery) == 0 && len(s.body) < n.segments+maxExtra {
			n.addTail(s)
		}
		if n.chance.IntN(shrinkEvery) == 0 && len(s.body) > n.segments {
			n.shrink(s)
		}
		if n.chance.IntN(beheadEvery) == 0 {
			n.behead(s)
		}
	}
}

// addTail adds a segment behind the tail, in the cell that the tail has left.
func (n *nest) addTail(s *snake) {
	tail := s.body[len(s.body)-1]
	if left := n.trails.Get(tail).Left; left != *n.places.Get(tail) {
		n.add(s, left, left) // the new segment has left no cell yet, so that the next one waits until it has
	}
}

// shrink removes the tail.
func (n *nest) shrink(s *snake) {
	last := len(s.body) - 1
	n.world.RemoveEntity(s.body[last])
	s.body = s.body[:last]
}

// behead replaces the head by another entity, which the neck then follows.
func (n *nest) behead(s *snake) {
	old := s.body[0]
	s.body[0] = n.segment(s, 0, *n.places.Get(old), n.trails.Get(old).Left)
	n.links.Get(s.body[1]).Ahead = s.body[0]
	n.world.RemoveEntity(old)
}

// add adds a segment behind the last one.
func (n *nest) add(s *snake, at, left Place) {
	added := n.segment(s, len(s.body), at, left)
	if last := len(s.body) - 1; last >= 0 {
		n.links.Get(added).Ahead = s.body[last]
	}
	s.body = append(s.body, added)
}

// segment creates a segment that does not follow another one yet. It joins the snake's group.
func (n *nest) segment(s *snake, number int, at, left Place) ecs.Entity {
	return n.spawn.NewWith(
		&Segment{Snake: s.number, Number: uint8(number)}, &at, &Link{}, &Trail{Left: left},
		&components.Replicate{Group: s.group, Interpolate: components.Everyone})
}
