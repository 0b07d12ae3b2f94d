package registry

import (
	"reflect"
	"time"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/blend"
)

// Component is a registered component.
type Component struct {
	Number    int    // on the wire; dense from 0, in the order of names
	Name      string // of the type, with its package path
	Type      reflect.Type
	Plan      *wire.Plan
	Refreshed bool // a function of the game changes the sent value; see BlueprintFuncs.Refresh
	Once      bool // only inserts and removes are sent, and no updates
	Input     bool // registered as an input: its presence is replicated, but never its value
	Delta     bool // updates may be differences, written by Plan.EncodeDelta
	Motion    bool // differences use Bases.Older if there is a previous baseline
	Relation  bool // an Arche relation: its target is replicated with its value
	Hierarchy bool // registered with the option Hierarchy: relates children to their parents

	Predict SyncMode // how it is synchronised on predicted entities
	Round   bool     // values are rounded to what the wire can express, on both sides after every tick

	// Interpolate is how it is synchronised on interpolated entities. Full blends values with Funcs.
	Interpolate SyncMode

	// Extrapolate is for how long a value goes on in its direction on interpolated entities, while no newer
	// one is there. 0: it rests.
	Extrapolate time.Duration

	// Rewind makes a server keep its values of the last ticks, for lag compensation.
	Rewind bool

	// Correct is how long it takes to smooth a correction on the screen. 0 corrects at once.
	Correct time.Duration

	// Funcs are the functions for blending values. Blend is nil if no function was given.
	blend.Funcs

	// Curve blends values together with those of the component With, on interpolated entities that have
	// both. It is nil if no function was given.
	Curve blend.Curve
	With  int

	// TooFar reports that a and b must not be blended. Same reports that a predicted value needs no
	// correction; without it, Plan.Equal decides. Each argument is the memory of one value. Both
	// may be nil.
	TooFar func(a, b []byte) bool
	Same   func(predicted, confirmed []byte) bool
}

// Local is a component that is rolled back but never sent.
type Local struct {
	Name string // of the type, with its package path
	Type reflect.Type
}

// Input is a registered input.
type Input struct {
	Number      int    // on the wire; dense from 0, in the order of names
	Name        string // of the type, with its package path
	Type        reflect.Type
	Plan        *wire.Plan
	Rebroadcast bool // the server relays it to other clients
}

// Message is a registered message.
type Message struct {
	Number    int    // on the wire; dense from 0, in the order of names
	Name      string // of the type, with its package path
	Type      reflect.Type
	Plan      *wire.Plan
	Mode      Mode     // equal to that of Channel
	Channel   *Channel // nil for the default channel of Mode
	Direction Direction
	Priority  float32 // relative to other messages of the channel
	Relay     bool    // a client may ask the server to relay it
	WhenShown bool    // a client delivers it when it shows interpolated entities as of the message's tick
}

// Request is a registered request.
type Request struct {
	Number   int    // on the wire; dense from 0, in the order of names
	Name     string // of both types, with their package paths
	Question *wire.Plan
	Answer   *wire.Plan
}

// Resource is a registered resource.
type Resource struct {
	Number   int    // on the wire; dense from 0, in the order of names
	Name     string // of the type, with its package path
	Type     reflect.Type
	Plan     *wire.Plan
	Rollback bool // restored and replayed with the predicted entities
}

// Channel is a channel that the game has added. Its fields are those of protocol.ChannelConfig,
// with defaults filled in except for the resend times.
type Channel struct {
	Number       int // dense from 0, in the order of names; default channels have none
	Name         string
	Mode         Mode
	Direction    Direction
	Priority     float32
	KeepUnsent   bool
	SendEvery    time.Duration
	ResendFactor float32
	ResendMin    time.Duration
}
