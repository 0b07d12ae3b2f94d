package sender

import (
	"encoding/binary"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	pack "github.com/entangle-ecs/entangle/protocol/bits"
)

// When a peer joins it is sent thousands of fulls, most of them of one entity each with the same
// components. Behind the first of them, such a record is only its values.

// maxPrefix bounds the leading bits of a full that are compared.
const maxPrefix = 56

// plainEnd is what plainFull returns for the end of a group without leavers.
const plainEnd = 1

// plainFull returns the leading bits of a full of one entity that is not predicted by the peer,
// needs nothing and has no references: one number for each set of components. For others it returns
// 0.
func (p *Peer) plainFull(rec *repl.Record, b *body) (begins uint64) {
	const leaversAndAlone, alone = 0b11, 0b10
	if rec.Kind == repl.Gone && b.width == 1 {
		return plainEnd
	}
	if rec.Kind != repl.Full || len(p.needs) > 0 || p.predictedSet.Stated || b.nrefs > 0 || b.prefix > maxPrefix {
		return 0
	}
	begins = leading(p.world.bodies.bytes(b), b.prefix)
	if begins&leaversAndAlone != alone {
		return 0
	}
	return begins
}

// leading returns the leading bits of a body, at most maxPrefix, and a bit 1 behind them.
func leading(body []byte, prefix int) uint64 {
	var first [8]byte
	copy(first[:], body)
	return binary.LittleEndian.Uint64(first[:])&(1<<prefix-1) | 1<<prefix
}

// appendFrom writes the bits of a body from one bit up to another.
func appendFrom(w *pack.Writer, body []byte, from, to int) {
	if over := from & 7; over > 0 {
		n := min(8-over, to-from)
		w.Bits(uint64(body[from>>3]>>over)&(1<<n-1), uint(n))
		from += n
	}
	w.Copy(body[from>>3:], to-from)
}
