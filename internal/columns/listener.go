package columns

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// structureListener hears of every change of structure and marks what to look at
// in the next Sync. It does not trust the order of events: a listener before it
// may change the world and so nest newer events into older ones.
type structureListener struct{ t *Table }

// Listener returns the listener that the caller adds to the world's
// listener.Dispatch, once. It never changes the world.
func (t *Table) Listener() ecs.Listener { return structureListener{t} }

// Subscriptions is part of ecs.Listener.
func (structureListener) Subscriptions() event.Subscription { return event.All }

// Components is part of ecs.Listener: all, because any component that is added or
// removed moves rows.
func (structureListener) Components() *ecs.Mask { return nil }

// Notify is part of ecs.Listener.
func (l structureListener) Notify(w *ecs.World, evt ecs.EntityEvent) {
	t := l.t
	if w != t.world {
		return
	}
	t.canary.heard = true
	slot, known := t.slots.find(evt.Entity)
	if !known {
		if !evt.Added.Get(t.marker) {
			if evt.Contains(event.EntityCreated) {
				t.slots.bear(evt.Entity, t.syncs)
			}
			return
		}
		if !w.Alive(evt.Entity) {
			// A listener before us heard of it first and removed it.
			t.passing = true
			return
		}
		slot = t.adopt(evt.Entity, t.formBefore(&evt))
	}
	p := t.touch(slot)
	if evt.Contains(event.EntityCreated) {
		p.form = Form{} // a listener before us has given it the marker
	}
	if evt.Contains(event.EntityRemoved) {
		p.bare = !evt.Removed.Get(t.marker)
	}
	if t.muted {
		t.forgive(p, &evt)
	}
}

// SetMuted switches reports of structure off and on. While muted, what happens to
// entities is followed but counts as known: it is the caller's own doing, and is
// not reported by Observe. Values are compared all the same; call Sync before
// unmuting to take the values of entities and components that came while muted as
// known, and Accept for others.
func (t *Table) SetMuted(muted bool) { t.muted = muted }

// adopt gives a slot to an entity that has none.
func (t *Table) adopt(e ecs.Entity, before Form) Slot {
	s := t.slots.take(e)
	p := t.pend(s)
	p.spawned, p.form = true, before
	return s
}

// touch marks a slot for the next Sync.
func (t *Table) touch(s Slot) *pending {
	info := &t.slots.info[s]
	if info.touched {
		t.passing = true
	} else {
		info.touched = true
		t.touched = append(t.touched, s)
	}
	p := t.pend(s)
	p.stirred = true
	return p
}

// forgive writes an event of the caller's own doing into what is known.
func (t *Table) forgive(p *pending, evt *ecs.EntityEvent) {
	if evt.Contains(event.EntityRemoved) {
		p.quiet = true
		return
	}
	if !t.world.Alive(evt.Entity) {
		return
	}
	if evt.Added.Get(t.marker) && p.spawned {
		p.spawned = false
		mask := t.world.Mask(evt.Entity)
		p.settled.Set(t.markerCol())
		for c := range t.markerCol() {
			if mask.Get(t.cols[c].ID) {
				p.known.Set(c)
				p.settled.Set(c)
			}
		}
	} else {
		t.forgiveColumns(p, evt)
	}
	if !p.spawned {
		p.target = t.world.Relations().GetUnchecked(evt.Entity, t.marker)
	}
}

func (t *Table) forgiveColumns(p *pending, evt *ecs.EntityEvent) {
	for _, id := range evt.AddedIDs {
		if c, ok := t.colOf[id]; ok && c != t.markerCol() {
			p.known.Set(c)
			p.settled.Set(c)
		} else if ok {
			p.paused = false
		}
	}
	for _, id := range evt.RemovedIDs {
		if c, ok := t.colOf[id]; ok && c != t.markerCol() {
			p.known.Clear(c)
		} else if ok {
			p.paused = true
		}
	}
}
