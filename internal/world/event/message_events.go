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
	Tick entangle.Tick     // the sender's tick
}

// MessageSink decodes a received message into the queue of its type. The reader holds exactly the
// message's body; refs resolves the entities in it. An error means that the peer's bytes are
// malformed; no event was raised then.
type MessageSink func(head Head, r *bits.Reader, refs wire.RefReader) error

// MessageEvents raises the events of one message type. The code that receives messages does not
// know their types: it holds one MessageEvents per message number.
//
// A message that no system reads is skipped. Its bytes are not decoded, so a game pays nothing for
// messages that it does not read.
type MessageEvents struct {
	Plan *wire.Plan
	Sink MessageSink // nil: no system reads this message
}

// AddMessage returns the events of the plan's message type and makes them available to readers. The
// engine calls it for every registered message before any system of the game is initialised.
// Calling it again returns the same events.
func (h *Hub) AddMessage(plan *wire.Plan) *MessageEvents {
	return addEvents(h.messages, plan.Type(), MessageEvents{Plan: plan})
}

// Message returns the events of a message type, or nil if it is not registered.
func (h *Hub) Message(t reflect.Type) *MessageEvents { return h.messages[t] }

// Receive raises a message of a peer.
func (m *MessageEvents) Receive(head Head, r *bits.Reader, refs wire.RefReader) error {
	if m.Sink == nil {
		return nil
	}
	return m.Sink(head, r, refs)
}
