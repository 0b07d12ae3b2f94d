package channel

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestConfigurationIsChecked(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		field   string
		configs []Config
		limits  Limits
	}{
		{"ID must", []Config{{ID: 64}}, Limits{}},
		{"ID is taken", []Config{{ID: 1}, {ID: 1}}, Limits{}},
		{"Mode", []Config{{Mode: 6}}, Limits{}},
		{"Direction", []Config{{Direction: 3}}, Limits{}},
		{"Priority", []Config{{Priority: -1}}, Limits{}},
		{"Priority", []Config{{Priority: nan}}, Limits{}},
		{"Priority", []Config{{Priority: float32(math.Inf(1))}}, Limits{}},
		{"ResendFactor", []Config{{ResendFactor: nan}}, Limits{}},
		{"ReportDelivery", []Config{{Mode: External, ReportDelivery: true}}, Limits{}},
		{"ReliableQueue", nil, Limits{ReliableQueue: 100}},
		{"UnreliableQueue", nil, Limits{UnreliableQueue: -1}},
		{"Reports", nil, Limits{Reports: -1}},
	} {
		err := new(Mux).Init(c.configs, c.limits)
		require.ErrorIs(t, err, ErrConfig)
		assert.ErrorContains(t, err, c.field)
	}
	assert.Equal(t, "SequencedReliable", SequencedReliable.String())
	assert.Equal(t, "Mode(9)", Mode(9).String())
}

// Proves: P14
func TestDirection(t *testing.T) {
	server := newMux(t, Config{ID: 1, Direction: SendOnly}, Config{ID: 2, Direction: ReceiveOnly}, Config{ID: 3})
	client := newMux(t, Config{ID: 1, Direction: ReceiveOnly}, Config{ID: 2, Direction: SendOnly}, Config{ID: 3})
	t.Run("the sender gets an error", func(t *testing.T) {
		_, err := client.Send(1, nil, 0, epoch)
		require.ErrorIs(t, err, ErrDirection)
		_, err = server.Send(2, nil, 0, epoch)
		require.ErrorIs(t, err, ErrDirection)
		assert.Zero(t, client.Pending()+server.Pending())
	})
	t.Run("the receiver refuses the packet", func(t *testing.T) {
		good := frame{id: 3, hasID: true, body: []byte("good")}
		bad := frame{id: 1, hasID: true, body: []byte("bad")}
		require.ErrorIs(t, server.HandleFrames(encodeAll(good, bad), epoch), ErrRefused)
		assert.Empty(t, received(server))
		require.NoError(t, client.HandleFrames(encodeAll(good, bad), epoch))
		assert.Equal(t, []string{"good", "bad"}, received(client))
	})
}

// A peer that sends against the direction is refused on a channel of any mode, in whole messages
// and in fragments, and nothing else of its packet is applied.
//
// Proves: P14
func TestDirectionHoldsInEveryMode(t *testing.T) {
	for mode := OrderedReliable; mode < modes; mode++ {
		configs := []Config{{ID: 1, Mode: mode, Direction: SendOnly}, {ID: 2}, {ID: 3, Mode: mode}}
		good := frame{id: 2, hasID: true, body: []byte("good")}
		of := func(id ID) (bad []frame) {
			bad = append(bad, frame{id: id, hasID: mode.carriesID(false), body: []byte("bad")})
			if mode != External {
				bad = append(bad, fragment(id, 0, 0, 2*FragmentSize))
			}
			return bad
		}
		for i, bad := range of(1) {
			m := newMux(t, configs...)
			require.ErrorIs(t, m.HandleFrames(encodeAll(good, bad), epoch), ErrRefused, "%v, frame %d", mode, i)
			assert.Empty(t, received(m))
			assert.Zero(t, m.Held())
			assert.Equal(t, uint64(1), m.Stats().Refused)
			require.NoError(t, m.HandleFrames(encodeAll(good, of(3)[i]), epoch), "both ways")
		}
		if mode == External {
			m := newMux(t, Config{ID: 1, Mode: mode, Direction: ReceiveOnly})
			assert.Panics(t, func() { m.BeginFrame(nil, 1) })
			continue
		}
		_, err := newMux(t, Config{ID: 1, Mode: mode, Direction: ReceiveOnly}).Send(1, nil, 0, epoch)
		require.ErrorIs(t, err, ErrDirection, mode)
	}
}

