package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Sampler goes over what is sent of one component to all peers alike, a little of it in each
// tick. It sees no private group, nor a value of the time in which that was in none that is
// public: what is made of it tells nobody of what is hidden from him.
type Sampler struct {
	Comp int

	group  repl.Handle // where it goes on,
	member repl.Member // and with whom there
	left   int         // samples to be taken
	looks  int         // members that may be looked at
}

// Sample is a value that was sampled.
type Sample struct {
	Slot repl.Slot
	// Begins: the one before is not of its group.
	Begins bool
}

// looksPerSample is how many members are looked at for one sample, at most.
const looksPerSample = 8

// Next appends up to n slots of public groups of which something is due since this tick: those
// whose value changed after base, and was there at older and has been since. Call it after
// Commit.
func (s *Sampler) Next(dst []Sample, w *World, n int, base, older entangle.Tick) []Sample {
	s.left, s.looks = n, n*looksPerSample
	from := int(s.group)
	dst = s.stretch(dst, w, from, len(w.public), base, older)
	return s.stretch(dst, w, 0, from, base, older)
}

func (s *Sampler) more() bool { return s.left > 0 && s.looks > 0 }

// stretch looks at the groups from a handle on and before another.
func (s *Sampler) stretch(dst []Sample, w *World, from, end int, base, older entangle.Tick) []Sample {
	for h := w.moved.Next(from); h >= 0 && h < end && s.more(); h = w.moved.Next(h + 1) {
		if id := w.public[h]; id != noGroup {
			dst = s.members(dst, w, repl.Handle(h), base, older)
		}
	}
	return dst
}

// members looks at those of a group, from where the last tick left off.
func (s *Sampler) members(dst []Sample, w *World, h repl.Handle, base, older entangle.Tick) []Sample {
	gr, at, begins := &w.groups[w.public[h]], 0, true
	if h == s.group {
		at, _ = gr.find(s.member)
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

// sampled reports whether a member's value changed after base, and all could see it since older.
func (w *World) sampled(m *member, comp int, base, older entangle.Tick) bool {
	t := &w.slots
	return !m.paused && t.mask[m.slot].Has(comp) && base.Before(t.changed[comp][m.slot]) &&
		!older.Before(m.joined) && !older.Before(t.shaped[comp][m.slot])
}
