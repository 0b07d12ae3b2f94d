package channel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func delivered(m *Mux) (reports []Report) {
	for id, msg, ok := m.PollDelivered(); ok; id, msg, ok = m.PollDelivered() {
		reports = append(reports, Report{id, msg})
	}
	return reports
}

func TestReportDelivery(t *testing.T) {
	for mode := OrderedReliable; mode < External; mode++ {
		m := newMux(t, Config{ID: 4, Mode: mode, ReportDelivery: true}, Config{ID: 5, Mode: mode})
		first := send(t, m, 4, longText(4*FragmentSize), epoch)
		out := packets(m, 1, fullRoom, epoch)
		require.Len(t, out, 2)
		m.HandleAcked(2)
		assert.Empty(t, delivered(m), "%v: half of it", mode)
		m.HandleAcked(1)
		m.HandleAcked(1)
		assert.Equal(t, []Report{{4, first}}, delivered(m))

		second := send(t, m, 4, "x", epoch)
		send(t, m, 5, "not reported", epoch)
		require.Len(t, packets(m, 3, fullRoom, epoch), 1)
		m.HandleAcked(3)
		assert.Equal(t, []Report{{4, second}}, delivered(m))
		assert.NotEqual(t, first, second)
	}
}

func TestLostUnreliableMessagesAreNeverReported(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedUnreliable, ReportDelivery: true})
	send(t, m, 0, longText(4*FragmentSize), epoch)
	require.Len(t, packets(m, 1, fullRoom, epoch), 2)
	m.HandleLost(1)
	m.HandleAcked(2)
	assert.Empty(t, delivered(m))
	assert.Len(t, m.messages.free, 1, "its memory is free")
}

func TestUnpolledReportsAreBounded(t *testing.T) {
	m := new(Mux)
	require.NoError(t, m.Init([]Config{{Mode: UnorderedUnreliable, ReportDelivery: true}}, Limits{Reports: 3}))
	for pkt := range uint16(10) {
		send(t, m, 0, "x", epoch)
		m.AppendFrames(nil, fullRoom, pkt, epoch, testRTT)
		m.HandleAcked(pkt)
	}
	assert.Equal(t, []Report{{0, 7}, {0, 8}, {0, 9}}, delivered(m))
	assert.Equal(t, uint64(7), m.Stats().DroppedReports)
	assert.LessOrEqual(t, cap(m.reports.list), 8)
}

func TestVerdictsOnUnknownPackets(t *testing.T) {
	m := newMux(t, Config{})
	m.HandleAcked(7)
	m.HandleLost(7)
	send(t, m, 0, "x", epoch)
	m.AppendFrames(nil, fullRoom, 7, epoch, testRTT)
	m.HandleAcked(7 + 32)
	m.HandleLost(7 + 64)
	assert.Equal(t, 1, m.Pending())
	m.HandleAcked(7)
	assert.Zero(t, m.Pending())
}

// TestPacketsWithoutVerdictCountAsLost reuses the record of a packet that was never reported as
// acknowledged or lost.
func TestPacketsWithoutVerdictCountAsLost(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedReliable, ResendFactor: -1})
	send(t, m, 0, "x", epoch)
	m.AppendFrames(nil, fullRoom, 0, epoch, testRTT)
	require.False(t, m.Due(epoch, testRTT))
	send(t, m, 0, "y", epoch)
	m.AppendFrames(nil, fullRoom, maxRecords, epoch, testRTT)
	assert.True(t, m.Due(epoch, testRTT), "packet 0 is given up")
	assert.Len(t, m.records.slots, maxRecords)
}
