package encode

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// takenAway returns the parts of a member that the reader of the current body, of a retained group,
// has and is to lose.
func (w *Encoder) takenAway(m *group.Member) view.HiddenMember {
	was, _ := w.state.Views.Hidden(w.Bodies.current.key.View, m.Number)
	is, _ := w.state.Views.Hidden(w.Bodies.current.key.NewView, m.Number)
	return view.HiddenMember{Number: m.Number, Whole: is.Whole && !was.Whole, Comps: is.Comps.Without(was.Comps)}
}

// encodeTakenAway writes an empty list of joining entities, and the components to remove for the
// reader of the body.
func (w *Encoder) encodeTakenAway(id ident.Group) {
	var joins repl.Numbers
	var changes repl.Changes
	var none set.Mask
	out := &w.Bodies.w
	out.Bool(false) // not one alone
	joins.End(out)
	for i := range w.state.Groups[id].Members {
		m := &w.state.Groups[id].Members[i]
		if gone := w.takenAway(m).Comps; !gone.IsZero() {
			w.Bodies.current.ChangesStructure = true
			changes.Append(out, m.Number, &none)
			out.Bool(true)
			w.sets.Append(out, &gone)
		}
	}
	if lost := w.Bodies.current.key.loses(id); !lost.IsZero() {
		w.Bodies.current.ChangesStructure = true
		changes.Append(out, 0, &none)
		out.Bool(true)
		w.sets.Append(out, &lost)
	}
	changes.End(out)
}