func TestSendMistakes(t *testing.T) {
	m := newMux(t, everyMode()...)
	for _, c := range []struct {
		id       ID
		body     []byte
		priority float32
		want     error
	}{
		{6, nil, 0, ErrNoChannel},
		{200, nil, 0, ErrNoChannel},
		{ID(External), nil, 0, ErrExternal},
		{ID(OrderedReliable), make([]byte, MaxMessage+1), 0, ErrTooLarge},
		{ID(UnorderedUnreliable), make([]byte, MaxUnreliableMessage+1), 0, ErrTooLarge},
		{0, nil, -1, ErrPriority},
		{0, nil, float32(math.NaN()), ErrPriority},
	} {
		_, err := m.Send(c.id, c.body, c.priority, epoch)
		require.ErrorIs(t, err, c.want)
	}
	assert.Zero(t, m.Pending())
	assert.Zero(t, m.Backlog(200))
}

func TestSendCopiesTheBody(t *testing.T) {
	a, b := pair(t, Config{})
	body := []byte("before")
	_, err := a.Send(0, body, 0, epoch)
	require.NoError(t, err)
	copy(body, "after!")
	require.NoError(t, b.HandleFrames(packets(a, 1, fullRoom, epoch)[0], epoch))
	assert.Equal(t, []string{"before"}, received(b))
}

// Proves: Z10
func TestReliableQueueIsBounded(t *testing.T) {
	for _, size := range []int{1, 500, 30_000} {
		m := newMux(t, Config{Mode: UnorderedReliable}, Config{ID: 1, Mode: OrderedReliable})
		body := make([]byte, size)
		sent, bytes := 0, 0
		var err error
		for ; err == nil; sent++ {
			require.Less(t, sent, 100_000)
			_, err = m.Send(ID(sent%2), body, 0, epoch)
			bytes = m.Backlog(0) + m.Backlog(1)
			packets(m, 1, fullRoom, epoch)
		}
		require.ErrorIs(t, err, ErrQueueFull)
		assert.LessOrEqual(t, m.queued, DefaultReliableQueue)
		assert.Greater(t, m.queued, DefaultReliableQueue-cost(size)-1)
		assert.Equal(t, (sent-1)*size, bytes, "what was accepted is kept")
		assert.LessOrEqual(t, m.window, ReliableWindow)
	}
}

func TestUnreliableQueueDropsTheOldest(t *testing.T) {
	for _, mode := range []Mode{SequencedUnreliable, UnorderedUnreliable} {
		a, b := pair(t, Config{Mode: mode})
		for n := range 1000 {
			send(t, a, 0, string(bytes.Repeat([]byte{byte(n)}, 200)), epoch)
			require.LessOrEqual(t, a.sender.byID[0].cost, DefaultUnreliableQueue)
		}
		kept := DefaultUnreliableQueue / cost(200)
		assert.Equal(t, uint64(1000-kept), a.Stats().DroppedFull)
		assert.Equal(t, kept, a.Pending())
		assert.Equal(t, kept*200, a.Backlog(0))
		var got []string
		for _, p := range packets(a, 1, fullRoom, epoch) {
			require.NoError(t, b.HandleFrames(p, epoch))
			got = append(got, received(b)...)
		}
		require.Len(t, got, kept)
		assert.Equal(t, byte(999&0xff), got[kept-1][0])
		assert.Zero(t, a.Backlog(0))
	}
}

