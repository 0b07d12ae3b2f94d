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

// ID tells an entity from all others that ever were. The handles of an Arche world
// differ from process to process; this number is equal everywhere.
type ID struct{ N uint32 }

// Position is where something is. On the wire each coordinate takes 16 bits.
type Position struct {
	X, Y float32 `net:"range=0..100,step=0.002"`
}

// Box is what a player steers.
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

// Pause holds everything still that moves. It is a resource that the server replicates: what
// a client predicts goes by it, too.
type Pause struct{ On bool }

// correction is how long the picture of a box takes to ease to where it is found to be,
// when a client has predicted it wrong.
const correction = 100 * time.Millisecond

// newProtocol registers what goes over the wire. Both sides call it, and so have
// the same; what is not registered, or Unsent, stays where it is.
//
// A client predicts the position of its box, see Replicate in boxes.go: it moves when the
// key is pressed, and is corrected where the server finds something else. All positions are
// rounded on both sides after every tick to what the tag says, so that both go on from the
// same numbers.
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
