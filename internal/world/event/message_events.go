package event

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Head says of a message who sent it, and when.
type Head struct {
	From entangle.ClientID // Nobody: the server
	To   entangle.ClientID // the player of this world; Nobody: the server that this is
	Tick entangle.Tick     // of the sender
}

// MessageSink reads a received message of its type into that type's queue. The
// reader holds the message's body and nothing after it; refs maps the entities in
// it. An error means that the peer's bytes are wrong; nothing was raised then.
type MessageSink func(head Head, r *bits.Reader, refs wire.RefReader) error

// MessageEvents raises the events of one message type. The code that receives
// messages does not know their types; it holds one MessageEvents per message
// number.
//
// A message that no system reads is skipped and counted: its bytes are not looked
// at, so that a game that does not care for a message pays nothing for it.
type MessageEvents struct {
	plan    *wire.Plan
	sink    MessageSink
	skipped uint64
}

// AddMessage returns the events of the message type that the plan is for and
// makes them known to readers. The engine calls it for every registered message
// before any system of the game is initialised; calling it again returns the same
// events.
func (h *Hub) AddMessage(plan *wire.Plan) *MessageEvents {
	if m, ok := h.messages[plan.Type()]; ok {
		return m
	}
	m := &MessageEvents{plan: plan}
	h.messages[plan.Type()] = m
	return m
}

// Message returns the events of a message type, or false if it is not registered.
func (h *Hub) Message(t reflect.Type) (*MessageEvents, bool) {
	m, ok := h.messages[t]
	return m, ok
}

// Plan returns how messages of this type are read.
func (m *MessageEvents) Plan() *wire.Plan { return m.plan }

// OnMessage sets what Receive calls. There is one queue per message type, so
// there is one sink; setting it again replaces it.
func (m *MessageEvents) OnMessage(sink MessageSink) { m.sink = sink }

// Wanted reports whether any system reads this message.
func (m *MessageEvents) Wanted() bool { return m.sink != nil }

// Skipped returns how many messages arrived that no system reads.
func (m *MessageEvents) Skipped() uint64 { return m.skipped }

// Receive raises a message of a peer.
func (m *MessageEvents) Receive(head Head, r *bits.Reader, refs wire.RefReader) error {
	if m.sink == nil {
		m.skipped++
		return nil
	}
	return m.sink(head, r, refs)
}
