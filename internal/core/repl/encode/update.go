package encode

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Update is an update of one group for one peer. It has copies of all that the writing needs from the peer's columns:
// with many peers, the columns are no longer in the processor's cache when packets are written.
type Update struct {
	At    int32         // index in the group.Space: handle minus Space.First
	Chunk int32         // index in Encoder.Chunks.List; while it is not encoded, ^ of the group, which is negative
	Base  entangle.Tick // the peer's baseline
	// Earliest is the earliest baseline that the record may state instead of Base: Space.ActionSent of the group, since the
	// peer was not sent its present structure before.
	Earliest entangle.Tick
}

// MaxRecordBits is the size in bits of the largest update that fits into a packet.
const MaxRecordBits = (repl.MaxUpdateBytes-repl.MaxRunHead)*8 - repl.EndBits
