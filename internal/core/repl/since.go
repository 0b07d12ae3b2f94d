package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Since is from when on a name means whom it means now, where a receiver may have known another
// by it. References from before led to that one, and lead to nobody now. The zero value says that
// nobody had the name.
type Since struct {
	// Tick is rounded down to whole sinceBits: names rest for longer than that takes away.
	Tick entangle.Tick
	Some bool
}

// sinceBits is how many low bits of a tick Since leaves out.
const sinceBits = 6

// sinceAges is how many different ages there are: what is older than half of the range of ticks
// comes out as later, so that nothing waits for it.
const sinceAges = 1 << (32 - sinceBits)

// SinceAt returns that others had a name before a tick.
func SinceAt(t entangle.Tick) Since { return Since{Tick: t >> sinceBits << sinceBits, Some: true} }

// Or returns the later of two.
func (s Since) Or(o Since) Since {
	if !s.Some || o.Some && s.Tick.Before(o.Tick) {
		return o
	}
	return s
}

// MaxSinceBits bounds what one takes.
const MaxSinceBits = 2 + 32

// Bits returns what one takes in an action of a tick.
func (s Since) Bits(now entangle.Tick) int {
	switch age := s.age(now); {
	case !s.Some:
		return 1
	case age == 0:
		return 2
	default:
		return 2 + pack.UvarintBits(age-1)
	}
}

// age returns how long before a tick it is, in units of what it leaves out.
func (s Since) age(now entangle.Tick) uint64 {
	return uint64(now>>sinceBits<<sinceBits-s.Tick) >> sinceBits
}

// append writes it by its distance from a tick that is not before it.
func (s Since) append(w *pack.Writer, now entangle.Tick) {
	w.Bool(s.Some)
	if s.Some {
		s.appendAge(w, now)
	}
}

func (s Since) appendAge(w *pack.Writer, now entangle.Tick) {
	age := s.age(now)
	w.Bool(age == 0)
	if age > 0 {
		w.Uvarint(age - 1)
	}
}

func readSince(r *pack.Reader, now entangle.Tick) (s Since, ok bool) {
	if !r.Bool() {
		return Since{}, r.Err() == nil
	}
	return readSinceAge(r, now)
}

func readSinceAge(r *pack.Reader, now entangle.Tick) (s Since, ok bool) {
	var age uint64
	if !r.Bool() {
		age = min(r.Uvarint(), sinceAges) + 1
	}
	s = SinceAt(now - entangle.Tick(age)<<sinceBits)
	return s, r.Err() == nil && age < sinceAges
}
