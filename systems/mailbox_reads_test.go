package systems

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// manyRefs is how many entities a message here refers to: 64 of those have room.
const manyRefs = 800

const looseChannel = peer.FirstMessages + channel.ID(protocol.UnorderedReliable)

// loose writes an unordered message of the server that refers to many of its entities.
func (d *desk) loose(from repl.Handle) []byte {
	var w bits.Writer
	w.Uvarint(0)
	w.Uvarint(manyRefs)
	for h := range repl.Handle(manyRefs) {
		w.Bool(true)
		repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: from + h}})
	}
	w.Uvarint(1)
	return w.Finish()
}

// A server has as many messages held as there may be, each about many entities, of which
// none is here. They are read once, and again when the first that was missing comes or their
// time is up, and then no more of them in one frame than one message has.
//
// Proves: Z17
func TestHeldMessagesAreReadAgainWhenTheyCanHaveChanged(t *testing.T) {
	for _, name := range []string{"unordered", "ordered"} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, false)
			hold := func(n int) {
				first := repl.Handle(n * manyRefs)
				if name == "unordered" {
					require.NoError(t, d.mail.HandleMessage(looseChannel, d.loose(first), 1, d.now))
				} else {
					d.get(d.wordOfMany(first))
				}
			}
			for n := range maxHeld {
				hold(n)
			}
			require.Equal(t, maxHeld, len(d.mail.held))
			frame := func() uint64 {
				before := d.mail.reads
				require.NoError(t, d.mail.Advance(d.now))
				return d.mail.reads - before
			}
			for n := range 50 {
				d.arrive(repl.Handle(1<<20 + n)) // of which nobody heard
				d.arrive(repl.Handle(n + 1))     // of the first message, but not its first
				require.Zero(t, frame())
			}
			d.arrive(0)
			assert.EqualValues(t, manyRefs, frame(), "of the first message")
			require.Equal(t, maxHeld, len(d.mail.held))
			require.Zero(t, frame(), "it lacks another by now")
			d.now = d.now.Add(maxHeldFor)
			for frames := 0; len(d.mail.held) > 0; frames++ {
				require.LessOrEqual(t, frame(), uint64(maxHeldReads+manyRefs), "in one frame")
				require.Less(t, frames, maxHeld, "and some in each")
			}
			assert.EqualValues(t, maxHeld, d.post.Stats().Received)
		})
	}
}

// wordOfMany is loose, of a type that is ordered.
func (d *desk) wordOfMany(from repl.Handle) []byte {
	var w bits.Writer
	w.Uvarint(1)
	w.Bool(false)
	w.Uvarint(manyRefs)
	for h := range repl.Handle(manyRefs) {
		w.Bool(true)
		repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: from + h}})
	}
	w.Uvarint(0)
	w.Uvarint(1)
	w.Uvarint(0)
	return w.Finish()
}
