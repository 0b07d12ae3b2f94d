package message

import (
	"runtime"
	"testing"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manyRefs is how many entities a message of these tests refers to, and manyHeld how many of these messages
// wait: nearly as many as there is room for.
const manyRefs, manyHeld = 800, 64

const looseChannel = peer.FirstMessages + channel.ID(protocol.UnorderedReliable)

// ofMany writes a message from the server that refers to many of its entities, beginning with one.
func ofMany(number uint64, from repl.Handle) []byte {
	var w bits.Writer
	w.Uvarint(number)
	w.Uvarint(manyRefs)
	for h := range repl.Handle(manyRefs) {
		w.Bool(true)
		repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: from + h}})
	}
	w.Uvarint(0)
	return w.Finish()
}

// A server makes a client hold as many messages as it may, each with references to many entities that
// have not arrived. Each message is read once, and again when its first missing entity arrives or its
// time is up. Then one frame reads no more references than one message may have.
//
// Proves: Z17
func TestHeldMessagesAreReadAgainWhenTheyCanHaveChanged(t *testing.T) {
	for _, name := range []string{"unordered", "ordered"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, false)
			hold := func(n int) {
				first := repl.Handle(n * manyRefs)
				if name == "unordered" {
					require.NoError(t, d.mail.HandleMessage(looseChannel, ofMany(3, first), 1, d.now))
				} else {
					d.get(ofMany(2, first))
				}
			}
			for n := range manyHeld {
				hold(n)
			}
			require.Equal(t, manyHeld, d.mail.Held())
			frame := func() uint64 {
				before := d.mail.reads
				require.NoError(t, d.mail.Advance(d.now))
				return d.mail.reads - before
			}
			for frames := 0; frame() > 0; frames++ { // reads the messages that were too many for one frame
				require.Less(t, frames, manyHeld)
			}
			for n := range 50 {
				d.arrive(repl.Handle(1<<20 + n)) // no message refers to this entity
				d.arrive(repl.Handle(n + 1))     // the first message refers to this entity, but another one comes first
				require.Zero(t, frame())
			}
			d.arrive(0)
			assert.EqualValues(t, manyRefs, frame(), "of the first message")
			require.Equal(t, manyHeld, d.mail.Held())
			require.Zero(t, frame(), "it lacks another by now")
			d.now = d.now.Add(maxHeldFor)
			for frames := 0; d.mail.Held() > 0; frames++ {
				require.LessOrEqual(t, frame(), uint64(maxHeldReads+manyRefs), "in one frame")
				require.Less(t, frames, manyHeld, "and some in each")
			}
			assert.EqualValues(t, manyHeld, d.post.Stats().Received)
		})
	}
}

// A table has no more entities than its value can hold, whatever its length claims and however
// many bits follow: a message is refused before any are read.
//
// Proves: Z7
func TestATableHasNoMoreThanItsValueHolds(t *testing.T) {
	long := make([]byte, channel.MaxMessage-16)
	for _, n := range []uint64{2, 3, manyRefs, MaxRefs + 1, 8 * channel.MaxMessage * 7 / 8, 1 << 40, 1 << 63} {
		for _, server := range []bool{false, true} {
			d := newDesk(t, server)
			var w bits.Writer
			w.Uvarint(0)
			w.Uvarint(n)
			body := append(w.Finish(), long...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := d.mail.HandleMessage(looseChannel, body, 1, d.now)
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			require.ErrorIs(t, err, errMessage, "%d entities", n)
			require.Less(t, allocated, uint64(64<<10), "%d entities", n)
			require.Zero(t, d.mail.reads)
		}
	}
}
