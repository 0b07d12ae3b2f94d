package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A message that is resent is sent with the next packet, and is delivered once, whichever packet
// arrives. An acknowledged message is not resent. If the first packet counts as lost later, nothing
// more is sent.
func TestAMessageIsSentAgainOnDemand(t *testing.T) {
	m, far := pair(t, Config{ID: 4, Mode: UnorderedReliable, ReportDelivery: true})
	for range 5 {
		send(t, m, 4, "before", epoch)
		for _, b := range packets(m, 1, fullRoom, epoch) {
			require.NoError(t, far.HandleFrames(b, epoch))
		}
		m.HandleAcked(1)
		received(far)
		delivered(m)
	}
	id := send(t, m, 4, "now", epoch)
	m.Resend(4, uint16(id))
	first := packets(m, 2, fullRoom, epoch)
	require.Len(t, first, 1)
	assert.Empty(t, packets(m, 3, fullRoom, epoch), "it waits for its acknowledgement")
	m.Resend(4, uint16(id))
	m.Resend(4, uint16(id)+1)
	m.Resend(4, uint16(id)-1)
	second := packets(m, 3, fullRoom, epoch)
	require.Equal(t, first, second)
	require.NoError(t, far.HandleFrames(first[0], epoch))
	assert.Equal(t, []string{"now"}, received(far))
	require.NoError(t, far.HandleFrames(second[0], epoch))
	assert.Empty(t, received(far))
	m.HandleLost(2)
	assert.Empty(t, packets(m, 4, fullRoom, epoch), "the other is in flight")
	m.HandleAcked(3)
	m.Resend(4, uint16(id))
	assert.Empty(t, packets(m, 4, fullRoom, epoch))
	assert.Equal(t, []Report{{4, id}}, delivered(m))
}

// A message of several fragments is not resent on demand.
func TestALongMessageIsNotSentAgainOnDemand(t *testing.T) {
	m := newMux(t, Config{ID: 4, Mode: UnorderedReliable})
	id := send(t, m, 4, longText(4*FragmentSize), epoch)
	require.Len(t, packets(m, 1, fullRoom, epoch), 2)
	m.Resend(4, uint16(id))
	assert.Empty(t, packets(m, 3, fullRoom, epoch))
}
