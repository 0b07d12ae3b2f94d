package channel

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contest lets channels of priorities 10, 5 and 1 and of one mode compete for a narrow line, in
// which some packets are lost, and counts how many messages of each were begun.
type contest struct {
	t     *testing.T
	m     *Mux
	now   time.Time
	rng   *rand.Rand
	pkt   uint16
	bytes int // in all, without resent messages
	began map[string]int
}

var rivals = []struct {
	body     string
	priority float32
}{{"ten", 10}, {"fiv", 5}, {"one", 1}}

func (c *contest) tick(allow int) {
	c.now, c.pkt = c.now.Add(time.Second/60), c.pkt+1
	c.m.SetBudget(Bytes{Messages: allow})
	before := c.m.Stats()
	b, _ := c.m.AppendFrames(nil, fullRoom, c.pkt, c.now, testRTT)
	c.bytes += len(b)
	frames, err := parseAll(c.m, c.m.Finish(b))
	require.NoError(c.t, err)
	if c.m.Stats().Resent == before.Resent {
		for _, f := range frames {
			c.began[string(f.body)]++
		}
	}
	c.m.DropUnsent(c.now)
	if done := c.pkt - 3; c.rng.IntN(5) == 0 {
		c.m.HandleLost(done)
	} else {
		c.m.HandleAcked(done)
	}
}

// Under a byte budget, channels and the messages of one channel are sent by priority, whether
// messages are dropped, kept or resent. The lowest priority gets its share too.
//
// Proves: P13
func TestSharesFollowPriority(t *testing.T) {
	for _, keep := range []bool{false, true} {
		for _, mode := range []Mode{OrderedReliable, UnorderedReliable, SequencedUnreliable, UnorderedUnreliable} {
			for _, channels := range []bool{false, true} {
				if !channels && mode.keepsOrder() {
					continue // in such a channel no message overtakes another
				}
				for _, burst := range []int{1, 6} {
					name := fmt.Sprintf("%v keep=%v channels=%v burst=%d", mode, keep, channels, burst)
					t.Run(name, func(t *testing.T) { testShares(t, mode, keep, channels, burst) })
				}
			}
		}
	}
}

func testShares(t *testing.T, mode Mode, keep, channels bool, burst int) {
	var configs []Config
	for i, r := range rivals {
		priority := float32(1)
		if channels {
			priority = r.priority
		}
		configs = append(configs, Config{ID: ID(i), Mode: mode, Priority: priority, KeepUnsent: keep})
	}
	c := &contest{t: t, m: newMux(t, configs...), now: epoch, rng: rand.New(rand.NewPCG(1, 2)), began: map[string]int{}}
	const ticks = 2000
	perTick := 5*burst - 2 // less than a single one of them wants
	for range ticks {
		for i, r := range rivals {
			for range burst {
				id, priority := ID(i), float32(1)
				if !channels {
					id, priority = 0, r.priority
				}
				if ch := c.m.sender.byID[id]; mode.Reliable() && ch.shares != nil && ch.shares[ch.shareOf(priority)].waiting > 20 {
					break // otherwise the queue would be full: the game waits
				}
				sendPrio(t, c.m, id, r.body, priority, c.now)
			}
		}
		c.tick(perTick)
	}
	began := c.began
	assert.InEpsilon(t, 2, float64(began["ten"])/float64(began["fiv"]), 0.1, "%v", began)
	assert.InEpsilon(t, 5, float64(began["fiv"])/float64(began["one"]), 0.1, "%v", began)
	assert.LessOrEqual(t, c.bytes, ticks*perTick+20)
	assert.GreaterOrEqual(t, c.bytes, ticks*(perTick-1))
	if dropped := c.m.Stats().DroppedUnsent; keep || mode.Reliable() {
		assert.Zero(t, dropped)
	} else {
		assert.NotZero(t, dropped)
	}
}

