package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Sampler scans the public values of one component, a few in each tick. It reads no private group,
// nor a value from the time in which its entity was in a private one: codes learned from samples
// reveal nothing of hidden data.
type Sampler struct {
	Comp int

	group  repl.Handle // position: the group,
	member repl.Member // and the member in it
	left   int         // samples left to take
	looks  int         // members left to scan
}

// Sample is a value that was sampled.
type Sample struct {
	Slot repl.Slot
	// Begins: the previous sample is of another group.
	Begins bool
}

// looksPerSample is the largest number of members scanned for one sample.
const looksPerSample = 8

// Next appends up to n slots of public groups that became due in this tick: those with a value that
// changed after base and has existed since older. Call it after Commit.
func (s *Sampler) Next(dst []Sample, w *World, n int, base, older entangle.Tick) []Sample {
	s.left, s.looks = n, n*looksPerSample
	from := int(s.group)
	dst = s.stretch(dst, w, from, len(w.public), base, older)
	return s.stretch(dst, w, 0, from, base, older)
}

func (s *Sampler) more() bool { return s.left > 0 && s.looks > 0 }

// stretch scans the groups from a handle up to, but excluding, another.
func (s *Sampler) stretch(dst []Sample, w *World, from, end int, base, older entangle.Tick) []Sample {
	for h := w.moved.Next(from); h >= 0 && h < end && s.more(); h = w.moved.Next(h + 1) {
		if id := w.public[h]; id != noGroup {
			dst = s.members(dst, w, repl.Handle(h), base, older)
		}
	}
	return dst
}

// members scans the members of a group, from where the last tick stopped.
func (s *Sampler) members(dst []Sample, w *World, h repl.Handle, base, older entangle.Tick) []Sample {
	gr, at, begins := &w.groups[w.public[h]], 0, true
	if h == s.group {
		at, _ = gr.searchNumber(s.member)
	}
	for ; at < len(gr.members) && s.more(); at++ {
		s.looks--
		if m := &gr.members[at]; w.sampled(m, s.Comp, base, older) {
			dst = append(dst, Sample{m.slot, begins})
			s.left--
			begins = false
		}
	}
	if s.group, s.member = h, repl.Member(0); at < len(gr.members) {
		s.member = gr.members[at].number
	} else {
		s.group++
	}
	return dst
}

// sampled reports whether a member's value changed after base and has been public since older.
func (w *World) sampled(m *member, comp int, base, older entangle.Tick) bool {
	t := &w.slots
	return !w.isPaused(m.slot) && t.mask[m.slot].Has(comp) && base.Before(t.changed[comp][m.slot]) &&
		!older.Before(m.joined) && !older.Before(t.shaped[comp][m.slot])
}
