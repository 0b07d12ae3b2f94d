package sender

import (
	"math"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// planned is one record of the peer's own. All that writing it takes stands here and in its chunk: the
// columns of so many peers are far from the processor by then.
type planned struct {
	at     int32 // handle, less the first of its space
	chunk  int32 // index in World.chunks; ^ the group while it is not encoded; or nothingToSend
	base   entangle.Tick
	shaped entangle.Tick // of the last structure that the peer was sent of the group
}

// nothingToSend stands in place of a chunk where encoding found nothing for the peer.
const nothingToSend = math.MinInt32

// maxRecordBits is the most that a record can take in a packet of its own.
const maxRecordBits = (repl.MaxUpdateBytes-repl.MaxRunHead)*8 - repl.EndBits