// The product of the channel's priority and the message's counts: a message of priority 10 in a
// channel of priority 1 is sent as often as one of 1 in a channel of 10, and twice as often as
// those with a product of 5.
//
// Proves: P12, P13
func TestPrioritiesOfChannelAndMessageMultiply(t *testing.T) {
	for _, mode := range []Mode{UnorderedReliable, UnorderedUnreliable} {
		channels := []float32{1, 10, 2, 5}
		messages := []float32{10, 1, 2.5, 1}
		var configs []Config
		for i, priority := range channels {
			configs = append(configs, Config{ID: ID(i), Mode: mode, Priority: priority})
		}
		c := &contest{t: t, m: newMux(t, configs...), now: epoch, rng: rand.New(rand.NewPCG(1, 2)), began: map[string]int{}}
		for range 2000 {
			for i, priority := range messages {
				if c.m.sender.byID[i].waiting < 20 {
					sendPrio(t, c.m, ID(i), "abcd"[i:i+1], priority, c.now)
				}
			}
			c.tick(6)
		}
		for i, body := range []string{"a", "b", "c", "d"} {
			want := []float64{2, 2, 1, 1}[i] / 6 * float64(c.began["a"]+c.began["b"]+c.began["c"]+c.began["d"])
			assert.InEpsilon(t, want, c.began[body], 0.1, "%v: %v", mode, c.began)
		}
	}
}

// Under a small byte budget, reliable messages wait until the budget allows sending them, and so do
// unreliable ones on a channel that keeps them. Other messages are dropped at the end of the frame,
// so that all sent messages are new.
//
// Proves: P12
func TestWhatFindsNoRoomIsDroppedOrKept(t *testing.T) {
	for mode := OrderedReliable; mode < External; mode++ {
		for _, keep := range []bool{false, true} {
			m := newMux(t, Config{Mode: mode, KeepUnsent: keep})
			var want, got []string
			for i := range 20 {
				body := string([]byte{'a' + byte(i)})
				send(t, m, 0, body, epoch)
				want = append(want, body)
			}
			now := epoch
			for pkt := uint16(1); pkt <= 120; pkt++ {
				m.SetBudget(Bytes{Messages: 1}) // a message is at most five bytes: it causes a debt
				b, _ := m.AppendFrames(nil, fullRoom, pkt, now, testRTT)
				m.DropUnsent(now)
				m.HandleAcked(pkt)
				now = now.Add(time.Second / 60)
				frames, err := parseAll(m, b)
				require.NoError(t, err)
				for _, f := range frames {
					got = append(got, string(f.body))
				}
			}
			name := []any{"%v, kept: %v", mode, keep}
			require.Zero(t, m.Pending(), name...)
			if !keep && !mode.Reliable() {
				assert.Equal(t, want[:1], got, name...)
				assert.EqualValues(t, 19, m.Stats().DroppedUnsent, name...)
				continue
			}
			assert.Equal(t, want, got, name...)
			assert.Zero(t, m.Stats().DroppedUnsent, name...)
		}
	}
}

// Once a fragment of an unreliable message has been sent, the message is not dropped any more, even
// if the budget of that frame does not suffice for its other fragments: later frames send them.
//
// Proves: P12
func TestWhatWasBegunIsNotDropped(t *testing.T) {
	for _, mode := range []Mode{UnorderedUnreliable, SequencedUnreliable} {
		m, peer := newMux(t, Config{Mode: mode}), newMux(t, Config{Mode: mode})
		long := strings.Repeat("long", FragmentSize)
		send(t, m, 0, long, epoch)
		send(t, m, 0, "dropped", epoch)
		var got []string
		for pkt := uint16(1); pkt <= 10; pkt++ {
			now := epoch.Add(time.Duration(pkt) * time.Second / 60)
			m.SetBudget(Bytes{Messages: FragmentSize})
			b, _ := m.AppendFrames(nil, fullRoom, pkt, now, testRTT)
			m.DropUnsent(now)
			require.NoError(t, peer.HandleFrames(m.Finish(b), now))
			for _, body, ok := peer.Poll(); ok; _, body, ok = peer.Poll() {
				got = append(got, string(body))
			}
		}
		assert.Equal(t, []string{long}, got, "%v", mode)
		assert.EqualValues(t, 1, m.Stats().DroppedUnsent, "%v", mode)
	}
}

