package repl

import (
	"github.com/entangle-ecs/entangle"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Since is the tick since when a network id or handle has had its present meaning, where a receiver
// may have known another entity or group by it. Earlier references led to that one, and now lead to
// none. The zero value states that there was no other.
type Since struct {
	// Tick is rounded down to a multiple of 1<<sinceBits: ids rest for longer than the rounding.
	Tick entangle.Tick
	Some bool
}

// sinceBits is the number of low bits of a tick that Since leaves out.
const sinceBits = 6

// sinceAges is the number of different ages. Ticks older than half the range of ticks are read as
// later ones, so that nothing waits for them.
const sinceAges = 1 << (32 - sinceBits)

// SinceAt returns the Since of an id that others had before a tick.
func SinceAt(t entangle.Tick) Since { return Since{Tick: t >> sinceBits << sinceBits, Some: true} }

// Or returns the later of two.
func (s Since) Or(o Since) Since {
	if !s.Some || o.Some && s.Tick.Before(o.Tick) {
		return o
	}
	return s
}

// MaxSinceBits bounds the size of a Since.
const MaxSinceBits = 2 + 32

// Bits returns the size of a Since in an action of a tick.
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

// age returns the distance to a later tick, in units of 1<<sinceBits ticks.
func (s Since) age(now entangle.Tick) uint64 {
	return uint64(now>>sinceBits<<sinceBits-s.Tick) >> sinceBits
}

// append writes it as the distance to a tick that is not before it.
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
