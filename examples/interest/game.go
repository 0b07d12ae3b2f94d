package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many ticks per second all sides run.
	tickRate = 60

	// players is how many there are: players 1 and 2 are a team, and player 3 is one alone.
	players = 3

	// radius is how far a player and a lantern see, in cells.
	radius = 4.5

	// hysteresis is by how much farther what was seen is seen still, as a part of radius.
	hysteresis = 0.2
)

// The kinds of things.
const (
	dot = iota
	player
	lantern
)

// Thing says what an entity is. It never changes, so it is sent once.
type Thing struct {
	Kind   uint8 `net:"range=0..2"`
	Number uint16
	Team   uint8 `net:"range=0..2"` // of a player and a lantern
}

// Place is where a thing is, in cells, and at which tick it was there: by that the demo
// judges afterwards whether a client could know. It changes in every tick, so what a client
// is not shown would be noticed at once.
type Place struct {
	X    float32 `net:"range=0..36,step=0.01"`
	Y    float32 `net:"range=0..12,step=0.01"`
	Tick entangle.Tick
}

// Rules say what decides about who sees what. Clients know them, to draw their fog.
type Rules struct {
	Grid  bool // what is near to one's viewers
	Rooms bool // what is in the same chamber
}

// newProtocol registers what goes over the wire. Both sides call it, and so have the same.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "interest", TickRate: tickRate})
	protocol.Component[Thing](p)
	protocol.Component[Place](p)
	protocol.Resource[Rules](p)
	return p
}

// teamOf returns the team of a player.
func teamOf(number uint16) uint8 { return uint8(1 + (number-1)/2) }

// teamRoom is the room of a team's players. Those of the chambers are below.
func teamRoom(team uint8) components.Room { return components.Room(100 + uint32(team)) }

// near reports whether two places are at most a distance apart.
func near(a, b Place, distance float32) bool {
	dx, dy := a.X-b.X, a.Y-b.Y
	return dx*dx+dy*dy <= distance*distance
}
