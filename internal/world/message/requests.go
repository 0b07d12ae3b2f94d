package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// requestState is the state of one kind of request: a server answers, a client receives answers.
type requestState struct {
	answer  Answerer
	answers *event.ResponseEvents
	calls   []uint32 // on a client: the calls that were not answered yet, oldest first
	next    uint32
}

// Answer writes an answer.
type Answer func(*bits.Writer, wire.RefWriter) error

// Answerer decodes a client's request and returns the function that writes the answer, or an error
// for the client to read. Malformed bytes are an ErrQuestion.
type Answerer func(from entangle.ClientID, r *bits.Reader, refs wire.RefReader) (Answer, error)

// ErrQuestion is wrapped by an Answerer's error for bytes that are not a valid request.
var ErrQuestion = errors.New("message: malformed request")

// maxCalls bounds the requests of one kind that wait for their answers. A client with more gets an
// error: it asks faster than the server answers.
const maxCalls = 256

// maxFailure bounds the text of an error that answers a request, in bytes.
const maxFailure = 512

// Errors of requests that are mistakes of the caller.
var (
	// ErrOnlyClients: requests go from clients to the server.
	ErrOnlyClients = errors.New("plugin: a server does not request; send a message")
	// ErrOnlyServer: requests are answered by the server.
	ErrOnlyServer = errors.New("a client does not answer requests; handle them on the server")
	// ErrHandled: there is a handler already.
	ErrHandled = errors.New("requests of this kind are handled already; a kind has one handler")
	// ErrReplaying: requests of a replayed tick were sent when the tick ran first.
	ErrReplaying = errors.New("plugin: nothing is requested in a replay; ask where components.Time is not Replaying, or in a system of plugin.FirstTime")
	// ErrTooManyCalls: maxCalls requests wait for their answers.
	ErrTooManyCalls = errors.New("plugin: 256 requests of this kind wait for their answers; wait for some")
)

// HandleRequests sets the handler of a kind of request on a server.
func (p *Post) HandleRequests(number int, answer Answerer) error {
	if !p.server {
		return ErrOnlyServer
	}
	if p.requestStates[number].answer != nil {
		return ErrHandled
	}
	p.requestStates[number].answer = answer
	return nil
}

// Request queues a request and returns the number that its answer will have.
func (p *Post) Request(number int, encode func(*bits.Writer, wire.RefWriter) error) (call uint32, err error) {
	if p.Player == nil {
		return 0, ErrOnlyClients
	}
	o := &p.requestStates[number]
	if p.Silent {
		return 0, ErrReplaying
	}
	if !p.joined() {
		return 0, ErrNotConnected
	}
	if len(o.calls) == maxCalls {
		return 0, ErrTooManyCalls
	}
	call = o.next
	if err := p.queue(Outgoing{Kind: Request, Number: number, Call: call, Player: true}, encode); err != nil {
		return 0, err
	}
	o.next++
	o.calls = append(o.calls, call)
	return call, nil
}

var errNoAnswer = errors.New("the connection ended before the answer came, or there was none")

// ForgetCalls drops the player's queued messages, and the requests that wait for an answer, while
// there is no connection.
func (p *Post) ForgetCalls() {
	p.Player.Drop()
	for i := range p.requestStates {
		o := &p.requestStates[i]
		for _, call := range o.calls {
			o.answers.Fail(call, errNoAnswer)
		}
		o.calls = o.calls[:0]
	}
}

func appendRequestHead(w *bits.Writer, l *Outgoing) {
	w.Uvarint(uint64(l.Number))
	w.Bits(uint64(l.Call), 32)
	if l.Kind == Response {
		w.Bool(l.Failed)
	}
}

// deliverRequest handles a request on a server, and a response on a client, unless it waits for entities: late is their
// number. With lacking, it waits for none.
func (m *Inbox) deliverRequest(sent entangle.Tick, lacking bool) (late int, err error) {
	number, call := m.R.Uvarint(), uint32(m.R.Bits(32))
	if m.R.Err() != nil || number >= uint64(len(m.post.requests)) {
		return 0, errNoSuchThing
	}
	if m.post.server {
		return m.deliverQuestion(int(number), call, sent, lacking)
	}
	return m.deliverAnswer(int(number), call, sent, lacking)
}

func (m *Inbox) deliverQuestion(number int, call uint32, sent entangle.Tick, lacking bool) (late int, err error) {
	if plan := m.post.requests[number].Question; plan.HasRefs() {
		missing, late, err := m.table(plan, sent, lacking)
		if late > 0 || err != nil {
			return late, err
		}
		m.countMissing(missing)
	}
	return 0, m.Answer(number, call)
}

// Answer answers the current request.
func (m *Inbox) Answer(number int, call uint32) error {
	m.spent += requestWork
	m.asked++
	p := m.post
	l := Outgoing{Kind: Response, Number: number, Call: call, one: m.from}
	answer := p.requestStates[number].answer
	if answer == nil {
		p.fail(l, fmt.Sprintf("the server does not answer requests of %s", p.requests[number].Name))
		return nil
	}
	encode, err := answer(m.from, &m.R, m)
	switch {
	case errors.Is(err, ErrQuestion):
		return err
	case err != nil:
		p.fail(l, err.Error())
		return nil
	}
	if err := p.queue(l, encode); err != nil {
		p.fail(l, err.Error()) // the answer can't be sent, which is not the client's fault
	}
	return nil
}

// fail answers a request with an error. An answer that cannot be sent in this frame is counted.
func (p *Post) fail(l Outgoing, text string) {
	l.Failed = true
	text = strings.ToValidUTF8(text[:min(len(text), maxFailure)], "")
	err := p.queue(l, func(w *bits.Writer, _ wire.RefWriter) error {
		w.Uvarint(uint64(len(text)))
		w.Raw([]byte(text))
		return nil
	})
	if err != nil {
		p.Stat.Refused++
	}
}

func (m *Inbox) deliverAnswer(number int, call uint32, sent entangle.Tick, lacking bool) (late int, err error) {
	failed := m.R.Bool()
	if plan := m.post.requests[number].Answer; !failed && plan.HasRefs() {
		missing, late, err := m.table(plan, sent, lacking)
		if late > 0 || err != nil {
			return late, err
		}
		m.countMissing(missing)
	}
	return 0, m.HandleResponse(number, call, failed)
}

// HandleResponse raises the answer in the current message.
func (m *Inbox) HandleResponse(number int, call uint32, failed bool) error {
	o := &m.post.requestStates[number]
	if !o.removeCall(call) {
		return errMessage
	}
	if !failed {
		return o.answers.Receive(call, &m.R, m)
	}
	text, err := m.readFailure()
	if err == nil {
		o.answers.Fail(call, errors.New(text))
	}
	return err
}

func (m *Inbox) readFailure() (string, error) {
	n := m.R.Uvarint()
	if n > maxFailure || n*8 > uint64(m.R.RemainingBits()) {
		return "", errMessage
	}
	text := make([]byte, n)
	m.R.Raw(text)
	return string(text), m.R.Err()
}

// removeCall removes an answered call, and reports whether there was one.
func (o *requestState) removeCall(call uint32) bool {
	i := slices.Index(o.calls, call)
	if i >= 0 {
		o.calls = slices.Delete(o.calls, i, i+1)
	}
	return i >= 0
}
