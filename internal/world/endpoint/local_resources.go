package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// localShelf tracks which resources a local player has, to raise their events. Their values are in
// the server's world already.
type localShelf struct {
	events []*event.ResourceEvents // by number
	lanes  []localLane             // by number
	raised []func()                // for the next frame
}

// localLane is the state of one resource in the last events for the player.
type localLane struct {
	version uint32
	holds   bool
}

// AttachResources registers the events of resources with the hub.
func (l *Local) AttachResources(hub *event.Hub, s *message.Resources) {
	for i := range s.List {
		l.shelf.events = append(l.shelf.events, hub.AddResource(s.List[i].Info.Type))
	}
	l.shelf.lanes = make([]localLane, len(s.List))
}

// observe compares the resources with the state known to the player, and queues events for the
// differences.
func (l *localShelf) observe(s *message.Resources, id entangle.ClientID) {
	for i := range l.lanes {
		r, lane, events := &s.List[i], &l.lanes[i], l.events[i]
		if !r.On || !r.Observed {
			continue
		}
		wanted := r.There && s.Targets.Contains(r.Target, id)
		switch {
		case wanted && !lane.holds:
			l.push(events.Inserted)
		case wanted && lane.version != r.Version:
			l.push(events.Updated)
		case !wanted && lane.holds:
			l.push(events.Removed)
		}
		*lane = localLane{version: r.Version, holds: wanted}
	}
}

func (l *localShelf) push(emit func()) {
	if emit != nil {
		l.raised = append(l.raised, emit)
	}
}

// raise raises the events that the last frame queued.
func (l *localShelf) raise() {
	for _, emit := range l.raised {
		emit()
	}
	l.raised = l.raised[:0]
}

// clear ends a connection: it raises the queued events, and those of the removal of all resources.
func (l *localShelf) clear() {
	l.raise()
	for i := range l.lanes {
		if l.lanes[i].holds {
			l.push(l.events[i].Removed)
		}
	}
	l.raise()
	clear(l.lanes)
}
