package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
)

// A peer that joins is sent thousands of fulls, most of them of one entity each with the same components. If such a
// full has no predicted set nor references, and follows another one of the same components, it is a usual record:
// only its values are written. So is the end of a group without leavers after another such end.

// usualEnd is the usualKind of the end of a group without leavers.
const usualEnd = 1

// usualKind returns a number that identifies the kind and the components of an action that may be usual: the leading
// bits of the body. It is 0 for other actions.
func (a *actions) usualKind(rec *repl.Record, b *encode.Body) (begins uint64) {
	const leaversAndAlone, alone = 0b11, 0b10
	if rec.Kind == repl.Gone && b.Width == 1 {
		return usualEnd
	}
	if rec.Kind != repl.Full || len(a.prediction.stated.set) > 0 || b.RefCount > 0 || b.Prefix > encode.MaxPrefix {
		return 0
	}
	begins = encode.LeadingBits(a.enc.Bodies.Bytes(b), b.Prefix)
	if begins&leaversAndAlone != alone {
		return 0
	}
	return begins
}
