package message

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/protocol/bits"
)

// Relayed messages may occupy as many bytes in a frame as the server's own messages. Further ones are
// refused and counted, even without a quota. The next frame has room again.
//
// Proves: Z10
func TestWhatIsPassedOnIsBounded(t *testing.T) {
	d := newDesk(t, true)
	var w bits.Writer
	w.Uvarint(1)
	w.Bool(true) // all but
	w.Uvarint(0)
	w.Uvarint(0) // no entities
	w.Uvarint(200)
	w.Raw(make([]byte, 200))
	w.Uvarint(0)
	w.Uvarint(0)
	body := w.Finish()
	fill := func() (relayed uint64) {
		before := d.post.Stat
		for range maxOutgoing/(outgoingOverhead+200) + 1000 {
			d.mail.R.Reset(body)
			d.mail.R.Uvarint()
			from, to, err := d.mail.readHead(true)
			require.NoError(t, err)
			require.Zero(t, d.mail.R.Uvarint())
			require.NoError(t, d.mail.Open(1, from, to, 1))
			d.words = d.words[:0]
		}
		require.Greater(t, d.post.Stat.Refused, before.Refused)
		assert.LessOrEqual(t, len(d.post.heap)+outgoingOverhead*len(d.post.Out), maxOutgoing+outgoingOverhead+300)
		return d.post.Stat.Relayed - before.Relayed
	}
	first := fill()
	assert.Greater(t, first, uint64(maxOutgoing/(outgoingOverhead+300)))
	d.post.Drop()
	assert.Equal(t, first, fill())
}
