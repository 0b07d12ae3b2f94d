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
	Once      bool // only inserts and removes are sent, not updates
	Input     bool // registered as an input: its presence is replicated, and never its value
	Delta     bool // updates may be differences, by Plan.EncodeDelta
	Motion    bool // differences are taken with Bases.Older, where there is one
	Adaptive  bool // differences are written with Bases.Codes, once the other side has some
	Relation  bool // of Arche: its target is replicated with its value
	Hierarchy bool // by that option: of children to their parents

	Predict SyncMode // on entities that a client predicts
	Round   bool     // values are rounded to their wire lattice on both sides after every tick

	// Correct is how long the presentation takes to ease over a correction; 0 is at
	// once.
	Correct time.Duration

	// Blending blends values, one or many; Blend is nil if no function was given.
	blend.Funcs

	// TooFar reports that a and b must not be blended. Same reports that a predicted
	// value needs no correction. Both take the memory of one value each; nil means
	// not given. Without Same, Plan.Equal decides.
	TooFar func(a, b []byte) bool
	Same   func(predicted, confirmed []byte) bool
}

// Local is a component that is rolled back and never sent.
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
	Rebroadcast bool // the server passes it on to other clients
}

// Message is a registered message.
type Message struct {
	Number    int    // on the wire; dense from 0, in the order of names
	Name      string // of the type, with its package path
	Type      reflect.Type
	Plan      *wire.Plan
	Mode      Mode     // also that of Channel
	Channel   *Channel // nil: the default channel of Mode
	Direction Direction
	Priority  float32 // relative to other messages of the channel
	Relay     bool    // a client may ask the server to pass it on
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

// Channel is a channel of the game's own. Its fields are those of protocol.ChannelConfig,
// defaults filled in but for the resends.
type Channel struct {
	Number       int // dense from 0, in the order of names; default channels not counted
	Name         string
	Mode         Mode
	Direction    Direction
	Priority     float32
	KeepUnsent   bool
	SendEvery    time.Duration
	ResendFactor float32
	ResendMin    time.Duration
}
