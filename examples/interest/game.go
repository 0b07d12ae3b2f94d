package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many ticks per second all sides run.
	tickRate = 60

	// players is the number of players: players 1 and 2 are a team, and player 3 is alone.
	players = 3

	// radius is the view radius of a player and a lantern, in cells.
	radius = 4.5

	// hysteresis is how much farther than radius a visible thing may be and stay visible, as a
	// fraction of radius.
	hysteresis = 0.2
)

// The kinds of things.
const (
	dot = iota
	player
	lantern
)

// Thing identifies an entity. It never changes, so it is sent once only.
type Thing struct {
	Kind   uint8 `net:"range=0..2"`
	Number uint16
	Team   uint8 `net:"range=0..2"` // the team of a player or a lantern
}

// Place is the position of a thing, in cells, and the tick of that position. From the tick, the
// demo checks afterwards whether the thing was visible to a client then. Place changes in every
// tick, so that missing updates would be noticed at once. Linear blends only the coordinates: Tick is
// that of the earlier of the two values.
type Place struct {
	X    float32 `net:"range=0..36,step=0.01"`
	Y    float32 `net:"range=0..12,step=0.01"`
	Tick entangle.Tick
}

// Rules select what determines visibility. Clients have them, too, to draw their fog.
type Rules struct {
	Grid  bool // by distance from the client's viewers
	Rooms bool // by the chamber of the client's player
}

// newProtocol registers all replicated types. Both sides call it, so that they agree. Clients predict
// nothing here. They interpolate everything, see Replicate in server.go.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "interest", TickRate: tickRate})
	protocol.Component[Thing](p)
	protocol.Component[Place](p).Interpolate(protocol.Linear)
	protocol.Component[components.Interpolated](p)
	protocol.Resource[Rules](p)
	return p
}

// teamOf returns the team of a player.
func teamOf(number uint16) uint8 { return uint8(1 + (number-1)/2) }

// teamRoom returns the room of a team's players. The rooms of chambers have smaller numbers.
func teamRoom(team uint8) components.Room { return components.Room(100 + uint32(team)) }

// near reports whether two places are at most a distance apart.
func near(a, b Place, distance float32) bool {
	dx, dy := a.X-b.X, a.Y-b.Y
	return dx*dx+dy*dy <= distance*distance
}
