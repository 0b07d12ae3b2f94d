package encode

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/core/repl/view"
	"github.com/entangle-ecs/entangle/internal/set"
)

// removedPart returns what the current body, of a retained group, removes of a member: what the new view hides and the
// view that the peer has does not.
func (w *Encoder) removedPart(m *group.Member) view.HiddenMember {
	was, _ := w.state.Views.Hidden(w.Bodies.current.key.View, m.Number)
	is, _ := w.state.Views.Hidden(w.Bodies.current.key.NewView, m.Number)
	return view.HiddenMember{Number: m.Number, Whole: is.Whole && !was.Whole, Comps: is.Comps.Without(was.Comps)}
}

// encodeRemovedParts writes the members of a body of a retained group: no joining members, and the components to remove.
func (w *Encoder) encodeRemovedParts(id ident.GroupIndex) {
	var joins repl.Numbers
	var changes repl.Changes
	var none set.Mask
	out := &w.Bodies.w
	out.Bool(false) // not alone
	joins.End(out)
	for i := range w.state.Groups[id].Members {
		m := &w.state.Groups[id].Members[i]
		if gone := w.removedPart(m).Comps; !gone.IsZero() {
			changes.Append(out, m.Number, &none)
			w.encodeRemoved(gone)
		}
	}
	changes.End(out)
}
