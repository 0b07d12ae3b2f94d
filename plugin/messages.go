package plugin

import (
	"fmt"
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// MessageReceived is raised when a message of type M has arrived. Messages that
// arrive while no system reads them are skipped.
type MessageReceived[M any] struct {
	// From is the client that sent the message, as identified by its connection; entangle.Nobody
	// for the server.
	From entangle.ClientID
	// To is the player that received the message: the client itself, or on a Host its own player.
	// It is entangle.Nobody if the server received it.
	To entangle.ClientID
	// Tick is the sender's tick when it sent the packet with which the message was complete: later than
	// the tick of Send if the message was lost, or waited for an earlier one. With WhenShown, it is the
	// tick of the frame of Send: the server's last tick in that frame.
	Tick entangle.Tick
	// Message is the message. Entities in it are entities of this world.
	Message M
}

func (MessageReceived[M]) subscribe(h *event.Hub) {
	t := reflect.TypeFor[M]()
	message := h.Message(t)
	if message == nil {
		panic(fmt.Sprintf("plugin: a reader of messages of %v, which is not registered; "+
			"register it with protocol.Message[%v](p) before the app is made", t, t))
	}
	if message.Sink == nil {
		message.Sink = messageSink[M](event.MessageQueueOf[MessageReceived[M]](h), message.Plan)
	}
}

// messageSink decodes messages directly into the memory of the queue.
func messageSink[M any](q *event.Queue[MessageReceived[M]], plan *wire.Plan) event.MessageSink {
	return func(head event.Head, r *bits.Reader, refs wire.RefReader) error {
		return q.PushNew(func(event *MessageReceived[M]) error {
			event.From, event.To, event.Tick = head.From, head.To, head.Tick
			return decodeWhole(plan, r, &event.Message, refs)
		})
	}
}

// decodeWhole decodes a value and returns an error if data follows it.
func decodeWhole[T any](plan *wire.Plan, r *bits.Reader, v *T, refs wire.RefReader) error {
	if err := wire.DecodeValue(plan, r, v, refs); err != nil {
		return err
	}
	return r.End()
}

// ResponseReceived is raised when the response of type A to a request of type Q has arrived, or can
// no longer arrive.
type ResponseReceived[Q, A any] struct {
	// ID is the number that Request returned.
	ID uint32
	// Answer is the response, zero if Err is not nil.
	Answer A
	// Err says why there is no response: the error of the other side's handler as text, or that the
	// connection ended first.
	Err error
}

func (ResponseReceived[Q, A]) subscribe(h *event.Hub) {
	question, answer := reflect.TypeFor[Q](), reflect.TypeFor[A]()
	responses := h.Request(question, answer)
	if responses == nil {
		panic(fmt.Sprintf("plugin: a reader of answers %v to %v, which is no registered request; "+
			"register it with protocol.Request[%v, %v](p) before the app is made", answer, question, question, answer))
	}
	q := event.MessageQueueOf[ResponseReceived[Q, A]](h)
	responses.Sink = responseSink(q, responses.Answer)
}

func responseSink[Q, A any](q *event.Queue[ResponseReceived[Q, A]], plan *wire.Plan) event.ResponseSink {
	return func(id uint32, failed error, r *bits.Reader, refs wire.RefReader) error {
		return q.PushNew(func(event *ResponseReceived[Q, A]) error {
			event.ID, event.Err = id, failed
			if failed == nil {
				return decodeWhole(plan, r, &event.Answer, refs)
			}
			return nil
		})
	}
}
