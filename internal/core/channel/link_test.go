package channel

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// end is one side of a connection: a tracker and a mux.
type end struct {
	t       require.TestingT
	tracker *packet.Tracker
	mux     *Mux
	pull    func(id ID, body []byte) // called for each message
	largest int
}

func newEnd(t require.TestingT, configs ...Config) *end {
	m := newMux(t, configs...)
	return &end{t: t, tracker: packet.NewTracker(packet.Config{}), mux: m, pull: func(ID, []byte) {}}
}

// leave returns the packets that the end sends now, at most max of them.
func (e *end) leave(now time.Time, room, max int) (out [][]byte) {
	e.verdicts(now)
	for len(out) < max && e.mux.Due(now, e.tracker.RTT()) {
		h := e.tracker.Next(now, 0, packet.Data)
		b := packet.AppendHeader(nil, h)
		b, _ = e.mux.AppendFrames(b, room, h.ID, now, e.tracker.RTT())
		require.LessOrEqual(e.t, len(b), packet.HeaderSize+room)
		require.Greater(e.t, len(b), packet.HeaderSize, "Due, but nothing was appended")
		out = append(out, e.mux.Finish(b))
		e.verdicts(now)
	}
	return out
}

func (e *end) verdicts(now time.Time) {
	for _, id := range e.tracker.TakeAcked() {
		e.mux.HandleAcked(id)
	}
	for id, ok := e.tracker.PollLost(now); ok; id, ok = e.tracker.PollLost(now) {
		e.mux.HandleLost(id)
	}
}

// arrive handles one packet and returns the acknowledgement that it requires, if any.
func (e *end) arrive(b []byte, now time.Time) []byte {
	h, body, err := packet.ParseHeader(b)
	require.NoError(e.t, err)
	fresh, err := e.tracker.HandleHeader(h, now)
	require.NoError(e.t, err)
	e.verdicts(now)
	if fresh {
		require.NoError(e.t, e.mux.HandleFrames(body, now))
		for id, msg, ok := e.mux.Poll(); ok; id, msg, ok = e.mux.Poll() {
			e.pull(id, msg)
		}
	}
	e.largest = max(e.largest, e.mux.Held())
	return e.ackDue(now)
}

func (e *end) ackDue(now time.Time) []byte {
	if !e.tracker.AckDue(now) {
		return nil
	}
	return packet.AppendHeader(nil, e.tracker.Next(now, 0, packet.AckOnly))
}

// link delays, reorders, duplicates and loses packets.
type link struct {
	rand   *rand.Rand
	loss   float64
	repeat float64
	jitter time.Duration
	flying []datagram
}

type datagram struct {
	at    time.Time
	bytes []byte
}

func (l *link) put(b []byte, now time.Time) {
	if b == nil {
		return
	}
	copies := 1
	if l.rand.Float64() < l.repeat {
		copies = 2
	}
	for range copies {
		if l.rand.Float64() >= l.loss {
			delay := 20*time.Millisecond + time.Duration(l.rand.Int64N(int64(l.jitter)+1))
			l.flying = append(l.flying, datagram{now.Add(delay), slices.Clone(b)})
		}
	}
}

// due removes the packets that have arrived, in order of arrival.
func (l *link) due(now time.Time) (out []datagram) {
	l.flying = slices.DeleteFunc(l.flying, func(d datagram) bool {
		if d.at.After(now) {
			return false
		}
		out = append(out, d)
		return true
	})
	slices.SortStableFunc(out, func(a, b datagram) int { return a.at.Compare(b.at) })
	return out
}

// network is two ends and the links between them, stepped at 60 Hz.
type network struct {
	a, b     *end
	toA, toB *link
	now      time.Time
	room     int
	perTick  int
}

func newNetwork(t require.TestingT, seed uint64, loss float64, configs ...Config) *network {
	links := [2]*link{}
	for i := range links {
		links[i] = &link{rand: rand.New(rand.NewPCG(seed, uint64(i))), loss: loss, repeat: 0.1, jitter: 60 * time.Millisecond}
	}
	return &network{
		a: newEnd(t, configs...), b: newEnd(t, configs...),
		toA: links[0], toB: links[1], now: epoch, room: fullRoom, perTick: 20,
	}
}

func (n *network) step() {
	n.now = n.now.Add(time.Second / 60)
	transfer(n.toB, n.b, n.toA, n.now)
	transfer(n.toA, n.a, n.toB, n.now)
	n.leave(n.a, n.toB)
	n.leave(n.b, n.toA)
	n.a.mux.Expire(n.now)
	n.b.mux.Expire(n.now)
}

func (n *network) leave(e *end, l *link) {
	for _, b := range e.leave(n.now, n.room, n.perTick) {
		l.put(b, n.now)
	}
	l.put(e.ackDue(n.now), n.now)
}

func transfer(from *link, to *end, back *link, now time.Time) {
	for _, d := range from.due(now) {
		back.put(to.arrive(d.bytes, now), now)
	}
}

// sendAll steps until no message is pending, and fails if that takes too long.
func (n *network) sendAll(t require.TestingT, steps int) {
	for range steps {
		if n.a.mux.Pending()+n.b.mux.Pending() == 0 && len(n.toA.flying)+len(n.toB.flying) == 0 {
			return
		}
		n.step()
	}
	require.Fail(t, "messages are still pending")
}

func TestLinkIsRepeatable(t *testing.T) {
	run := func() packet.Stats {
		n := newNetwork(t, 7, 0.3, Config{Mode: OrderedReliable})
		for range 100 {
			_, err := n.a.mux.Send(0, []byte("x"), 0, n.now)
			require.NoError(t, err)
			n.step()
		}
		return n.a.tracker.Stats()
	}
	first, second := run(), run()
	require.Equal(t, first, second)
}
