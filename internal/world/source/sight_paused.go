package source

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// aimed is whom an entity is for: its target, and its owner, whom that may stand for.
type aimed struct {
	target components.Target
	owner  entangle.ClientID
}

// rested is what an entity was when it was paused.
type rested struct {
	line []aimed // whom those above it were for, if not all
	by   []Eyes  // who were shown it, if it has children
}

// rest notes of what is paused from now on whom those above it were for, and who were shown it:
// it goes with nobody until it resumes, and is for no more clients meanwhile; nor is what stays
// behind it. It is to be called before anything is taken in of the tick: what counts is what was
// told.
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

// finders returns those that are shown an entity.
func (v *sight) finders(s repl.Slot) (all []Eyes) {
	for i := range v.Clients {
		if c := &v.Clients[i]; c.Peer.Finds(s) {
			all = append(all, c.Peer)
		}
	}
	return all
}

// rests reports whether an entity goes without a parent that is paused, and that a client was
// shown when it was paused: the client is shown the two of them as before.
func (v *sight) rests(c *Spectator, s repl.Slot) bool {
	for above, ok := v.publisher.Family.above(s); ok; above, ok = v.publisher.Family.above(above) {
		if v.publisher.Paused.Has(int(above)) {
			return slices.Contains(v.resting[above].by, c.Peer)
		}
	}
	return false
}
