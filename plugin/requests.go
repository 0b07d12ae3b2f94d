package plugin

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Requester sends requests to the server, for one system of a client or of a host's player.
type Requester[Q, A any] struct {
	post   *message.Post
	draft  *draft[Q]
	number int
}

// ErrReplaying is the error of a request in a replay: the first run of a tick sends its requests.
// Send them where components.Time is not Replaying, or in a system of FirstTime.
var ErrReplaying = message.ErrReplaying

// NewRequester returns a requester for requests of type Q, whose responses are read by
// NewReader[ResponseReceived[Q, A]]. It panics if no app is initialised in the world, and if the
// pair is not registered.
func NewRequester[Q, A any](w *ecs.World) Requester[Q, A] {
	who := fmt.Sprintf("NewRequester[%v, %v]", reflect.TypeFor[Q](), reflect.TypeFor[A]())
	post := mustHaveApp(w, who).Post
	number, question, _ := mustRequest[Q, A](post, who)
	return Requester[Q, A]{post: post, draft: newDraft[Q](question), number: number}
}

func mustRequest[Q, A any](post *message.Post, who string) (number int, question, answer *wire.Plan) {
	number, question, answer, ok := post.RequestOf(reflect.TypeFor[Q](), reflect.TypeFor[A]())
	if !ok {
		panic(fmt.Sprintf("plugin: %s, which is not registered; register it with protocol.Request[%v, %v](p) "+
			"before the app is made", who, reflect.TypeFor[Q](), reflect.TypeFor[A]()))
	}
	return number, question, answer
}

// Request sends a request with the packets of this frame. One ResponseReceived with the returned id
// will follow. It has the response, the handler's error, or an error that says that the connection
// ended first. The returned error describes an invalid request, says that 256 are waiting already,
// or is ErrReplaying or ErrNotConnected; then nothing was sent, and no ResponseReceived follows.
func (r *Requester[Q, A]) Request(question Q) (id uint32, err error) {
	r.draft.value = question
	defer r.draft.clear()
	return r.post.Request(r.number, r.draft.encode)
}

// HandleRequest sets the function that answers requests of type Q on a server, once for each kind
// of request. It is called while the server receives. Its error reaches the client as text, cut to
// 512 bytes.
//
// It panics if no app is initialised in the world, if the pair is not registered, and on a client,
// which does not answer requests.
func HandleRequest[Q, A any](w *ecs.World, answer func(entangle.ClientID, Q) (A, error)) {
	who := fmt.Sprintf("HandleRequest[%v, %v]", reflect.TypeFor[Q](), reflect.TypeFor[A]())
	post := mustHaveApp(w, who).Post
	number, questions, answers := mustRequest[Q, A](post, who)
	err := post.HandleRequests(number, func(from entangle.ClientID, r *bits.Reader, refs wire.RefReader) (message.Answer, error) {
		var q Q
		if err := decodeWhole(questions, r, &q, refs); err != nil {
			return nil, fmt.Errorf("%w: %w", message.ErrQuestion, err)
		}
		a, err := answer(from, q)
		if err != nil {
			return nil, err
		}
		return func(w *bits.Writer, refs wire.RefWriter) error {
			return wire.EncodeValue(answers, w, &a, refs)
		}, nil
	})
	if err != nil {
		panic(fmt.Sprintf("plugin: %s: %v", who, err))
	}
}
