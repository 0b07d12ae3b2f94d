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

// plainFull returns the leading bits of a full of one entity that is not predicted by the peer,
// needs nothing and has no references: one number for each set of components. For others it returns
// 0.
func (p *Peer) plainFull(rec *repl.Record, b *body) (begins uint64) {
	const leaversAndAlone, alone = 0b11, 0b10
	if rec.Kind != repl.Full || len(p.needs) > 0 || p.said.Stated || b.nrefs > 0 || b.prefix > maxPrefix {
		return 0
	}
	var first [8]byte
	copy(first[:], p.world.bodies.bytes(b))
	bits := binary.LittleEndian.Uint64(first[:])
	if bits&leaversAndAlone != alone {
		return 0
	}
	return bits&(1<<b.prefix-1) | 1<<b.prefix
}

// appendFrom writes the bits of a body from one bit up to another.
func appendFrom(w *pack.Writer, body []byte, from, to int) {
	var r pack.Reader
	r.Reset(body)
	r.Skip(uint(from))
	for n := to - from; n > 0; n -= 64 {
		size := uint(min(n, 64))
		w.Bits(r.Bits(size), size)
	}
}
