package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A peer that joins is sent thousands of fulls, most of them of one entity each with the same components. If such a
// full has no predicted set nor references, and follows another one of the same components, it is a usual record:
// only its values are written. So is the end of a group without leavers after another such end.

// usual is what two actions have in common if the second is a usual record behind the first. The zero value is that of
// an action that is none.
type usual struct {
	is    bool
	comps set.Mask // of a full
}

// usualEnd is the end of a group without leavers.
var usualEnd = usual{is: true}

// usualOf returns what an action has in common with others.
func (a *actions) usualOf(rec *repl.Record, b *encode.Body) usual {
	switch {
	case rec.Kind == repl.Gone && b.Width == 1:
		return usualEnd
	case b.Usual && len(a.prediction.stated.set) == 0:
		return usual{true, b.Comps}
	}
	return usual{}
}
