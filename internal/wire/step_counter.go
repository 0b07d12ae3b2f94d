package wire

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// StepCounter counts the steps of a component's differences and derives codes from them, as
// StepCounts do.
type StepCounter struct {
	counts  stepcode.StepCounts
	scratch bits.Writer
	buf     []byte
}

// Add counts the steps of a difference as EncodeDelta would write them. The bases must
// have a trail. A component with a difference of the game's own has no steps.
func (c *StepCounter) Add(p *Plan, from *Bases, value []byte) {
	if p.differ != nil {
		return
	}
	c.scratch.Reset(c.buf[:0])
	d := deltaWriter{w: &c.scratch, refs: noEntities{}, motion: from.motion(), Course: stepcode.NewCourse(from.Trail, nil), counts: &c.counts}
	d.fields(p.fields, p.origin(from), p.addressOf(value))
	c.buf = c.scratch.Finish()
}

// Derive is StepCounts.Derive.
func (c *StepCounter) Derive(present *stepcode.Codes, most int) *stepcode.Codes {
	return c.counts.Derive(present, most)
}

// noEntities is a table that stays empty.
type noEntities struct{}

// Index implements RefWriter.
func (noEntities) Index(ecs.Entity) uint32 { return 0 }
