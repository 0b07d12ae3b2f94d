package wire

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Tally counts the steps of a component's differences and derives codes from them, as
// StepCounts do.
type Tally struct {
	counts stepcode.StepCounts
	spare  bits.Writer
	buf    []byte
}

// Add counts the steps of a difference as EncodeDelta would write them. The bases must
// have a trail. A component with a difference of the game's own has no steps.
func (t *Tally) Add(p *Plan, from *Bases, value []byte) {
	if p.differ != nil {
		return
	}
	t.spare.Reset(t.buf[:0])
	d := deltaWriter{w: &t.spare, refs: noEntities{}, motion: from.motion(), Course: stepcode.NewCourse(from.Trail, nil), tally: &t.counts}
	d.fields(p.fields, p.origin(from), p.at(value))
	t.buf = t.spare.Finish()
}

// Derive is StepCounts.Derive.
func (t *Tally) Derive(present *stepcode.Codes, most int) *stepcode.Codes {
	return t.counts.Derive(present, most)
}

// noEntities is a table that stays empty.
type noEntities struct{}

// Index implements WireRefWriter.
func (noEntities) Index(ecs.Entity) uint32 { return 0 }
