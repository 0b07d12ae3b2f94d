package encode

import (
	"math"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Update is an update of one group for one peer. Everything that writing it takes is in it and in its chunk: with many
// peers, their columns are in no cache by then.
type Update struct {
	At            int32 // handle, less the first of its space
	Chunk         int32 // index in Encoder.Chunks; ^ the group while it is not encoded; or NothingToSend
	Base          entangle.Tick
	StructureSent entangle.Tick // of the last structure that the peer was sent of the group
}

// NothingToSend is Update.Chunk if encoding found nothing for the peer.
const NothingToSend = math.MinInt32

// MaxRecordBits is the size of the largest update that fits into a packet.
const MaxRecordBits = (repl.MaxUpdateBytes-repl.MaxRunHead)*8 - repl.EndBits
