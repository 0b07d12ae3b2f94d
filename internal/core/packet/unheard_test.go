package packet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sendFor lets a tracker send in every step of a time, as far as it may, and returns how
// many packets left.
func sendFor(tr *Tracker, now *time.Time, d time.Duration) (n int) {
	for end := now.Add(d); now.Before(end); *now = now.Add(time.Second / 60) {
		for _, ok := tr.PollLost(*now); ok; _, ok = tr.PollLost(*now) {
		}
		if tr.MaySend(*now) {
			tr.Next(*now, 0, Data)
			n++
		}
	}
	return n
}

// A peer that acknowledges nothing for two seconds is sent a packet now and then; ids last
// for as long as it may take. One that acknowledges is sent everything at once.
func TestWhoAcknowledgesNothingIsSentLittle(t *testing.T) {
	tr, now := NewTracker(Config{}), time.Unix(5, 0)
	assert.InDelta(t, 120, sendFor(tr, &now, 2*time.Second), 1)
	assert.InDelta(t, 58*10, sendFor(tr, &now, 58*time.Second), 100, "ten per second, in whole frames")
	total := 700 + sendFor(tr, &now, 4*time.Hour)
	assert.Less(t, total, 1<<14+4096, "half of the ids are for days")
	require.False(t, tr.MaySend(now.Add(-time.Second/60)))

	_, err := tr.HandleHeader(Header{Kind: AckOnly, Ack: uint16(tr.sent.newest())}, now)
	require.NoError(t, err)
	assert.InDelta(t, 120, sendFor(tr, &now, 2*time.Second), 1)
}

// Who says something itself is probed again soon, though it acknowledged nothing for long.
func TestWhoSpeaksIsProbed(t *testing.T) {
	tr, now := NewTracker(Config{}), time.Unix(5, 0)
	for tr.sent.newest() < manyUnheard+10 {
		sendFor(tr, &now, time.Minute)
	}
	sendFor(tr, &now, 900*time.Millisecond)
	tr.Next(now, 0, Data)
	now = now.Add(ProbeEvery)
	require.False(t, tr.MaySend(now))
	_, err := tr.HandleHeader(Header{Kind: AckOnly}, now)
	require.NoError(t, err)
	assert.True(t, tr.MaySend(now))
}

// Silence of one that has nothing to acknowledge is no deafness.
func TestAnIdlePeerIsNotDeaf(t *testing.T) {
	tr, now := NewTracker(Config{}), time.Unix(5, 0)
	tr.Next(now, 0, Data)
	_, err := tr.HandleHeader(Header{Kind: AckOnly, Ack: 1}, now)
	require.NoError(t, err)
	now = now.Add(time.Hour)
	for range 100 {
		require.True(t, tr.MaySend(now))
		tr.Next(now, 0, Data)
	}
}
