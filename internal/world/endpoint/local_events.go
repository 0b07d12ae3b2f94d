package endpoint

import (
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/mlange-42/arche/ecs"
)

// queueEvent queues an event for the next frame.
func (v *localView) queueEvent(kind viewEventKind, comp int, e ecs.Entity) {
	v.raised = append(v.raised, viewEvent{kind, comp, e})
}

// queueEvents queues an event for each component of a set.
func (v *localView) queueEvents(kind viewEventKind, comps set.Mask, e ecs.Entity) {
	for comp := range comps.All() {
		v.queueEvent(kind, comp, e)
	}
}

// beginFrame runs at the start of a frame: it tags entities and raises the queued events of the last
// frame.
func (v *localView) beginFrame() {
	for _, t := range v.tags {
		v.retag(t)
	}
	v.tags = v.tags[:0]
	v.raise()
}

func (v *localView) retag(t tagging) {
	w, tag := v.collector.Arche, v.tag[t.mark]
	switch {
	case !w.Alive(t.entity) || w.Has(t.entity, tag[0]) == t.on:
	case t.on:
		w.Exchange(t.entity, tag, nil)
	default:
		w.Exchange(t.entity, nil, tag)
	}
}

func (v *localView) raise() {
	for _, s := range v.raised {
		switch s.kind {
		case spawned:
			v.onSpawned(s.entity)
		case despawned:
			v.onDespawn(s.entity)
		case inserted:
			v.events[s.comp].Inserted(s.entity)
		case updated:
			v.events[s.comp].Updated(s.entity)
		case removed:
			v.events[s.comp].Removed(s.entity)
		}
	}
	v.raised = v.raised[:0]
}
