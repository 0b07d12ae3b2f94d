package packet

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// sendingEnd is one end of a line. It handles each packet when it arrives, and sends in its frames.
type sendingEnd struct {
	*Tracker
	frame time.Duration // between two frames; in each it may send an AckOnly packet
	data  time.Duration // between two Data packets; 0 is never

	nextFrame, nextData time.Duration
	flying              []flyingHeader // on the way to this end
}

type flyingHeader struct {
	at time.Duration
	b  []byte
}

// twoEnds is a line that delays, reorders and loses the packets of two ends.
type twoEnds struct {
	rand            *rand.Rand
	latency, jitter time.Duration
	loss            float64
}

func (l *twoEnds) send(to *sendingEnd, h Header, at time.Duration) {
	if l.rand.Float64() >= l.loss {
		late := time.Duration(l.rand.Int64N(int64(2*l.jitter + 1)))
		to.flying = append(to.flying, flyingHeader{at + l.latency - l.jitter + late, AppendHeader(nil, h)})
	}
}

func (l *twoEnds) step(t *testing.T, e, other *sendingEnd, at time.Duration) {
	now := after(at)
	slices.SortStableFunc(e.flying, func(a, b flyingHeader) int { return int(a.at - b.at) })
	for len(e.flying) > 0 && e.flying[0].at <= at {
		h, _, err := ParseHeader(e.flying[0].b)
		require.NoError(t, err)
		_, err = e.HandleHeader(h, now)
		require.NoError(t, err)
		e.flying = e.flying[1:]
	}
	e.TakeAcked()
	polledLost(e.Tracker, now)
	if at < e.nextFrame {
		return
	}
	e.nextFrame += e.frame
	if e.data > 0 && at >= e.nextData {
		e.nextData += e.data
		l.send(other, e.Next(now, 0, Data), at)
	} else if e.AckDue(now) {
		l.send(other, e.Next(now, 0, AckOnly), at)
	}
}

// Both ends of many lines measure the round trip of the line, however long acknowledgements wait
// for the next header: because the other end has nothing to send or sends rarely, or because
// headers got lost. With jitter, the mean of what they measure is right.
//
// Proves: P20
func TestTheRoundTripExcludesTheWaitOfAcknowledgements(t *testing.T) {
	type end = sendingEnd
	hz := func(n time.Duration) time.Duration { return time.Second / n }
	for name, c := range map[string]struct {
		a, b end
		line twoEnds
	}{
		"an end that only acknowledges":         {end{frame: hz(60), data: hz(10)}, end{frame: hz(60)}, twoEnds{latency: 25 * ms}},
		"keep-alives of both ends":              {end{frame: hz(60), data: hz(10)}, end{frame: hz(60), data: hz(10)}, twoEnds{latency: 25 * ms}},
		"half of the keep-alives get lost":      {end{frame: hz(60), data: hz(10)}, end{frame: hz(60), data: hz(10)}, twoEnds{latency: 25 * ms, loss: 0.5}},
		"a packet a second, and half are lost":  {end{frame: hz(60), data: hz(1)}, end{frame: hz(60), data: hz(1)}, twoEnds{latency: 25 * ms, loss: 0.5}},
		"half of 60 packets a second get lost":  {end{frame: hz(60), data: hz(60)}, end{frame: hz(60), data: hz(60)}, twoEnds{latency: 25 * ms, loss: 0.5}},
		"20 packets a second one way, 60 back":  {end{frame: hz(20), data: hz(20)}, end{frame: hz(60), data: hz(60)}, twoEnds{latency: 25 * ms}},
		"10 packets a second, none in between":  {end{frame: hz(10), data: hz(10)}, end{frame: hz(11), data: hz(11)}, twoEnds{latency: 25 * ms}},
		"jitter, and an end that acknowledges":  {end{frame: hz(60), data: hz(10)}, end{frame: hz(60)}, twoEnds{latency: 50 * ms, jitter: 20 * ms}},
		"jitter at 20 and 60 packets a second":  {end{frame: hz(20), data: hz(20)}, end{frame: hz(60), data: hz(60)}, twoEnds{latency: 30 * ms, jitter: 10 * ms}},
		"jitter, loss, and few packets":         {end{frame: hz(20), data: hz(20)}, end{frame: hz(60), data: hz(30)}, twoEnds{latency: 50 * ms, jitter: 20 * ms, loss: 0.5}},
		"a short line, and nothing else to say": {end{frame: hz(60), data: hz(10)}, end{frame: hz(60)}, twoEnds{latency: 10 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			c.a.Tracker, c.b.Tracker = NewTracker(Config{}), NewTracker(Config{})
			c.b.nextFrame, c.b.nextData, c.line.rand = 7*ms, 307*ms, rand.New(rand.NewPCG(1, 2))
			ends := []*sendingEnd{&c.a, &c.b}
			var sum, worst [2]time.Duration
			trip, warm, n := 2*c.line.latency, 20*time.Second, time.Duration(0)
			for at := time.Duration(0); at < 140*time.Second; at += ms {
				c.line.step(t, &c.a, &c.b, at)
				c.line.step(t, &c.b, &c.a, at)
				if at < warm {
					continue
				}
				n++
				for i, e := range ends {
					sum[i] += e.RTT()
					worst[i] = max(worst[i], (e.RTT() - trip).Abs())
				}
			}
			for i, e := range ends {
				if i == 1 && e.data == 0 {
					continue // it measures nothing
				}
				t.Logf("end %d: mean %v, off by at most %v", i, (sum[i] / n).Round(100*time.Microsecond), worst[i].Round(100*time.Microsecond))
				assert.True(t, e.Sampled())
				assert.InEpsilon(t, trip, sum[i]/n, 0.1)
				if c.line.jitter == 0 {
					assert.LessOrEqual(t, worst[i], trip/10)
				}
			}
		})
	}
}

