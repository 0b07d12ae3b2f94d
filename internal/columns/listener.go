package columns

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// structureListener receives the event of every change of structure and marks the affected slots
// for the next Sync. It does not rely on the order of events: another listener may change the world
// while it handles an event, so that later events arrive before that one.
type structureListener struct{ t *Table }

// Listener returns the listener that the caller must add to the world's listener.Dispatch. It never
// changes the world.
func (t *Table) Listener() ecs.Listener { return structureListener{t} }

// Subscriptions implements ecs.Listener.
func (structureListener) Subscriptions() event.Subscription { return event.All }

// Components implements ecs.Listener. It returns nil for all components, because adding or removing
// any component moves rows.
func (structureListener) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (l structureListener) Notify(w *ecs.World, evt ecs.EntityEvent) {
	t := l.t
	if w != t.world {
		return
	}
	t.canary.notified = true
	slot, known := t.slots.find(evt.Entity)
	if !known {
		if !evt.Added.Get(t.marker) {
			if evt.Contains(event.EntityCreated) {
				t.slots.noteCreated(evt.Entity, t.syncs)
			}
			return
		}
		if !w.Alive(evt.Entity) {
			// Another listener has already removed it.
			t.work.passing = true
			return
		}
		slot = t.adopt(evt.Entity, t.formBefore(&evt))
	}
	p := t.touch(slot)
	if evt.Contains(event.EntityCreated) {
		p.form = Form{} // another listener added the marker to the new entity
	}
	if evt.Contains(event.EntityRemoved) {
		p.bare = !evt.Removed.Get(t.marker)
	}
}

// adopt assigns a slot to an entity that has none. before is its structure before it got the
// marker.
func (t *Table) adopt(e ecs.Entity, before Form) Slot {
	s := t.slots.assign(e)
	p := t.pend(s)
	p.spawned, p.form = true, before
	return s
}

// touch marks a slot for the next Sync.
func (t *Table) touch(s Slot) *pending {
	info := &t.slots.info[s]
	if info.touched {
		t.work.passing = true
	} else {
		info.touched = true
		t.work.touched = append(t.work.touched, s)
	}
	p := t.pend(s)
	p.touched = true
	return p
}
