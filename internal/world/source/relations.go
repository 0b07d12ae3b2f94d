package source

import (
	"errors"

	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// TargetRef is the number of a relation's target among the references of its
// component: the others count from 0.
const TargetRef = -1

// ErrTwoRelations means that a peer gives an entity a second relation, which no world
// of Arche can hold.
var ErrTwoRelations = errors.New("source: an entity with two relations")

// RelationOf returns the relation that a slot has, among those that are sent.
func (c *Collector) RelationOf(s columns.Slot) (comp int, ok bool) {
	mask := c.Table.Mask(s).And(c.Sent.relations)
	comp = mask.Next(0)
	return comp, comp >= 0
}

// resendRetargeted makes relations due that have another target.
func (c *Collector) resendRetargeted() {
	for _, s := range c.Table.Retargeted() {
		if comp, ok := c.RelationOf(s); ok && !c.Sent.Once.Has(comp) {
			c.slots = append(c.slots[:0], repl.Slot(s))
			c.forgetOverwritten(comp)
			c.World.Change(comp, c.slots)
		}
	}
}

// encodeTarget writes the target of a relation.
func (c *Collector) encodeTarget(w *bits.Writer, s columns.Slot) {
	wire.EncodeTarget(w, c.Table.Target(s), &c.refs)
}
