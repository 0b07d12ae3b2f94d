package channel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// order returns the bodies in the order in which packets of the given size would carry them.
func order(t *testing.T, m *Mux, room int, now time.Time) (bodies []string) {
	t.Helper()
	for _, p := range packets(m, 1, room, now) {
		frames, err := parseAll(m, p)
		require.NoError(t, err)
		for _, f := range frames {
			bodies = append(bodies, string(f.body))
		}
	}
	return bodies
}

func sendPrio(t *testing.T, m *Mux, id ID, body string, priority float32, now time.Time) {
	t.Helper()
	_, err := m.Send(id, []byte(body), priority, now)
	require.NoError(t, err)
}

func TestChannelPriorityTimesMessagePriority(t *testing.T) {
	m := newMux(t,
		Config{ID: 0, Mode: UnorderedReliable},
		Config{ID: 1, Mode: UnorderedUnreliable, Priority: 10})
	sendPrio(t, m, 0, "1x1", 0, epoch)
	sendPrio(t, m, 0, "1x7", 7, epoch)
	sendPrio(t, m, 1, "10x0.5", 0.5, epoch)
	sendPrio(t, m, 1, "10x1", 1, epoch)
	sendPrio(t, m, 0, "1x30", 30, epoch)
	assert.Equal(t, []string{"1x30", "10x1", "1x7", "10x0.5", "1x1"}, order(t, m, fullRoom, epoch))
}

func TestOrderedMessagesWaitForEachOther(t *testing.T) {
	for _, mode := range []Mode{OrderedReliable, SequencedReliable, SequencedUnreliable} {
		m := newMux(t, Config{Mode: mode}, Config{ID: 1, Mode: UnorderedUnreliable})
		sendPrio(t, m, 0, "a", 1, epoch)
		sendPrio(t, m, 0, "b", 9, epoch)
		sendPrio(t, m, 0, "c", 1, epoch)
		sendPrio(t, m, 1, "x", 5, epoch)
		assert.Equal(t, []string{"a", "b", "x", "c"}, order(t, m, fullRoom, epoch), "%v: b lifts a", mode)
	}
}

func TestNothingOvertakesWhatDoesNotFit(t *testing.T) {
	m := newMux(t, Config{Mode: OrderedReliable}, Config{ID: 1, Mode: UnorderedReliable})
	for id := range ID(2) {
		send(t, m, id, longText(100), epoch)
		send(t, m, id, "small", epoch)
	}
	p, _ := m.AppendFrames(nil, 50, 1, epoch, testRTT)
	frames, err := parseAll(m, p)
	require.NoError(t, err)
	require.Len(t, frames, 1, "in a channel without order, a small message fills the room")
	assert.Equal(t, ID(1), frames[0].id)
}

func TestNothingStarves(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedUnreliable})
	sendPrio(t, m, 0, "low", 1, epoch)
	now := epoch
	for tick := 0; ; tick++ {
		require.Less(t, tick, 200, "age makes up for priority")
		sendPrio(t, m, 0, "high", 100, now)
		p, _ := m.AppendFrames(nil, 8, 1, now, testRTT)
		if string(p[2:]) == "low" {
			assert.Greater(t, tick, 50)
			return
		}
		now = now.Add(time.Second / 60)
	}
}

func TestALargeMessageIsNotOvertakenAtTheWindow(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedReliable})
	for range 3 {
		send(t, m, 0, longText(MaxMessage), epoch)
	}
	packets(m, 1, fullRoom, epoch)
	require.Equal(t, 2*cost(MaxMessage), m.window, "the third does not fit")
	later := epoch.Add(time.Millisecond)
	send(t, m, 0, "small", later)
	assert.False(t, m.Due(later, testRTT), "the window is kept for the third")
}

// Proves: P10
func TestNoPacketExceedsItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		configs := allModes()
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range configs {
			configs[i].Class = Class(random.IntN(int(classCount)))
		}
		m := newMux(t, configs...)
		for range 50 {
			size := random.IntN(3 * FragmentSize)
			_, err := m.Send(ID(random.IntN(5)), make([]byte, size), random.Float32(), epoch)
			require.NoError(t, err)
		}
		head := []byte("header")
		for pkt := uint16(1); m.Pending() > 0 && pkt < 2000; pkt++ {
			room := random.IntN(fullRoom)
			p, _ := m.AppendFrames(slices.Clone(head), room, pkt, epoch, testRTT)
			require.LessOrEqual(t, len(p), len(head)+room)
			require.Equal(t, head, p[:len(head)])
			m.HandleAcked(pkt)
		}
		require.Zero(t, m.Pending(), "everything leaves, whatever the room")
	})
}

// Small messages share packets across channels: together they need no more packets than their bytes
// fill.
//
// Proves: P10
func TestMessagesOfAllChannelsShareAPacket(t *testing.T) {
	m := newMux(t, allModes()...)
	const messages, size = 200, 20
	for i := range messages {
		_, err := m.Send(ID(i%5), make([]byte, size), 0, epoch)
		require.NoError(t, err)
	}
	frames, bytes := 0, 0
	out := packets(m, 1, fullRoom, epoch)
	for _, p := range out {
		all, err := parseAll(m, p)
		require.NoError(t, err)
		frames, bytes = frames+len(all), bytes+len(p)
	}
	require.Equal(t, messages, frames)
	assert.Len(t, out, bytes/fullRoom+1)
}

// Proves: P15
func TestSendEvery(t *testing.T) {
	for _, mode := range []Mode{OrderedReliable, UnorderedUnreliable} {
		m := newMux(t, Config{Mode: mode, SendEvery: 100 * time.Millisecond})
		var left []time.Duration
		for ms := range 1000 {
			since := time.Duration(ms) * time.Millisecond
			now := epoch.Add(since)
			send(t, m, 0, "x", now)
			if p, _ := m.AppendFrames(nil, fullRoom, uint16(ms), now, testRTT); len(p) > 0 {
				left = append(left, since)
			}
			m.HandleLost(uint16(ms))
		}
		require.Len(t, left, 10)
		for i, since := range left {
			assert.Equal(t, time.Duration(i)*100*time.Millisecond, since)
		}
	}
}

func TestSendEveryLetsAllPacketsOfAnInstantLeave(t *testing.T) {
	m := newMux(t, Config{SendEvery: time.Second})
	send(t, m, 0, longText(5*FragmentSize), epoch)
	require.Len(t, packets(m, 1, fullRoom, epoch), 3)
	send(t, m, 0, "one more", epoch)
	require.Len(t, packets(m, 4, fullRoom, epoch), 1)
	send(t, m, 0, "next", epoch.Add(time.Millisecond))
	assert.False(t, m.Due(epoch.Add(time.Second-1), testRTT))
	assert.True(t, m.Due(epoch.Add(time.Second), testRTT))
}