// A peer that lies about its delays moves the round trip that is measured for it, between nothing
// and the time that its answers took. The timeouts stay within the limits that they have for any
// peer.
//
// Proves: P20, Z9
func TestAClaimedDelayBreaksNoTimeout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, longest, at := NewTracker(Config{}), DefaultInitialRTT, time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "packets") {
			id := tr.Next(after(at), 0, Data).ID
			answer := rapid.SampledFrom([]time.Duration{0, ms, 60 * ms, 400 * ms, 5 * time.Second}).Draw(t, "answer")
			at, longest = at+answer, max(longest, answer)
			claim := delayOf(byte(rapid.SampledFrom([]int{0, 1, 62, 63, rapid.IntRange(0, 63).Draw(t, "code")}).Draw(t, "claim")))
			_, err := tr.HandleHeader(Header{Kind: AckOnly, Ack: id, AckDelay: claim}, after(at))
			require.NoError(t, err)
			tr.TakeAcked()
			polledLost(tr, after(at))
			for _, d := range []time.Duration{tr.RTT(), tr.Jitter(), tr.ResendRTT()} {
				assert.GreaterOrEqual(t, d, time.Duration(0))
				assert.LessOrEqual(t, d, longest)
			}
			assert.GreaterOrEqual(t, tr.rtt.timeout(&tr.cfg), DefaultLossMin)
			assert.LessOrEqual(t, tr.rtt.timeout(&tr.cfg), max(LossMax, 2*longest))
		}
	})
}

// The time until a resend includes the usual wait of acknowledgements, but if one has waited for too
// long for AckDelay to tell how long on the wire, its header is no sample of the round trip, and
// delays resends no more than a wait of MaxAckDelay does.
func TestALongWaitIsNoSampleOfTheRoundTrip(t *testing.T) {
	tr := NewTracker(Config{})
	answer := func(from, waited time.Duration) {
		h := tr.Next(after(from), 0, Data)
		received, _, err := ParseHeader(AppendHeader(nil, Header{Kind: AckOnly, Ack: h.ID, AckDelay: waited}))
		require.NoError(t, err)
		_, err = tr.HandleHeader(received, after(from+40*ms+waited))
		require.NoError(t, err)
	}
	answer(0, time.Minute)
	assert.False(t, tr.Sampled())
	assert.Equal(t, DefaultInitialRTT, tr.RTT())
	for i := range 100 {
		answer(time.Duration(i)*time.Second, 20*ms)
	}
	assert.InDelta(t, 60*ms, tr.ResendRTT(), float64(ms))
	answer(100*time.Second, MaxAckDelay)
	answer(101*time.Second, time.Minute)
	assert.Equal(t, 40*ms, tr.RTT())
	assert.Less(t, tr.Jitter(), ms)
	assert.Less(t, tr.ResendRTT(), 120*ms, "60 ms, and an eighth of 232 ms for each of the two long waits")
}

// AckDelay is the wait of the newest packet, also if an older one arrives after it.
//
// Proves: P20
func TestAnOlderPacketDoesNotRestartTheDelay(t *testing.T) {
	tr := NewTracker(Config{})
	for _, p := range []struct {
		id uint16
		at time.Duration
	}{{2, 0}, {1, 30 * ms}} {
		_, err := tr.HandleHeader(Header{Kind: Data, ID: p.id}, after(p.at))
		require.NoError(t, err)
	}
	h := tr.Next(after(40*ms), 0, AckOnly)
	assert.Equal(t, uint16(2), h.Ack)
	assert.Equal(t, 40*ms, h.AckDelay)
}
