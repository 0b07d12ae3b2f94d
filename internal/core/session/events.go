package session

import "github.com/entangle-ecs/entangle"

// EventKind is the kind of an event.
type EventKind uint8

const (
	// Connected: a client was given a slot.
	Connected EventKind = iota + 1
	// Disconnected: a client lost its slot.
	Disconnected
)

// Event is a change of a server's clients.
type Event struct {
	Kind     EventKind
	Slot     int
	ClientID entangle.ClientID
	Addr     Addr

	// UserData of the token, all 256 bytes with trailing zeros. Only for Connected.
	// Valid until the slot's Disconnected event is polled.
	UserData []byte

	// Reason of the end. Only for Disconnected.
	Reason Reason
}

// addEvent completes the event and queues it. There is always room: a slot has at most a Connected and a Disconnected
// event unpolled.
func (s *Server) addEvent(e Event) {
	c := &s.slots[e.Slot]
	e.ClientID, e.Addr = c.client, c.addr
	if e.Kind == Connected {
		e.UserData = c.userData[:]
	}
	*s.events.PushBack() = e
}

// PollEvent returns the next event, oldest first. Each client's Connected comes
// before its Disconnected. Polling a Disconnected event frees the slot.
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
