package protocol_test

import (
	"fmt"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

// Pose is a component with tags. Each tag sets the range of a field and how exactly it is sent.
type Pose struct {
	X, Y  float32    `net:"range=-512..511,step=0.25"` // 12 bits each
	Angle float32    `net:"angle"`
	Crew  ecs.Entity // arrives as the receiver's own entity
}

// Steer is an input: Fire acts once, and is not repeated when a packet is lost.
type Steer struct {
	Turn float32 `net:"range=-1..1,step=0.01"`
	Fire bool    `net:"event"`
}

// Chat is a message. Messages may hold text and slices.
type Chat struct{ Text string }

// In this example, both sides register the same in one function. The order does not matter.
func Example() {
	p := protocol.New(protocol.Config{Name: "ships", TickRate: 30})
	protocol.Component[Pose](p).
		Delta().                            // send differences from an acknowledged value
		Predict(protocol.Full).             // the owner computes it ahead of the server
		Interpolate(protocol.Linear[Pose]). // it is shown between two ticks
		Correct(150 * time.Millisecond)     // and corrections are shown gradually
	protocol.Component[components.ControlledBy](p)
	protocol.Input[Steer](p)
	protocol.Message[Chat](p).Mode(protocol.OrderedReliable)

	if err := p.Err(); err != nil { // all mistakes of the set-up at once
		fmt.Println(err)
		return
	}
	other := protocol.New(protocol.Config{Name: "ships", TickRate: 30})
	fmt.Println("tick rate:", p.TickRate())
	fmt.Println("equal to an empty one:", p.Hash() == other.Hash())
	// Output:
	// tick rate: 30
	// equal to an empty one: false
}

// Mistakes are found when something is registered, and tell what to do instead.
func ExampleProtocol_Err() {
	type Inventory struct{ Items []string }
	p := protocol.New(protocol.Config{Name: "shop"})
	protocol.Component[Inventory](p)
	fmt.Println(p.Err() != nil)
	// Output:
	// true
}
