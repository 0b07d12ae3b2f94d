package systems

import (
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

// rest notes of what is paused from now on whom those above it were for: it goes with
// nobody until it resumes, and is for no more clients meanwhile. It is to be called before
// anything is taken in of the tick: what counts is what was told.
func (v *sight) rest(paused []columns.Slot) {
	for _, at := range paused {
		s := repl.Slot(at)
		var line []aimed
		for above, ok := v.publisher.family.parent(s); ok; above, ok = v.publisher.family.parent(above) {
			if t := v.target[above]; t != components.Default && t != components.Everyone {
				line = append(line, aimed{t, v.owner[above]})
			}
		}
		if line != nil {
			v.resting[s] = line
		}
	}
}
