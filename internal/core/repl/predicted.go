package repl

import (
	"cmp"
	"slices"

	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// Predicted says which members of a group the receiving peer predicts. It differs between peers, and
// stands before the part of an action that all share.
//
// In a full it is the set of predicted members. In a change it lists only members of which the prediction
// begins or ends, and joining members that are predicted, so that an action can change no more entities
// than it has bits.
type Predicted struct {
	// Stated means that members are named. Otherwise no joining member is predicted, and the others
	// stay as they are.
	Stated  bool
	All     bool              // all members are predicted; only in a full
	Members []PredictedMember // by rising number; none if All is set
}

// PredictedMember is a member, and whether it is predicted from an action on.
type PredictedMember struct {
	Number Member
	On     bool
}

// Reset makes it state nothing, and keeps its memory.
func (p *Predicted) Reset() { *p = Predicted{Members: p.Members[:0]} }

// Has reports whether it says that a member is predicted.
func (p *Predicted) Has(n Member) bool {
	if p.All {
		return true
	}
	i, has := slices.BinarySearchFunc(p.Members, n, func(m PredictedMember, n Member) int { return cmp.Compare(m.Number, n) })
	return has && p.Members[i].On
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
	for _, m := range p.Members {
		list.Append(w, m.Number)
		w.Bool(m.On)
	}
	list.End(w)
}

// Bits bounds the size of the output of Append.
func (p *Predicted) Bits() int {
	if !p.Stated {
		return 1
	}
	return 2 + len(p.Members)*(maxNumberBits+1) + maxNumberBits
}

// Read reads it as part of an action of a kind. Numbers that do not rise, or that no member has, an empty
// list, and what a kind does not state are malformed.
func (p *Predicted) Read(r *pack.Reader, kind Kind) (ok bool) {
	p.Reset()
	if p.Stated = r.Bool(); p.Stated {
		p.All = r.Bool()
	}
	if !p.Stated || p.All {
		return r.Err() == nil && !(p.All && kind == Change)
	}
	var list Numbers
	for {
		n, more, ok := list.Read(r)
		if !ok || !more {
			return ok && len(p.Members) > 0
		}
		m := PredictedMember{Number: n, On: r.Bool()}
		if !m.On && kind == Full {
			return false
		}
		p.Members = append(p.Members, m)
	}
}
