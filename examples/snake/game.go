package main

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many ticks per second both sides run.
	tickRate = 60

	// stepEvery is how many ticks a snake takes for a step: ten steps per second.
	stepEvery = 6

	// penWidth and penHeight are the size, in cells, of the pen in which each snake lives. The tags
	// of Place repeat it.
	penWidth, penHeight = 18, 8
)

// These are the numbers of the snakes.
const (
	grouped = iota
	ungrouped
	snakeCount
)

// Segment identifies an entity by its snake and its part; the head is part 0.
type Segment struct{ Snake, Number uint8 }

// Place is the cell that a segment is in. There is nothing between two cells, so it has no function to
// interpolate: a client that interpolates a segment shows each cell from the tick on at which the segment
// stepped into it.
type Place struct {
	X uint8 `net:"range=0..17"`
	Y uint8 `net:"range=0..7"`
}

// Link refers to the segment ahead. On a client it is an entity of the client's world, or empty
// until that entity has arrived.
type Link struct{ Ahead ecs.Entity }

// newProtocol registers all replicated types. Both sides call it, so that they agree. Clients predict
// nothing here. They interpolate the segments, see Replicate in body.go.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "snake", TickRate: tickRate})
	protocol.Component[Segment](p)
	protocol.Component[Place](p)
	protocol.Component[Link](p)
	protocol.Component[components.Interpolated](p)
	return p
}

// steps returns the distance of two places, in steps between cells that share a side.
func steps(a, b Place) int {
	return max(int(a.X), int(b.X)) - min(int(a.X), int(b.X)) +
		max(int(a.Y), int(b.Y)) - min(int(a.Y), int(b.Y))
}
