package channel

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// contract is a simple model of a mode: it records the sent and delivered messages, and checks the
// guarantees of the mode.
type contract struct {
	mode Mode
	sent [][]byte
	seen map[int]bool
	last int // number of the last message that was delivered; -1 if none was
}

func newContract(mode Mode) *contract { return &contract{mode: mode, seen: map[int]bool{}, last: -1} }

// next returns a new message of at least n bytes that contains its number.
func (c *contract) next(n int) []byte {
	body := binary.LittleEndian.AppendUint32(nil, uint32(len(c.sent)))
	for i := range n {
		body = append(body, byte(len(c.sent)*31+i))
	}
	c.sent = append(c.sent, body)
	return body
}

func (c *contract) receive(t require.TestingT, body []byte) {
	require.GreaterOrEqual(t, len(body), 4)
	n := int(binary.LittleEndian.Uint32(body))
	require.Less(t, n, len(c.sent))
	require.Equal(t, c.sent[n], body, "whole and unchanged")
	require.False(t, c.seen[n], "message %d came twice", n)
	switch {
	case c.mode == OrderedReliable:
		require.Equal(t, c.last+1, n, "a reliable stream is an exact prefix")
	case c.mode.Sequenced():
		require.Greater(t, n, c.last, "older than the last received")
	}
	c.seen[n], c.last = true, n
}

// finish checks the delivered messages once no packet is in flight.
func (c *contract) finish(t require.TestingT) {
	switch c.mode {
	case OrderedReliable, UnorderedReliable:
		require.Len(t, c.seen, len(c.sent), "every message")
	case SequencedReliable:
		require.Equal(t, len(c.sent)-1, c.last, "the newest message")
	}
}

// allModes has one channel of each mode; its id is the mode.
func allModes() (configs []Config) {
	for mode := OrderedReliable; mode < External; mode++ {
		configs = append(configs, Config{ID: ID(mode), Name: mode.String(), Mode: mode})
	}
	return configs
}

// run sends messages of all modes for some seconds and checks the contracts. Ids
// of all counters start just before they wrap.
func run(t require.TestingT, seed uint64, loss float64, seconds, large int) {
	n := newNetwork(t, seed, loss, allModes()...)
	var contracts []*contract
	for mode := OrderedReliable; mode < External; mode++ {
		contracts = append(contracts, newContract(mode))
		startAt(n.a.mux, n.b.mux, ID(mode), 65536-20)
	}
	n.b.pull = func(id ID, body []byte) { contracts[id].receive(t, body) }
	random := n.toB.rand
	for range seconds * 60 {
		for mode, c := range contracts {
			size := random.IntN(40)
			if large > 0 && random.IntN(100) == 0 {
				size = random.IntN(large)
			}
			_, err := n.a.mux.Send(ID(mode), c.next(size), 0, n.now)
			require.NoError(t, err)
		}
		n.step()
	}
	n.sendAll(t, 60*60)
	for _, c := range contracts {
		c.finish(t)
	}
	require.Zero(t, n.a.mux.window)
	require.Zero(t, n.a.mux.queued)
	n.now = n.now.Add(ReassemblyTimeout)
	n.step()
	require.Zero(t, n.b.mux.Held())
	require.LessOrEqual(t, n.b.largest, ReliableWindow+UnreliableWindow)
}

// startAt advances a new channel as if n messages had been sent.
func startAt(from, to *Mux, id ID, n uint16) {
	out, in := from.sender.byID[id], to.receiver.byID[id]
	out.queue.front, out.queue.back = MessageID(n), MessageID(n)
	out.nextWire = n
	if in.mode != UnorderedUnreliable {
		in.next = n
	}
}

// Proves: P4, P5, P6, P7, P8
func TestModesKeepTheirContracts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		loss := rapid.SampledFrom([]float64{0, 0.05, 0.3, 0.5}).Draw(t, "loss")
		run(t, seed, loss, rapid.IntRange(1, 3).Draw(t, "seconds"), rapid.SampledFrom([]int{0, 700, 20000}).Draw(t, "large"))
	})
}

