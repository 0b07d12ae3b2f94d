package main

import (
	"time"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	// tickRate is how many steps per second both sides run.
	tickRate = 60

	// fieldSize is the length of a side of the square in which all dots and boxes live. The tag of
	// Position repeats it.
	fieldSize = 100
)

// ID identifies an entity. The ids of an Arche world differ from process to process; this number is
// the same everywhere and is never reused.
type ID struct{ N uint32 }

// Position is the position of an entity. On the wire each coordinate takes 16 bits.
type Position struct {
	X, Y float32 `net:"range=0..100,step=0.002"`
}

// Box is an entity that a player steers.
type Box struct {
	// Hue is the box's colour. Each new box has the next one.
	Hue uint8
	// Score is the number of dots that the box has eaten.
	Score uint32
}

// Alarm is on a dot while it runs away from a box.
type Alarm struct{ Hue uint8 }

// Steer is a box's input: the direction in which its player steers it. Its type limits the values,
// so that no client can move at more than full speed.
type Steer struct {
	DX, DY int8 `net:"range=-1..1"`
}

// Pause stops all movement. It is a resource that the server replicates, and clients' predictions read it, too.
type Pause struct{ On bool }

// correction is how long the display of a box takes to move to its corrected place after a misprediction.
const correction = 100 * time.Millisecond

// newProtocol registers all replicated types. Both sides call it, so that they agree; types that
// are not registered, or that are registered with Unsent, are not sent.
//
// A client predicts the position of its box, see Replicate in boxes.go: the box moves when the key
// is pressed, and is corrected after a misprediction. All positions are rounded on both sides after
// every tick as the tag says, so that both continue from equal numbers. The other boxes and the dots
// are interpolated: they move smoothly, a little in the past.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "simplebox", TickRate: tickRate})
	protocol.Component[ID](p)
	protocol.Component[Position](p).Predict(protocol.Full).Interpolate(protocol.Linear).Correct(correction)
	protocol.Component[components.Interpolated](p)
	protocol.Component[Box](p)
	protocol.Component[Alarm](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Unsent[Mood](p) // only the server needs it
	protocol.Input[Steer](p)
	protocol.Resource[Pause](p)
	return p
}
