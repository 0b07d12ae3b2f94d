package inspect

import (
	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// InterpolationChange is what happens to an interpolated entity on a client.
type InterpolationChange uint8

const (
	// InterpolationBegun: its state is kept apart from the world from now on.
	InterpolationBegun InterpolationChange = iota
	// InterpolationHeld: it has not changed up to Tick, and its state as of a later one arrives next.
	InterpolationHeld
	// InterpolationReceived: its state as of Tick has arrived.
	InterpolationReceived
	// InterpolationInterrupted: it is predicted from now on.
	InterpolationInterrupted
	// InterpolationResumed: its prediction has ended, and it is shown in the past from now on.
	InterpolationResumed
	// InterpolationLeaving: its end as of Tick has arrived.
	InterpolationLeaving
	// InterpolationEnded: it is gone, or its state is that in the world from now on.
	InterpolationEnded
)

// Interpolation is a change of an interpolated entity.
type Interpolation struct {
	Change InterpolationChange
	ID     uint64        // as Mirrored.ID
	Entity ecs.Entity    // the entity in the world of this side
	Tick   entangle.Tick // the server's tick, of some changes
	Every  int           // the interval in ticks of its timeline
	// Hidden means that it is not shown yet, and Predicted that it has its state only for the end of its
	// prediction.
	Hidden, Predicted bool
}
