package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// localResources tracks which resources a local player has, to raise their events. Their values are
// in the server's world already.
type localResources struct {
	events []*event.ResourceEvents // by number
	states []localResource         // by number
	raised []func()                // functions that raise events in the next frame
}

// localResource is the state of one resource according to the last events that the player got.
type localResource struct {
	version uint32
	holds   bool
}

// AttachResources registers the events of resources with the hub.
func (l *Local) AttachResources(hub *event.Hub, s *message.Resources) {
	for i := range s.List {
		l.resources.events = append(l.resources.events, hub.AddResource(s.List[i].Info.Type))
	}
	l.resources.states = make([]localResource, len(s.List))
}

// observe compares the resources with the state known to the player, and queues events for the
// differences.
func (l *localResources) observe(s *message.Resources, id entangle.ClientID) {
	for i := range l.states {
		r, state, events := &s.List[i], &l.states[i], l.events[i]
		if !r.On || !r.Observed {
			continue
		}
		wanted := r.There && s.Targets.Contains(r.Target, id)
		switch {
		case wanted && !state.holds:
			l.queueEvent(events.Inserted)
		case wanted && state.version != r.Version:
			l.queueEvent(events.Updated)
		case !wanted && state.holds:
			l.queueEvent(events.Removed)
		}
		*state = localResource{version: r.Version, holds: wanted}
	}
}

func (l *localResources) queueEvent(emit func()) {
	if emit != nil {
		l.raised = append(l.raised, emit)
	}
}

// raise raises the events that the last frame queued.
func (l *localResources) raise() {
	for _, emit := range l.raised {
		emit()
	}
	l.raised = l.raised[:0]
}

// clear ends a connection: it raises the queued events, and those of the removal of all resources.
func (l *localResources) clear() {
	l.raise()
	for i := range l.states {
		if l.states[i].holds {
			l.queueEvent(l.events[i].Removed)
		}
	}
	l.raise()
	clear(l.states)
}
