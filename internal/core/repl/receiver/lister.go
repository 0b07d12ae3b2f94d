package receiver

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// Lister lists the contents of a sender's bytes: the entities that each record names, and the components with values. It
// is for tests and tools, which compare the list with the view of a peer. It reads records as a Receiver does, and applies
// none.
type Lister struct{ reader *Receiver }

// Entry is one member of a group that a record names.
type Entry struct {
	Tick   entangle.Tick
	Group  repl.Handle
	Member repl.Member
	Comps  set.Mask // with values in the record
}

// NewLister returns a lister for a registry of the given number of components. Of the sink it calls Skip, and the methods
// of a Differ.
func NewLister(sink Sink, comps int, report func(Entry)) *Lister {
	l := &Lister{reader: New(sink, comps)}
	l.reader.replica.bodies.report = report
	return l
}

// Actions lists an action message.
func (l *Lister) Actions(message []byte) error { return l.reader.HandleActions(message) }

// Updates lists an updates frame of a packet that was sent at tick.
func (l *Lister) Updates(tick entangle.Tick, frame []byte) error {
	return l.reader.HandleUpdates(tick, frame)
}

// listMember lists a member that the current record names.
func (b *bodyReader) listMember(number repl.Member, comps set.Mask) {
	if b.report != nil {
		b.report(Entry{Tick: b.rec.Tick, Group: b.rec.Group, Member: number, Comps: comps})
	}
}
