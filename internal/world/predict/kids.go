package predict

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// kids is what a game hangs on predicted entities: children of its own, which go back with
// them.
type kids struct {
	p         *Prediction
	relations []ecs.ID // of children to their parents
	is        ecs.Mask // the same
	remote    ecs.ID
	mark      []ecs.ID // rewound, as Arche wants it

	heard []ecs.Entity // that may be such children
	asked []ecs.Entity // scratch
	any   bool         // there was one ever
	found []ecs.Entity
}

func newKids(p *Prediction, of *protocol.Protocol) kids {
	k := kids{p: p, remote: ecs.ComponentID[components.Remote](p.world), mark: p.signs[1:]}
	add := func(id ecs.ID) {
		if !k.is.Get(id) {
			k.is.Set(id, true)
			k.relations = append(k.relations, id)
		}
	}
	add(ecs.ComponentID[components.ChildOf](p.world))
	for _, info := range registry.Of(of).Components {
		if source.IsHierarchy(info) {
			add(ecs.TypeID(p.world, info.Type))
		}
	}
	return k
}

// kidListener hears of relations, and changes nothing.
type kidListener struct{ k *kids }

// Subscriptions implements ecs.Listener.
func (kidListener) Subscriptions() event.Subscription { return event.Relations }

// Components implements ecs.Listener.
func (kidListener) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (l kidListener) Notify(w *ecs.World, evt ecs.EntityEvent) {
	k, e := l.k, evt.Entity
	if w != k.p.world || evt.NewRelation == nil || !k.is.Get(*evt.NewRelation) {
		return
	}
	if !w.Alive(e) || w.Has(e, k.remote) || w.Has(e, k.p.signs[1]) {
		return
	}
	k.any = true
	k.heard = append(k.heard, e)
}

// adopt has those that hang on a predicted entity go back with it.
func (k *kids) adopt() {
	for more := true; more && len(k.heard) > 0; {
		more = false
		k.heard, k.asked = k.asked[:0], k.heard
		for _, e := range k.asked {
			switch {
			case !k.waits(e):
			case k.hangs(e):
				k.p.writer.Exchange(e, k.mark, nil, nil)
				k.hear(e)
				more = true
			default:
				k.heard = append(k.heard, e)
			}
		}
	}
	k.heard = k.heard[:0]
}

// waits reports whether an entity is there, and not followed yet.
func (k *kids) waits(e ecs.Entity) bool {
	return k.p.world.Alive(e) && !k.p.Predicts(e) && !k.p.world.Has(e, k.remote)
}

// hangs reports whether an entity is the child of one that goes back.
func (k *kids) hangs(e ecs.Entity) bool {
	for _, id := range k.relations {
		if k.p.world.Has(e, id) && k.p.Predicts(k.p.world.Relations().Get(e, id)) {
			return true
		}
	}
	return false
}

// hear has the children of an entity looked at, which is predicted from now on.
func (k *kids) hear(parent ecs.Entity) {
	if k.any {
		k.each(parent, func(kid ecs.Entity) { k.heard = append(k.heard, kid) })
	}
}

// release has the children of an entity go back no more, which is not predicted from now on.
func (k *kids) release(parent ecs.Entity) {
	if !k.any {
		return
	}
	k.each(parent, func(kid ecs.Entity) {
		s := k.p.slotOf(kid)
		switch {
		case !k.p.Predicts(kid) || k.p.memory.Confirmed(s).Known:
		case k.p.Stripped(s): // it is despawned, and goes as such
		default:
			k.release(kid)
			k.p.writer.Exchange(kid, nil, k.mark, nil)
		}
	})
}

// part ends what the game has hung on entities that went with their connection. What hangs on
// one that stays is the game's.
func (k *kids) part() {
	from := len(k.found)
	marked := ecs.All(k.mark...)
	for query := k.p.world.Query(&marked); query.Next(); {
		k.found = append(k.found, query.Entity())
	}
	for left := k.found[from:]; ; {
		kept := left[:0]
		for _, kid := range left {
			if k.orphan(kid) {
				k.p.writer.Remove(kid)
			} else {
				kept = append(kept, kid)
			}
		}
		if len(kept) == len(left) {
			break
		}
		left = kept
		k.found = k.found[:from+len(kept)]
	}
	for _, kid := range k.found[from:] {
		k.p.writer.Exchange(kid, nil, k.mark, nil)
	}
	k.found = k.found[:from]
}

// orphan reports whether the parent of an entity is gone. One that has shed what it was
// is as good as gone itself; one that the game has taken off its parent is not.
func (k *kids) orphan(kid ecs.Entity) bool {
	for _, id := range k.relations {
		if k.p.world.Has(kid, id) {
			to := k.p.world.Relations().Get(kid, id)
			return !to.IsZero() && !k.p.world.Alive(to)
		}
	}
	slot, followed := k.p.table.SlotOf(kid)
	return followed && k.p.Stripped(rollback.Slot(slot))
}

// each calls do for all children of an entity.
func (k *kids) each(parent ecs.Entity, do func(ecs.Entity)) {
	if !k.p.world.Alive(parent) {
		return
	}
	from := len(k.found)
	for _, id := range k.relations {
		of := ecs.All(id)
		filter := ecs.NewRelationFilter(&of, parent)
		for query := k.p.world.Query(&filter); query.Next(); {
			k.found = append(k.found, query.Entity())
		}
	}
	for i := from; i < len(k.found); i++ {
		do(k.found[i])
	}
	k.found = k.found[:from]
}

// Follow has what the tick at hand has hung on predicted entities go back with them.
func (p *Prediction) Follow() { p.kids.adopt() }
