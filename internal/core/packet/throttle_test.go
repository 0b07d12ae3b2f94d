package packet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sendFor sends in every step for a duration, as far as MaySend allows, and returns how many
// packets were sent.
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

// A peer that acknowledges nothing for two seconds is sent packets only rarely, so that ids last as
// long as needed. A peer that acknowledges is sent everything at once.
func TestSendingToASilentPeerIsThrottled(t *testing.T) {
	tr, now := NewTracker(Config{}), time.Unix(5, 0)
	assert.InDelta(t, 120, sendFor(tr, &now, 2*time.Second), 1)
	assert.InDelta(t, 58*10, sendFor(tr, &now, 58*time.Second), 100, "ten per second, in whole frames")
	total := 700 + sendFor(tr, &now, 4*time.Hour)
	assert.Less(t, total, 1<<14+4096, "half of the ids last for days")
	require.False(t, tr.MaySend(now.Add(-time.Second/60)))

	_, err := tr.HandleHeader(Header{Kind: AckOnly, Ack: uint16(tr.sent.newest())}, now)
	require.NoError(t, err)
	assert.InDelta(t, 120, sendFor(tr, &now, 2*time.Second), 1)
}

// A peer that sends packets is probed again soon, even if it has acknowledged nothing for long.
func TestAPeerThatSendsIsProbed(t *testing.T) {
	tr, now := NewTracker(Config{}), time.Unix(5, 0)
	for tr.sent.newest() < manyProbes+10 {
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

// A peer that has nothing to acknowledge is not throttled.
func TestAnIdlePeerIsNotThrottled(t *testing.T) {
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
