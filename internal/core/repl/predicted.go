package repl

import (
	"slices"

	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Predicted is the members of a group that the receiving peer predicts. It differs between peers,
// and stands before the part of an action that all share.
type Predicted struct {
	// Stated means that the action states the set, for all members that the group has after it.
	// Otherwise no joining member is predicted, and the others stay as they are.
	Stated  bool
	All     bool
	Members []Member // rising; none if All is set
}

// Reset makes it state nothing, and keeps its memory.
func (p *Predicted) Reset() { *p = Predicted{Members: p.Members[:0]} }

// Has reports whether a member is predicted.
func (p *Predicted) Has(n Member) bool {
	if p.All {
		return true
	}
	_, has := slices.BinarySearch(p.Members, n)
	return has
}

// Append writes it.
func (p *Predicted) Append(w *pack.Writer) {
	w.Bool(p.Stated)
	if !p.Stated {
		return
	}
	w.Bool(p.All)
	if p.All {
		return
	}
	var list Numbers
	for _, n := range p.Members {
		list.Append(w, n)
	}
	list.End(w)
}

// Bits returns the size of the output of Append.
func (p *Predicted) Bits() int {
	switch {
	case !p.Stated:
		return 1
	case p.All:
		return 2
	}
	n, next := 2+1+skipBits, Member(0)
	for _, m := range p.Members {
		n += numberBits(m - next)
		next = m + 1
	}
	return n
}

// Read reads it. Numbers that do not rise, or that no member has, are malformed.
func (p *Predicted) Read(r *pack.Reader) (ok bool) {
	p.Reset()
	if p.Stated = r.Bool(); p.Stated {
		p.All = r.Bool()
	}
	if !p.Stated || p.All {
		return r.Err() == nil
	}
	var list Numbers
	for {
		n, more, ok := list.Read(r)
		if !ok || !more {
			return ok
		}
		p.Members = append(p.Members, n)
	}
}
