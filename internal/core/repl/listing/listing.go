// Package listing lists the contents of a sender's bytes, without a replica to apply them to: the
// entities that each record names, and the components with values. It is for tests and tools, which
// compare the list with the view of a peer.
//
// Updates and Actions read what a receiver's HandleUpdates and HandleActions do. They
// share nothing with those but the words that records are made of.
package listing

import (
	"errors"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// ErrMalformed means that no sender writes such bytes.
var ErrMalformed = errors.New("listing: malformed replication bytes")

// Entry is one member of a group that a record names.
type Entry struct {
	Kind   repl.Kind
	Tick   entangle.Tick
	Group  repl.Handle
	Member repl.Member
	Comps  set.Mask // with values in the record
}

// Values reads past the values of components.
type Values interface {
	// Begin begins a record. differs: values of components that are sent as differences
	// are such.
	Begin(differs bool)
	Skip(r *bits.Reader, comp int) error
}

// Lister reads bytes and lists their contents.
type Lister struct {
	sets   repl.Sets
	values Values
	tell   func(*Entry)

	in    bits.Reader
	list  repl.SetList
	refs  []repl.Ref
	needs []repl.Need
	joins []repl.Member
	entry Entry
	usual set.Mask // of the last full

	predicted repl.Predicted
}

// New returns a lister for a registry of the given number of components. The argument of tell is
// valid until tell returns.
func New(comps int, values Values, tell func(*Entry)) *Lister {
	return &Lister{sets: repl.NewSets(comps), values: values, tell: tell}
}

// beginRecord begins a record.
func (l *Lister) beginRecord(rec *repl.Record) {
	l.list = repl.SetList{}
	l.entry = Entry{Kind: rec.Kind, Tick: rec.Tick, Group: rec.Group}
	l.values.Begin(rec.Kind == repl.Update && rec.Differs(rec.Tick))
}

// member lists a member.
func (l *Lister) member(number repl.Member) {
	l.entry.Member = number
	l.tell(&l.entry)
	l.entry.Comps = set.Mask{}
}

// skip reads past the values of a set.
func (l *Lister) skip(comps *set.Mask) error {
	for c := range comps.All() {
		if err := l.values.Skip(&l.in, c); err != nil {
			return err
		}
	}
	return nil
}

// readRefs reads the table that stands before a body.
func (l *Lister) readRefs() (err error) {
	l.refs = l.refs[:0]
	if l.in.Bool() {
		var ok bool
		l.refs, ok = repl.ReadRefs(&l.in, l.refs)
		return malformedIf(!ok)
	}
	return malformedIf(l.in.Err() != nil)
}

func malformedIf(bad bool) error {
	if bad {
		return ErrMalformed
	}
	return nil
}
