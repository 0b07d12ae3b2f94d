package systems

import "github.com/entangle-ecs/entangle"

// localShelf is what the player who lives in the server's world was told of resources.
// They are the world's own: it gets their events, and nothing else.
type localShelf struct {
	events []*ResourceEvents // by number
	lanes  []localLane       // by number
	raised []func()          // for the next frame
}

// localLane is what the player was told of one resource.
type localLane struct {
	version uint32
	holds   bool
}

// AttachResources makes the events of resources known to readers.
func (l *Local) AttachResources(hub *Hub, s *Resources) {
	for i := range s.list {
		l.shelf.events = append(l.shelf.events, hub.AddResource(s.list[i].info.Type))
	}
	l.shelf.lanes = make([]localLane, len(s.list))
}

// observe takes in what the resources are by now.
func (l *localShelf) observe(s *Resources, id entangle.ClientID) {
	for i := range l.lanes {
		r, lane, events := &s.list[i], &l.lanes[i], l.events[i]
		if !r.on || !r.observed {
			continue
		}
		wanted := r.there && s.targets.Contains(r.target, id)
		switch {
		case wanted && !lane.holds:
			l.push(events.inserted)
		case wanted && lane.version != r.version:
			l.push(events.updated)
		case !wanted && lane.holds:
			l.push(events.removed)
		}
		*lane = localLane{version: r.version, holds: wanted}
	}
}

func (l *localShelf) push(emit func()) {
	if emit != nil {
		l.raised = append(l.raised, emit)
	}
}

// raise tells of what the last frame left.
func (l *localShelf) raise() {
	for _, emit := range l.raised {
		emit()
	}
	l.raised = l.raised[:0]
}

// clear ends what belongs to a connection.
func (l *localShelf) clear() {
	l.raise()
	for i := range l.lanes {
		if l.lanes[i].holds {
			l.push(l.events[i].removed)
		}
	}
	l.raise()
	clear(l.lanes)
}