// Each message of an unordered reliable channel is delivered once, with the first packet that
// contains it, whatever earlier messages are missing. This is so during the whole connection, while
// its ids and its window wrap around many times.
//
// Proves: P6
func TestUnorderedReliableDeliversAtOnceForGood(t *testing.T) {
	const block, blocks = 8, (1<<16 + 3*Window) / 8
	m := newMux(t, Config{Mode: UnorderedReliable})
	random := rand.New(rand.NewPCG(1, 2))
	var b []byte
	arrive := func(n int) (delivered int) {
		b = appendFrame(b[:0], frame{hasID: true, message: uint16(n), body: []byte{byte(n)}})
		require.NoError(t, m.HandleFrames(b, epoch))
		for _, body, ok := m.Poll(); ok; _, body, ok = m.Poll() {
			require.Equal(t, byte(n), body[0])
			delivered++
		}
		return delivered
	}
	for of := range blocks {
		for _, i := range random.Perm(block) {
			require.Equal(t, 1, arrive(of*block+i), "message %d of block %d", i, of)
			require.Zero(t, arrive(of*block+i), "again")
		}
		require.Zero(t, arrive(max(0, of*block-random.IntN(Window))), "long after")
	}
	require.Zero(t, m.Held())
}

// Proves: P4
func TestExactlyOnceUnder30PercentLoss(t *testing.T) {
	for seed := range uint64(5) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { run(t, seed, 0.3, 10, 3000) })
	}
}

// Proves: P4
func TestResendIntervalIsSetPerChannel(t *testing.T) {
	for _, c := range []struct {
		name string
		cfg  Config
		rtt  time.Duration
		want time.Duration // 0 means never by time
	}{
		{"default factor", Config{}, 100 * time.Millisecond, 150 * time.Millisecond},
		{"default minimum", Config{}, time.Millisecond, DefaultResendMin},
		{"factor", Config{ResendFactor: 3}, 100 * time.Millisecond, 300 * time.Millisecond},
		{"minimum", Config{ResendMin: time.Second}, 100 * time.Millisecond, time.Second},
		{"no minimum", Config{ResendMin: -1, ResendFactor: 2}, 5 * time.Millisecond, 10 * time.Millisecond},
		{"off", Config{ResendFactor: -1}, 100 * time.Millisecond, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMux(t, c.cfg)
			send(t, m, 0, "x", epoch)
			_, eliciting := m.AppendFrames(nil, fullRoom, 1, epoch, c.rtt)
			require.True(t, eliciting)
			if c.want == 0 {
				assert.False(t, m.Due(epoch.Add(time.Hour), c.rtt))
				m.HandleLost(1)
				assert.True(t, m.Due(epoch.Add(time.Hour), c.rtt), "lost is due all the same")
				return
			}
			assert.False(t, m.Due(epoch.Add(c.want-time.Microsecond), c.rtt))
			assert.True(t, m.Due(epoch.Add(c.want), c.rtt))
		})
	}
}

func TestLostIsResentAtOnceAndAckedNever(t *testing.T) {
	m := newMux(t, Config{Mode: UnorderedReliable})
	send(t, m, 0, "x", epoch)
	m.AppendFrames(nil, fullRoom, 1, epoch, testRTT)
	require.False(t, m.Due(epoch, testRTT))
	m.HandleLost(1)
	require.True(t, m.Due(epoch, testRTT))
	m.AppendFrames(nil, fullRoom, 2, epoch, testRTT)
	m.AppendFrames(nil, fullRoom, 3, epoch.Add(time.Second), testRTT)
	m.HandleLost(2)
	require.False(t, m.Due(epoch.Add(time.Second), testRTT), "packet 3 still carries it")
	m.HandleAcked(3)
	assert.False(t, m.Due(epoch.Add(time.Hour), testRTT))
	assert.Zero(t, m.Pending())
	assert.Equal(t, uint64(2), m.Stats().Resent)
}

func TestSequencedDropsWhatIsOlder(t *testing.T) {
	for _, mode := range []Mode{SequencedReliable, SequencedUnreliable} {
		m := newMux(t, Config{Mode: mode})
		for _, n := range []uint16{3, 1, 3, 4, 0} {
			f := frame{hasID: true, message: n, body: []byte{byte(n)}}
			require.NoError(t, m.HandleFrames(encodeAll(f), epoch))
			received(m)
		}
		assert.Equal(t, ReceiveStats{Delivered: 2, Stale: 3}, m.Stats().ReceiveStats)
	}
}

func TestSequencedReliableStopsResendingWhatIsOvertaken(t *testing.T) {
	m := newMux(t, Config{Mode: SequencedReliable})
	send(t, m, 0, "old", epoch)
	m.AppendFrames(nil, fullRoom, 1, epoch, testRTT)
	send(t, m, 0, "new", epoch)
	m.AppendFrames(nil, fullRoom, 2, epoch, testRTT)
	m.HandleAcked(2)
	m.HandleLost(1)
	assert.Zero(t, m.Pending())
	assert.False(t, m.Due(epoch.Add(time.Hour), testRTT))
	assert.Equal(t, uint64(1), m.Stats().Superseded)
}
