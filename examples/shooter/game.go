package main

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many ticks per second both sides run.
	tickRate = 60

	// arenaWidth and arenaHeight are the size of the walled arena, in metres. Its middle is at 0, 0. The tags
	// of Place and Bullet repeat half of them.
	arenaWidth  = 32
	arenaHeight = 20

	playerRadius = 1.2 // metres
	playerSpeed  = 9.0 // metres per second

	reloadTicks = 30 // from one shot to the next
	bulletSpeed = 3  // metres per tick, the most of the tags of Bullet
	stickTicks  = 40 // for which a bullet is in the wall
)

// Player describes a player. It never changes.
type Player struct{ Hue uint8 }

// Place is the centre of a player, in metres.
type Place struct {
	X float32 `net:"range=-16..16,step=0.01"`
	Y float32 `net:"range=-10..10,step=0.01"`
}

// Gun is the gun of a player.
type Gun struct{ Reload uint8 } // ticks until it can fire

// Score counts what the server has decided.
type Score struct{ Hits, Taken uint16 }

// Bullet is what one sees of a shot. It flies to the wall, and sticks there for a while. Whom the shot hit is
// decided in the tick in which it was fired.
type Bullet struct {
	X      float32 `net:"range=-16..16,step=0.01"`
	Y      float32 `net:"range=-10..10,step=0.01"`
	DX, DY float32 `net:"range=-3..3,step=0.001"` // per tick; 0 in the wall
	Left   uint8   // ticks that it sticks
}

// Fired is the tick in which a bullet was fired. With its owner it says which bullet it is.
type Fired struct{ Tick entangle.Tick }

// Controls is the input of a player.
type Controls struct {
	DX, DY int8    `net:"range=-1..1"`
	Fire   bool    `net:"event"` // not repeated, if an input is lost
	Aim    float32 `net:"angle,bits=16"`
}

// Verdict names the target of a shot, and the tick in which the shot was fired.
type Verdict struct {
	Tick entangle.Tick
	// OnScreen is the player hit where the shooter saw the others, and Present the one hit where they were at that
	// time on the server. They may have left since.
	OnScreen, Present entangle.ClientID
	// Compensated says that OnScreen counts, and not Present.
	Compensated bool
}

// newProtocol registers all replicated types. Both sides call it, so that they agree.
//
// A player's own client predicts the player, its gun and its bullets. All others show them between the values that
// have arrived. The server keeps former values of Place, because that is what shots are tested against, and of whom
// a place belonged to.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "shooter", TickRate: tickRate})
	protocol.Component[Player](p).Predict(protocol.Once)
	protocol.Component[Place](p).Predict(protocol.Full).Interpolate(protocol.Linear).Correct(100 * time.Millisecond).Rewind()
	protocol.Component[Gun](p).Predict(protocol.Full)
	protocol.Component[Score](p)
	protocol.Component[Bullet](p).Predict(protocol.Full).Interpolate(protocol.Linear)
	protocol.Component[Fired](p).Predict(protocol.Once)
	protocol.Component[components.Prespawned](p)
	protocol.Component[components.Interpolated](p)
	protocol.Component[components.ControlledBy](p).Rewind()
	protocol.Input[Controls](p)
	protocol.Message[Verdict](p)
	return p
}
