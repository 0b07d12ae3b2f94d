package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
)

// A peer that joins is sent thousands of fulls, most of them of one entity each with the same components. A full is plain
// if it has one entity without a predicted set, needs and references. If a plain full follows another with the same
// components, only its values are written. Likewise the end of a group without leavers after another such end.

// plainEnd is the plainFull of the end of a group without leavers.
const plainEnd = 1

// plainFull returns a number that identifies the kind and the components of a plain action: the leading bits of the body.
// It returns 0 for other actions.
func (st *structure) plainFull(rec *repl.Record, b *encode.Body) (begins uint64) {
	const leaversAndAlone, alone = 0b11, 0b10
	if rec.Kind == repl.Gone && b.Width == 1 {
		return plainEnd
	}
	if rec.Kind != repl.Full || len(st.needs) > 0 || st.prediction.stated.set.Stated || b.RefCount > 0 || b.Prefix > encode.MaxPrefix {
		return 0
	}
	begins = encode.LeadingBits(st.enc.Bodies.Bytes(b), b.Prefix)
	if begins&leaversAndAlone != alone {
		return 0
	}
	return begins
}
