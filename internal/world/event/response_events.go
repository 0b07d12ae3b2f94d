package event

import (
	"reflect"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ResponseSink decodes the answer to request number id into the queue of its type. If failed is not
// nil there is no answer, and r is not read.
type ResponseSink func(id uint32, failed error, r *bits.Reader, refs wire.RefReader) error

// ResponseEvents raises the answers to one kind of request. Like MessageEvents it connects code
// that does not know the types with readers that do.
type ResponseEvents struct {
	Answer *wire.Plan
	Sink   ResponseSink // nil: no system reads these answers
}

// requestKey identifies a kind of request by the types of question and answer.
type requestKey struct{ question, answer reflect.Type }

// AddRequest returns the answers to requests of the given question and answer, and makes them
// available to readers. The engine calls it for every registered request before any system of the
// game is initialised. Calling it again returns the same events.
func (h *Hub) AddRequest(question, answer *wire.Plan) *ResponseEvents {
	return addEvents(h.responses, requestKey{question.Type(), answer.Type()}, ResponseEvents{Answer: answer})
}

// Request returns the answers to a kind of request, or nil if it is not registered.
func (h *Hub) Request(question, answer reflect.Type) *ResponseEvents {
	return h.responses[requestKey{question, answer}]
}

// Receive raises the answer to request number id. An error means that the peer's bytes are
// malformed; no event was raised then.
func (e *ResponseEvents) Receive(id uint32, r *bits.Reader, refs wire.RefReader) error {
	if e.Sink == nil {
		return nil
	}
	return e.Sink(id, nil, r, refs)
}

// Fail raises the failure of request number id, which got no answer, with its reason.
func (e *ResponseEvents) Fail(id uint32, failed error) {
	if e.Sink != nil {
		_ = e.Sink(id, failed, nil, nil) // reads no bytes, so it cannot fail
	}
}
