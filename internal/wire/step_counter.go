package wire

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// StepCounter counts the steps in the differences of a component, and derives codes from the counts
// like stepcode.StepCounts.
type StepCounter struct {
	counts  stepcode.StepCounts
	scratch bits.Writer
	buf     []byte
}

// Add counts the steps that EncodeDelta would write for a difference. from must have a trail. It
// does nothing for a component with a Differ, which has no steps.
func (c *StepCounter) Add(p *Plan, from *Bases, value []byte) {
	if p.differ != nil {
		return
	}
	c.scratch.Reset(c.buf[:0])
	d := deltaWriter{w: &c.scratch, refs: noEntities{}, motion: from.motion(), Course: stepcode.NewCourse(from.Trail, nil), counts: &c.counts}
	d.fields(p.fields, p.origin(from), p.addressOf(value))
	c.buf = c.scratch.Finish()
}

// Derive calls StepCounts.Derive.
func (c *StepCounter) Derive(present *stepcode.Codes, most int) *stepcode.Codes {
	return c.counts.Derive(present, most)
}

// noEntities is a table of references that stays empty.
type noEntities struct{}

// Index implements RefWriter.
func (noEntities) Index(ecs.Entity) uint32 { return 0 }
