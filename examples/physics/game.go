package main

import (
	"time"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many ticks per second both sides run.
	tickRate = 60

	// pitchWidth and pitchHeight are the size of the walled pitch, in metres. Its middle is at 0,
	// 0. The tags of Place repeat half of them.
	pitchWidth  = 60
	pitchHeight = 30
)

// Disc describes a disc on the pitch: a player, or the ball. It never changes.
type Disc struct {
	Hue  uint8
	Ball bool
}

// Place is the centre of a disc, in metres.
type Place struct {
	X float32 `net:"range=-30..30,step=0.001"`
	Y float32 `net:"range=-15..15,step=0.001"`
}

// Motion is the velocity of a disc, in metres per second.
type Motion struct {
	X, Y float32 `net:"range=-64..64,step=0.001"`
}

// Push is a player's input: the direction in which it pushes its disc. Its type limits the values,
// so that no client can push harder than another.
type Push struct {
	DX, DY int8 `net:"range=-1..1"`
}

// newProtocol registers all replicated types. Both sides call it, so that they agree.
//
// Places and motions are predicted in Full: a client computes them ahead of the server, and replays
// them from the server's state after a misprediction. Both sides round them as the tags say after
// every tick, so that they continue from equal numbers. The display moves to a corrected place
// within the duration correction.
func newProtocol(correction time.Duration) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "physics", TickRate: tickRate})
	protocol.Component[Disc](p).Predict(protocol.Once)
	place := protocol.Component[Place](p).Predict(protocol.Full).Interpolate(protocol.Linear)
	if correction > 0 {
		place.Correct(correction)
	}
	protocol.Component[Motion](p).Predict(protocol.Full)
	protocol.Component[components.SID](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[Push](p).Rebroadcast()
	return p
}
