package session

import "github.com/entangle-ecs/entangle"

// EventKind is the kind of an event.
type EventKind uint8

const (
	// Connected means that a client was given a slot.
	Connected EventKind = iota + 1
	// Disconnected means that a client has lost its slot.
	Disconnected
)

// Event is a change in a server's connected clients.
type Event struct {
	Kind     EventKind
	Slot     int
	ClientID entangle.ClientID
	Addr     Addr

	// UserData is the token's user data: all 256 bytes, with trailing zeros. It is set only for
	// Connected, and valid until the slot's Disconnected event is polled.
	UserData []byte

	// Reason tells why the connection ended. It is set only for Disconnected.
	Reason Reason
}

// addEvent completes the event and queues it. The queue always has room, because each slot has at
// most one Connected and one Disconnected event in it.
func (s *Server) addEvent(e Event) {
	c := &s.slots[e.Slot]
	e.ClientID, e.Addr = c.client, c.addr
	if e.Kind == Connected {
		e.UserData = c.userData[:]
	}
	*s.events.PushBack() = e
}

// PollEvent returns the next event, oldest first. The Connected event of a client comes before its
// Disconnected event. Polling a Disconnected event frees the slot.
func (s *Server) PollEvent() (Event, bool) {
	first := s.events.First()
	if first == nil {
		return Event{}, false
	}
	e := *first
	s.events.RemoveFirst()
	if e.Kind == Disconnected {
		s.freeSlot(e.Slot)
	}
	return e, true
}