// TestSenderKeepsWithinTheWindows acknowledges only the newest packet.
func TestSenderKeepsWithinTheWindows(t *testing.T) {
	for _, mode := range []Mode{OrderedReliable, UnorderedReliable} {
		a, b := pair(t, Config{Mode: mode, ResendFactor: -1})
		for range 3000 {
			send(t, a, 0, "x", epoch)
		}
		pkt, seen := uint16(1), 0
		for a.Due(epoch, testRTT) {
			p, _ := a.AppendFrames(nil, fullRoom, pkt, epoch, testRTT)
			if pkt > 1 { // the first packet is late
				require.NoError(t, b.HandleFrames(p, epoch))
				seen += len(received(b))
				a.HandleAcked(pkt)
			}
			pkt++
		}
		assert.Equal(t, MessageID(Window), a.sender.byID[0].sendLimit())
		a.HandleLost(1)
		for a.Due(epoch, testRTT) {
			p, _ := a.AppendFrames(nil, fullRoom, pkt, epoch, testRTT)
			require.NoError(t, b.HandleFrames(p, epoch))
			seen += len(received(b))
			a.HandleAcked(pkt)
			pkt++
		}
		assert.Equal(t, 3000, seen)
		assert.Zero(t, a.Pending())
	}
}

func TestReliableMessagesTooFarAheadAreRefused(t *testing.T) {
	for _, mode := range []Mode{OrderedReliable, UnorderedReliable, SequencedReliable} {
		m := newMux(t, Config{Mode: mode})
		handle(t, m, epoch, frame{hasID: true, message: Window - 1})
		received(m)
		next := m.receiver.byID[0].next
		require.ErrorIs(t, m.HandleFrames(encodeAll(frame{hasID: true, message: next + Window}), epoch), ErrWindow)
		handle(t, m, epoch, frame{hasID: true, message: next - 1})
		handle(t, m, epoch, frame{hasID: true, message: next + 0x8000})
	}
}

func TestUnpolledMessagesPanic(t *testing.T) {
	m := newMux(t, everyMode()...)
	handle(t, m, epoch, frame{id: 4, body: []byte("a")}, frame{id: 4, body: []byte("b")})
	m.Poll()
	assert.Panics(t, func() { _ = m.HandleFrames(nil, epoch) })
	m.Poll()
	require.NoError(t, m.HandleFrames(nil, epoch))
}

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// hostilePackets are the packets found to make a receiver allocate most.
func hostilePackets() map[string][]byte {
	fill := func(f func(n int) frame) (b []byte) {
		for n := 0; ; n++ {
			next := appendFrame(b, f(n))
			if len(next) > fullRoom {
				return b
			}
			b = next
		}
	}
	tiny := []byte{1}
	return map[string][]byte{
		"empty messages":            fill(func(int) frame { return frame{id: 4} }),
		"early messages":            fill(func(n int) frame { return frame{hasID: true, message: uint16(n + 1), body: tiny} }),
		"early messages, backwards": fill(func(n int) frame { return frame{hasID: true, message: uint16(900 - n), body: tiny} }),
		"rests of reliable messages": fill(func(n int) frame {
			return frame{id: ID(n % 3), hasID: true, message: uint16(n + 1), fragment: true, index: 120, final: 120, body: tiny}
		}),
		"rests of unreliable messages": fill(func(n int) frame {
			return frame{id: 3 + ID(n%2), hasID: true, message: uint16(n), fragment: true, index: 60, final: 60, body: tiny}
		}),
		"a long message and early ones": append(encodeAll(fragment(1, 0, 0, MaxMessage)), fill(func(n int) frame {
			return frame{hasID: true, message: uint16(n + 1), body: tiny}
		})[:560]...),
		"far apart": fill(func(n int) frame { return frame{id: 1, hasID: true, message: uint16(n * 7), body: tiny} }),
	}
}

