package main

import (
	"time"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many steps per second both sides run.
	tickRate = 60

	// fieldSize is the side of the square that all dots and boxes live in. It
	// stands in the tag of Position, too.
	fieldSize = 100
)

// ID identifies an entity. The handles of an Arche world differ from process to process; this number is equal everywhere
// and never reused.
type ID struct{ N uint32 }

// Position is where something is. On the wire each coordinate takes 16 bits.
type Position struct {
	X, Y float32 `net:"range=0..100,step=0.002"`
}

// Box is steered by a player.
type Box struct {
	// Hue is its colour, counted up with each box.
	Hue uint8
	// Score is how many dots it ate.
	Score uint32
}

// Alarm is on a dot while it runs from a box.
type Alarm struct{ Hue uint8 }

// Steer is a box's input: where its player wants it to go. Its type bounds the values,
// so no client can ask for more than full speed.
type Steer struct {
	DX, DY int8 `net:"range=-1..1"`
}

// Pause stops all movement. It is a resource that the server replicates, and clients' predictions read it, too.
type Pause struct{ On bool }

// correction is how long the display of a box takes to move to its corrected place after a misprediction.
const correction = 100 * time.Millisecond

// newProtocol registers all replicated types. Both sides call it, so that they agree; types that are not registered, or
// Unsent, are not sent.
//
// A client predicts the position of its box, see Replicate in boxes.go: it moves when the key is pressed, and is corrected
// after a misprediction. All positions are rounded on both sides after every tick as the tag says, so that both continue
// from equal numbers.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "simplebox", TickRate: tickRate})
	protocol.Component[ID](p)
	protocol.Component[Position](p).Predict(protocol.Full).Interpolate(protocol.Linear).Correct(correction)
	protocol.Component[Box](p)
	protocol.Component[Alarm](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Unsent[Mood](p) // only the server needs it
	protocol.Input[Steer](p)
	protocol.Resource[Pause](p)
	return p
}