// A reliable message keeps its turn until it is acknowledged: if it is lost, it is sent again
// before any message that was queued after it, however urgent that is. This is so however often it
// is lost.
//
// Proves: P13
func TestWhatGotLostKeepsItsTurn(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedReliable, ResendFactor: -1})
	sendPrio(t, m, 0, "low", 1, epoch)
	now, pkt := epoch, uint16(0)
	next := func() string {
		now, pkt = now.Add(time.Second/60), pkt+1
		sendPrio(t, m, 0, "new", 10, now)
		m.SetBudget(Bytes{Messages: 7}) // enough for one of them
		b, _ := m.AppendFrames(nil, fullRoom, pkt, now, testRTT)
		frames, err := parseAll(m, b)
		require.NoError(t, err)
		require.Len(t, frames, 1)
		if string(frames[0].body) == "new" {
			m.HandleAcked(pkt)
		}
		return string(frames[0].body)
	}
	waited := 0
	for ; next() != "low"; waited++ {
		require.Less(t, waited, 20)
	}
	assert.Greater(t, waited, 5, "it is as urgent as it is")
	for range 5 {
		m.HandleLost(pkt)
		require.Equal(t, "low", next(), "its turn has come already")
	}
	m.HandleAcked(pkt)
	for range 20 {
		require.Equal(t, "new", next())
	}
}

// A share that was silent for long has no claim to the bytes that others sent in that time.
func TestNoShareSavesUpForABurst(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedUnreliable}, Config{ID: 1, Mode: UnorderedUnreliable})
	now := epoch
	tick := func(bodies ...string) (got []string) {
		now = now.Add(time.Second / 60)
		for i, body := range bodies {
			for n := 0; body != "" && n < 10; n++ {
				send(t, m, ID(i), body, now)
			}
		}
		m.SetBudget(Bytes{Messages: 24})
		b, _ := m.AppendFrames(nil, fullRoom, 1, now, testRTT)
		m.DropUnsent(now)
		frames, err := parseAll(m, b)
		require.NoError(t, err)
		for _, f := range frames {
			got = append(got, string(f.body))
		}
		return got
	}
	require.Equal(t, []string{"aaaa", "bbbb", "aaaa", "bbbb"}, tick("aaaa", "bbbb"))
	for range 1000 {
		require.Len(t, tick("aaaa"), 4)
	}
	came := map[string]int{}
	for range 10 {
		for _, body := range tick("aaaa", "bbbb") {
			came[body]++
		}
	}
	assert.InDelta(t, 20, came["bbbb"], 2)
}

// A channel keeps at most maxShares shares, however many priorities a game uses.
func TestPrioritiesAreRememberedWithinALimit(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedUnreliable})
	for i := range 1000 {
		sendPrio(t, m, 0, "x", float32(i+1), epoch)
	}
	assert.Len(t, m.sender.byID[0].shares, maxShares)
	assert.Equal(t, uint8(maxShares-1), m.sender.byID[0].shareOf(999))
	assert.Equal(t, uint8(9), m.sender.byID[0].shareOf(10.2))
	require.NotEmpty(t, packets(m, 1, fullRoom, epoch))
	assert.Zero(t, m.sender.byID[0].shares[maxShares-1].waiting)
}

// The short last fragment of a long message may fit where nothing else does. Later messages do not
// wait as if the whole message had been sent by then.
func TestAShortEndThatIsSentEarlyDelaysNoLaterMessage(t *testing.T) {
	m := newMux(t, Config{ID: 1, Mode: UnorderedReliable})
	now := time.Unix(100, 0)
	_, err := m.Send(1, make([]byte, 100*FragmentSize+20), 0.01, now)
	require.NoError(t, err)
	b, _ := m.AppendFrames(nil, FragmentSize+60, 1, now, testRTT)
	frames, err := parseAll(m, m.Finish(b))
	require.NoError(t, err)
	require.Len(t, frames, 2)
	require.Equal(t, []uint8{0, 100}, []uint8{frames[0].index, frames[1].index})

	_, err = m.Send(1, []byte("short"), 1, now)
	require.NoError(t, err)
	b, _ = m.AppendFrames(nil, FragmentSize+60, 2, now, testRTT)
	frames, err = parseAll(m, m.Finish(b))
	require.NoError(t, err)
	assert.Equal(t, "short", string(frames[0].body))
}
