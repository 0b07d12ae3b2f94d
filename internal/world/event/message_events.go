package event

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Head holds the sender, the recipient and the tick of a message.
type Head struct {
	From entangle.ClientID // Nobody: the server
	To   entangle.ClientID // the player of this world; Nobody: this server
	Tick entangle.Tick     // of the sender
}

// MessageSink decodes a received message into the queue of its type. The reader holds exactly the
// message's body; refs resolves the entities in it. An error means that the peer's bytes are
// malformed; no event was raised then.
type MessageSink func(head Head, r *bits.Reader, refs wire.RefReader) error

// MessageEvents raises the events of one message type. The code that receives messages does not
// know their types: it holds one MessageEvents per message number.
//
// A message that no system reads is skipped and counted. Its bytes are not decoded, so a game pays
// nothing for messages that it does not read.
type MessageEvents struct {
	plan    *wire.Plan
	sink    MessageSink
	skipped uint64
}

// AddMessage returns the events of the plan's message type and makes them available to readers. The
// engine calls it for every registered message before any system of the game is initialised.
// Calling it again returns the same events.
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

// Plan returns the decoding plan of this message type.
func (m *MessageEvents) Plan() *wire.Plan { return m.plan }

// OnMessage sets the function that Receive calls. Each message type has one queue and so one sink;
// setting it again replaces it.
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
