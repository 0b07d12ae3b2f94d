package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// aimed is a target, with the owner to which it may refer.
type aimed struct {
	target components.Target
	owner  entangle.ClientID
}

// rested is the visibility of an entity when it was paused.
type rested struct {
	line []aimed // targets of its ancestors, except those that include all clients
	by   []Eyes  // peers to which it was visible, if it has children
}

// rest records the targets of the ancestors of each entity that was just paused, and the peers to
// which it was visible. Until it resumes it has no parent, and it must not become visible to more
// clients meanwhile, nor must children replicated without it. Call it before any other change of
// the tick is read: the state that was last sent counts.
func (v *sight) rest(paused []columns.Slot) {
	for _, at := range paused {
		s := repl.Slot(at)
		var r rested
		for above, ok := v.publisher.Family.above(s); ok; above, ok = v.publisher.Family.above(above) {
			if t := v.target[above]; t != components.Default && t != components.Everyone {
				r.line = append(r.line, aimed{t, v.Owner[above]})
			}
			r.line = append(r.line, v.resting[above].line...)
		}
		if v.publisher.Family.Kindred.hasChildren(v.publisher.Table.Entity(at)) {
			r.by = v.finders(s)
		}
		if r.line != nil || r.by != nil {
			v.resting[s] = r
		}
	}
}

// finders returns the peers to which an entity is visible.
func (v *sight) finders(s repl.Slot) (all []Eyes) {
	for i := range v.Clients {
		if c := &v.Clients[i]; c.Peer.Finds(s) {
			all = append(all, c.Peer)
		}
	}
	return all
}

// rests reports whether an entity is replicated without its paused parent, and that parent was
// visible to a client when it was paused. The client keeps both as before.
func (v *sight) rests(c *Spectator, s repl.Slot) bool {
	for above, ok := v.publisher.Family.above(s); ok; above, ok = v.publisher.Family.above(above) {
		if v.publisher.Paused.Has(int(above)) {
			return slices.Contains(v.resting[above].by, c.Peer)
		}
	}
	return false
}
