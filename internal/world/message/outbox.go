package message

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Outbox holds messages that wait to be sent, with their bodies and references. Its memory is
// reused from frame to frame.
type Outbox struct {
	Out  []Outgoing
	Seen uint64       // messages ever added
	heap []byte       // the bodies of Out
	refs []ecs.Entity // the references of Out

	w     bits.Writer
	table entityTable
}

// maxOutgoing bounds the bytes of messages that one frame may queue. A game that sends more in a
// frame most likely has an endless loop.
const maxOutgoing = 16 << 20

// outgoingOverhead is how many bytes a message counts in addition to its body.
const outgoingOverhead = 128

func (t *Outbox) full() bool { return len(t.heap)+outgoingOverhead*len(t.Out) > maxOutgoing }

// Errors of messages that cannot be queued, which are mistakes of the caller.
var (
	// ErrTooMuch is returned for a message beyond maxOutgoing.
	ErrTooMuch = errors.New("plugin: more than 16 MiB of messages in one frame")
	// ErrTooLarge is returned for a message that its channel cannot carry.
	ErrTooLarge = errors.New("plugin: a message is too large; split it")
)

// encodeMessage adds a message with a body of at most the given bytes. encode writes the body.
func (t *Outbox) encodeMessage(l Outgoing, most int, encode func(*bits.Writer, wire.RefWriter) error) error {
	if t.full() {
		return ErrTooMuch
	}
	l.body, l.refs = len(t.heap), len(t.refs)
	t.table.reset()
	t.w.Reset(t.heap)
	start := t.w.LenBits()
	if err := encode(&t.w, &t.table); err != nil {
		return err
	}
	l.width = t.w.LenBits() - start
	l.nrefs = len(t.table.entities)
	if t.table.full {
		return fmt.Errorf("%w: it refers to more than %d entities", ErrTooLarge, MaxRefs)
	}
	if size := l.size(); size > most {
		return fmt.Errorf("%w: %d bytes with its entities, at most %d", ErrTooLarge, size, most)
	}
	t.heap, t.refs = t.w.Finish(), append(t.refs, t.table.entities...)
	t.add(l)
	return nil
}

// Forward adds a message with a body that was received from elsewhere, and returns it.
func (t *Outbox) Forward(l Outgoing, body bits.Reader, entities []ecs.Entity) *Outgoing {
	l.body, l.refs, l.nrefs = len(t.heap), len(t.refs), len(entities)
	t.heap = append(t.heap, make([]byte, (l.width+7)/8)...)
	body.Copy(t.heap[l.body:], l.width)
	t.refs = append(t.refs, entities...)
	return t.add(l)
}

func (t *Outbox) add(l Outgoing) *Outgoing {
	l.When = t.Seen
	t.Seen++
	t.Out = append(t.Out, l)
	return &t.Out[len(t.Out)-1]
}

// BodyOf returns the bytes of a message's body.
func (t *Outbox) BodyOf(l *Outgoing) []byte { return t.heap[l.body : l.body+(l.width+7)/8] }

// Entities returns the entities that a message refers to.
func (t *Outbox) Entities(l *Outgoing) []ecs.Entity { return t.refs[l.refs : l.refs+l.nrefs] }

// Drop discards all waiting messages: there is no recipient.
func (t *Outbox) Drop() { t.Out, t.heap, t.refs = t.Out[:0], t.heap[:0], t.refs[:0] }