// Proves: Z7
func TestAllocationPerPacketIsBounded(t *testing.T) {
	for name, b := range hostilePackets() {
		m := newMux(t, everyMode()...)
		poll := func() {
			for _, _, ok := m.Poll(); ok; _, _, ok = m.Poll() {
			}
		}
		got := allocated(func() { _ = m.HandleFrames(b, epoch); poll() })
		assert.LessOrEqual(t, got, uint64(16*len(b)+64<<10), name)
	}
	t.Run("many long messages completed by one packet", func(t *testing.T) {
		m := newMux(t, everyMode()...)
		var last []byte
		for n := range uint16(2) {
			for i := range MaxFragments - 1 {
				handle(t, m, epoch, fragment(1, n, i, MaxMessage))
			}
			last = appendFrame(last, fragment(1, n, MaxFragments-1, MaxMessage))
		}
		got := allocated(func() {
			require.NoError(t, m.HandleFrames(last, epoch))
			for range 2 {
				_, body, ok := m.Poll()
				require.True(t, ok)
				require.Len(t, body, MaxMessage)
			}
		})
		assert.LessOrEqual(t, got, uint64(16*len(last)+64<<10))
	})
}

// Proves: Z7
func TestAllocationOfRandomPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := newMux(t, everyMode()...)
		var frames []frame
		size := 0
		for size < 1000 {
			mode := Mode(random.IntN(int(modes)))
			f := frame{id: ID(mode), message: uint16(random.IntN(Window)), body: make([]byte, random.IntN(20))}
			if mode != External && random.IntN(2) == 0 {
				f.fragment, f.final, f.body = true, uint8(1+random.IntN(60)), []byte{1}
				f.index = f.final
			}
			f.hasID = mode.carriesID(f.fragment)
			frames = append(frames, f)
			size += frameSize(&f)
		}
		b := encodeAll(frames...)
		got := allocated(func() { _ = m.HandleFrames(b, epoch) })
		require.LessOrEqual(t, got, uint64(16*len(b)+64<<10))
	})
}

func TestRestingMuxIsSmall(t *testing.T) {
	got := allocated(func() { newMux(t, everyMode()...) })
	assert.Less(t, got, uint64(8<<10))
}

func TestMemoryIsGivenBack(t *testing.T) {
	n := newNetwork(t, 1, 0, Config{Mode: OrderedReliable})
	for range 5000 {
		_, err := n.a.mux.Send(0, []byte("x"), 0, n.now)
		require.NoError(t, err)
	}
	assert.Greater(t, len(n.a.mux.sender.byID[0].queue.ring), queueShrink)
	n.sendAll(t, 1000)
	assert.Nil(t, n.a.mux.sender.byID[0].queue.ring)
	assert.LessOrEqual(t, len(n.a.mux.messages.free), keptMessages)
	assert.LessOrEqual(t, n.a.mux.records.kept, keptChunks)
	for _, free := range n.a.mux.pool.free {
		assert.LessOrEqual(t, len(free), poolKeep)
	}
	_, err := n.a.mux.Send(0, []byte("again"), 0, n.now)
	require.NoError(t, err)
	n.sendAll(t, 1000)
}

// TestSilentPeer never acknowledges: memory stays within the limits.
//
// Proves: Z10
func TestSilentPeer(t *testing.T) {
	m := newEnd(t, Config{Mode: OrderedReliable}, Config{ID: 1, Mode: UnorderedUnreliable, ReportDelivery: true})
	var err error
	for tick := 0; err == nil; tick++ {
		require.Less(t, tick, 100_000)
		now := epoch.Add(time.Duration(tick) * time.Second / 60)
		_, err = m.mux.Send(0, make([]byte, 300), 0, now)
		_, _ = m.mux.Send(1, make([]byte, 300), 0, now)
		m.leave(now, fullRoom, 10)
		require.LessOrEqual(t, m.tracker.InFlight(), 1024)
	}
	require.ErrorIs(t, err, ErrQueueFull)
	assert.LessOrEqual(t, m.mux.queued, DefaultReliableQueue)
	assert.LessOrEqual(t, len(m.mux.records.slots), maxRecords)
}
