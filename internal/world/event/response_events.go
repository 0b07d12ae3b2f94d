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
	answer  *wire.Plan
	sink    ResponseSink
	skipped uint64
}

// requestKey identifies a kind of request by the types of question and answer.
type requestKey struct{ question, answer reflect.Type }

// AddRequest returns the answers to requests of the given question and answer, and makes them
// available to readers. The engine calls it for every registered request before any system of the
// game is initialised. Calling it again returns the same events.
func (h *Hub) AddRequest(question, answer *wire.Plan) *ResponseEvents {
	key := requestKey{question.Type(), answer.Type()}
	if e, ok := h.responses[key]; ok {
		return e
	}
	e := &ResponseEvents{answer: answer}
	h.responses[key] = e
	return e
}

// Request returns the answers to a kind of request, or false if it is not
// registered.
func (h *Hub) Request(question, answer reflect.Type) (*ResponseEvents, bool) {
	e, ok := h.responses[requestKey{question, answer}]
	return e, ok
}

// Plan returns the decoding plan of the answers.
func (e *ResponseEvents) Plan() *wire.Plan { return e.answer }

// OnResponse sets the function that Receive and Fail call; setting it again replaces it.
func (e *ResponseEvents) OnResponse(sink ResponseSink) { e.sink = sink }

// Skipped returns how many answers arrived that no system reads.
func (e *ResponseEvents) Skipped() uint64 { return e.skipped }

// Receive raises the answer to request number id. An error means that the peer's bytes are
// malformed; no event was raised then.
func (e *ResponseEvents) Receive(id uint32, r *bits.Reader, refs wire.RefReader) error {
	if e.sink == nil {
		e.skipped++
		return nil
	}
	return e.sink(id, nil, r, refs)
}

// Fail raises the failure of request number id, which got no answer, with its reason.
func (e *ResponseEvents) Fail(id uint32, failed error) {
	if e.sink == nil {
		e.skipped++
		return
	}
	_ = e.sink(id, failed, nil, nil) // reads no bytes, so it cannot fail
}
