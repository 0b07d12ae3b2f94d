package source

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// TargetRef is the number of a relation's target among the references of its
// component: the others count from 0.
const TargetRef = -1

// ErrTwoRelations means that a peer gives an entity a second relation, which no world
// of Arche can hold.
var ErrTwoRelations = errors.New("source: an entity with two relations")

// RelationOf returns the relation that a slot has, among those that are sent.
func (p *Publisher) RelationOf(s columns.Slot) (comp int, ok bool) {
	cols := p.Table.Mask(s).And(p.relations)
	col := cols.Next(0)
	if col < 0 {
		return 0, false
	}
	return p.Comps[col], true
}

// retarget makes relations due that have another target.
func (p *Publisher) retarget() {
	for _, s := range p.Table.Retargeted() {
		if comp, ok := p.RelationOf(s); ok && !p.Once.Has(comp) {
			p.slots = append(p.slots[:0], repl.Slot(s))
			p.overwritten(comp)
			p.Sender.Change(comp, p.slots)
		}
	}
}

// encodeTarget writes the target of a relation.
func (p *Publisher) encodeTarget(w *bits.Writer, s columns.Slot) {
	wire.EncodeTarget(w, p.Table.Target(s), &p.refs)
}

// Related is what a copy knows of the relations between its entities.
type Related struct {
	Comps repl.Mask
	Lost  []LostTarget // of the record at hand
	Held  []ecs.Entity // who had the one at hand for a target
}

// LostTarget is an entity that was the target of a relation, and went.
type LostTarget struct {
	Entity ecs.Entity
	ID     repl.ID
}
