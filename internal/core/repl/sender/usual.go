package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
)

// When a peer joins it is sent thousands of fulls, most of them of one entity each with the same
// components. Behind the first of them, such a record is only its values.

// plainEnd is what plainFull returns for the end of a group without leavers.
const plainEnd = 1

// plainFull returns the leading bits of a full of one entity that is not predicted by the peer,
// needs nothing and has no references: one number for each set of components. For others it returns
// 0.
func (p *Peer) plainFull(rec *repl.Record, b *encode.Body) (begins uint64) {
	const leaversAndAlone, alone = 0b11, 0b10
	if rec.Kind == repl.Gone && b.Width == 1 {
		return plainEnd
	}
	if rec.Kind != repl.Full || len(p.needs) > 0 || p.stated.set.Stated || b.RefCount > 0 || b.Prefix > encode.MaxPrefix {
		return 0
	}
	begins = encode.LeadingBits(p.enc.Bodies.Bytes(b), b.Prefix)
	if begins&leaversAndAlone != alone {
		return 0
	}
	return begins
}
