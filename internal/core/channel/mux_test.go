package channel

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// epoch is the time at which every test begins.
var epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

const (
	testRTT  = 50 * time.Millisecond
	fullRoom = 1112
)

// newMux returns a mux with the given channels and default limits.
func newMux(t require.TestingT, configs ...Config) *Mux {
	m := new(Mux)
	require.NoError(t, m.Init(configs, Limits{}))
	return m
}

// pair returns the two ends of a connection with the same channels.
func pair(t require.TestingT, configs ...Config) (sender, receiver *Mux) {
	return newMux(t, configs...), newMux(t, configs...)
}

func send(t require.TestingT, m *Mux, id ID, body string, now time.Time) MessageID {
	n, err := m.Send(id, []byte(body), 0, now)
	require.NoError(t, err)
	return n
}

// received polls all messages as text.
func received(m *Mux) (bodies []string) {
	for {
		_, body, ok := m.Poll()
		if !ok {
			return bodies
		}
		bodies = append(bodies, string(body))
	}
}

// Due reports whether AppendFrames would append something.
func (s *sender) Due(now time.Time, rtt time.Duration) bool {
	s.refreshPlan(s.clock.since(now), rtt)
	s.unblock()
	for _, c := range s.plan.due {
		if !s.budget.spent(c.class) && s.mayBegin(c.msg) {
			return true
		}
		c.msg.channel.blocked = true
	}
	return false
}

// Pending returns how many messages wait to be sent or acknowledged. Unreliable ones count until
// they are packed.
func (s *sender) Pending() int {
	n := 0
	for _, ch := range s.channels {
		n += ch.waiting
	}
	return n
}

// packets fills packets, from id first on, until nothing more is due.
func packets(m *Mux, first uint16, room int, now time.Time) (out [][]byte) {
	for m.Due(now, testRTT) {
		b, _ := m.AppendFrames(nil, room, first, now, testRTT)
		if len(b) == 0 {
			break
		}
		out = append(out, m.Finish(b))
		first++
	}
	return out
}

// Proves: P10
func TestManySmallMessagesShareAPacket(t *testing.T) {
	a, b := pair(t, Config{ID: 3, Mode: OrderedReliable})
	var want []string
	for i := range 50 {
		body := string(bytes.Repeat([]byte{byte(i)}, i%7))
		want = append(want, body)
		send(t, a, 3, body, epoch)
	}
	out := packets(a, 1, fullRoom, epoch)
	require.Len(t, out, 1, "50 small messages fit into one packet")
	require.NoError(t, b.HandleFrames(out[0], epoch))
	assert.Equal(t, want, received(b))
	a.HandleAcked(1)
	assert.Zero(t, a.Pending())
	assert.Zero(t, a.window)
	assert.Zero(t, a.queued)
}
