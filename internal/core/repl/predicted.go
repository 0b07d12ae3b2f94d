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
// than it has bits. Of other joining members it says that they are not predicted, and of others nothing.
type Predicted []PredictedMember // by rising number

// PredictedMember is a member, and whether it is predicted from an action on.
type PredictedMember struct {
	Number Member
	On     bool
}

// Has reports whether it says that a member is predicted.
func (p Predicted) Has(n Member) bool {
	i, has := slices.BinarySearchFunc(p, n, func(m PredictedMember, n Member) int { return cmp.Compare(m.Number, n) })
	return has && p[i].On
}

// Append writes it.
func (p Predicted) Append(w *pack.Writer) {
	w.Bool(len(p) > 0)
	if len(p) == 0 {
		return
	}
	var list Numbers
	for _, m := range p {
		list.Append(w, m.Number)
		w.Bool(m.On)
	}
	list.End(w)
}

// Bits bounds the size of the output of Append.
func (p Predicted) Bits() int {
	if len(p) == 0 {
		return 1
	}
	return 1 + len(p)*(maxNumberBits+1) + maxNumberBits
}

// Read reads it as part of an action of a kind. Numbers that do not rise, or that no member has, an empty
// list, and what a kind does not state are malformed.
func (p *Predicted) Read(r *pack.Reader, kind Kind) (ok bool) {
	if *p = (*p)[:0]; !r.Bool() {
		return r.Err() == nil
	}
	var list Numbers
	for {
		n, more, ok := list.Read(r)
		if !ok || !more {
			return ok && len(*p) > 0
		}
		m := PredictedMember{Number: n, On: r.Bool()}
		if !m.On && kind == Full {
			return false
		}
		*p = append(*p, m)
	}
}
