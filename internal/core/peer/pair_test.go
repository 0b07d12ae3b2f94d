package peer_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// registry is a Registry with a single number as its protocol.
type registry uint64

func (r registry) Hash() uint64                    { return uint64(r) }
func (r registry) AppendEntries(dst []byte) []byte { return append(dst, byte(r)) }

func (r registry) Diff(entries []byte) (string, error) {
	if len(entries) != 1 {
		return "", errors.New("no entries")
	}
	return "mine and theirs", nil
}

// inbox keeps the messages that arrive.
type inbox struct {
	got  []string
	also func() // called for each; may be nil
}

func (i *inbox) HandleMessage(_ channel.ID, body []byte, _ entangle.Tick, _ time.Time) error {
	i.got = append(i.got, string(body))
	if i.also != nil {
		i.also()
	}
	return nil
}

// bareSink has the methods of a sink that most tests do not need.
type bareSink struct{}

func (bareSink) Begin(_, _ entangle.Tick)             {}
func (bareSink) Remove(int)                           {}
func (bareSink) Orphan(repl.Slot)                     {}
func (bareSink) Commit()                              {}
func (bareSink) Discard()                             {}
func (bareSink) Predict(repl.Slot, bool)              {}
func (bareSink) Outdate(repl.Handle, repl.Generation) {}
func (bareSink) Most() int                            { return repl.MaxGroups }
func (bareSink) AtLimit() bool                        { return false }

// numbers is a world of numbers, as sender and as receiver.
type numbers struct {
	bareSink
	values map[repl.Slot]uint32
	at     repl.Slot
	next   repl.Slot
}

func (n *numbers) Encode(w *bits.Writer, s repl.Slot, _ int, _ *repl.RefTable) {
	w.Bits(uint64(n.values[s]), 32)
}

func (n *numbers) Spawn(repl.ID) repl.Slot          { n.next++; n.values[n.next] = 0; return n.next }
func (n *numbers) Member(s repl.Slot, _ bool)       { n.at = s }
func (n *numbers) Despawn(s repl.Slot)              { delete(n.values, s) }
func (n *numbers) Skip(r *bits.Reader, _ int) error { r.Bits(32); return r.Err() }
func (n *numbers) Insert(r *bits.Reader, _ int, _ receiver.Refs) error {
	n.values[n.at] = uint32(r.Bits(32))
	return r.Err()
}

func (n *numbers) Update(r *bits.Reader, c int, refs receiver.Refs) error {
	return n.Insert(r, c, refs)
}

// pair is a server's and a client's end, and a lossy connection between them.
type pair struct {
	t              testing.TB
	now            time.Time
	tick           entangle.Tick
	loss           float64
	rng            *rand.Rand
	server, client *peer.Peer
	mail           inbox
	world          *sender.World
	source, shown  numbers
	also           func()  // called in the tick
	line           *narrow // from server to client; nil if it has no cap
	// drops reports whether a payload is lost, in addition to the random loss; it may be nil.
	drops func(from *peer.Peer, payload []byte) bool
	slow  error // the error of the server's Begin
}

func newPair(t testing.TB, ours, theirs registry) *pair {
	p := &pair{t: t, now: time.Unix(100, 0), rng: rand.New(rand.NewPCG(1, 2))}
	p.source.values, p.shown.values = map[repl.Slot]uint32{}, map[repl.Slot]uint32{}
	p.world = sender.NewWorld(&p.source, 1)
	var err error
	p.server, err = peer.New(peer.Config{Registry: ours, Client: 7, World: p.world, Inbox: &p.mail})
	require.NoError(t, err)
	p.client, err = peer.New(peer.Config{Registry: theirs, Receiver: receiver.New(&p.shown, 1), Inbox: &inbox{}})
	require.NoError(t, err)
	return p
}

// step runs one tick of both ends.
func (p *pair) step() {
	p.now = p.now.Add(time.Second / 60)
	p.tick++
	p.world.Begin(p.tick)
	for s := range p.source.values {
		p.source.values[s]++
		p.world.Change(0, []repl.Slot{s})
	}
	if p.also != nil {
		p.also()
	}
	p.world.Commit()
	p.carry(p.server, p.client)
	p.carry(p.client, p.server)
}

func (p *pair) carry(from, to *peer.Peer) {
	if err := from.Begin(p.now); from == p.server {
		p.slow = err
	} else {
		require.NoError(p.t, err)
	}
	if from == p.server {
		p.line.open(from, p.now)
	}
	var answers [][]byte
	for {
		b := from.AppendPacket(nil, p.tick, p.now)
		if len(b) == 0 {
			break
		}
		require.LessOrEqual(p.t, len(b), entangle.MaxPayload)
		if from == p.server {
			p.line.pass(p.now, len(b))
		}
		if p.rng.Float64() >= p.loss && (p.drops == nil || !p.drops(from, b)) {
			require.NoError(p.t, to.HandlePayload(b, p.now))
			if b = to.AppendAck(nil, p.tick, p.now); len(b) > 0 {
				answers = append(answers, b)
			}
		}
	}
	for _, b := range answers {
		if p.drops != nil && p.drops(to, b) {
			continue
		}
		require.NoError(p.t, from.HandlePayload(b, p.now))
	}
}

func (p *pair) run(steps int) {
	for range steps {
		p.step()
		require.NoError(p.t, p.slow)
	}
}

func TestEqualProtocolsOpenAndTellTheClientItsID(t *testing.T) {
	p := newPair(t, 1, 1)
	p.loss = 0.3
	p.run(120)
	require.True(t, p.server.Open())
	require.True(t, p.client.Open())
	assert.Equal(t, entangle.ClientID(7), p.client.ClientID())
	assert.Equal(t, entangle.Nobody, p.server.ClientID())
}

// Two ends with different protocols never open. The first one that learns of the difference
// describes it in its goodbye.
func TestDifferentProtocolsNeverOpenAndNameTheDifference(t *testing.T) {
	p := newPair(t, 1, 2)
	p.run(10)
	assert.False(t, p.server.Open() || p.client.Open())
	first, other := p.server, p.client
	if _, ended := first.Ended(); !ended {
		first, other = other, first
	}
	reason, ended := first.Ended()
	require.True(t, ended)
	assert.Equal(t, "protocols differ: mine and theirs", reason)
	require.NoError(t, other.HandlePayload(first.AppendGoodbye(nil, reason, p.tick, p.now), p.now))
	received, ended := other.Ended()
	assert.True(t, ended)
	assert.Equal(t, reason, received)
}

func TestAPeerThatNeverSaysHelloIsGivenUp(t *testing.T) {
	p := newPair(t, 1, 1)
	p.loss = 1
	p.run(11 * 60)
	_, ended := p.server.Ended()
	assert.True(t, ended)
}

func TestNothingButHelloBeforeTheConnectionIsOpen(t *testing.T) {
	p := newPair(t, 1, 1)
	b := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: 1})
	b = append(b, byte(peer.FirstMessages)|0x80, 0, 0, 'x')
	require.NoError(t, p.server.Begin(p.now))
	assert.ErrorIs(t, p.server.HandlePayload(b, p.now), peer.ErrControl)
	assert.Empty(t, p.mail.got)
}

func TestMessagesAndReplicationShareAConnection(t *testing.T) {
	p := newPair(t, 1, 1)
	p.loss = 0.2
	p.run(120)
	require.True(t, p.client.Open())
	for s := range repl.Slot(500) {
		p.source.values[s] = uint32(s) << 16
	}
	p.world.Begin(p.tick)
	for s := range p.source.values {
		p.world.Spawn(s, set.MaskOf(0))
	}
	p.world.Commit()
	require.NoError(t, p.client.Send(peer.FirstMessages, []byte("hello"), 0, p.now))
	p.run(200)
	p.loss = 0
	p.run(60)
	assert.Equal(t, []string{"hello"}, p.mail.got)
	want, got := map[uint32]bool{}, map[uint32]bool{}
	for _, v := range p.source.values {
		want[v] = true
	}
	for _, v := range p.shown.values {
		got[v] = true
	}
	assert.Equal(t, want, got)
}

// When everything is acknowledged and nothing changes, no replication data is sent.
//
// Proves: R33
func TestNothingChangedNothingSent(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(60)
	p.world.Begin(p.tick)
	p.source.values[1] = 5
	p.world.Spawn(1, set.MaskOf(0))
	p.world.Commit()
	p.run(30)
	still := p.source.values
	p.source.values = map[repl.Slot]uint32{}
	p.run(60)
	before := p.server.Stats().PayloadsOut
	p.run(600)
	assert.Equal(t, before, p.server.Stats().PayloadsOut, "a silent world costs packets")
	assert.Len(t, p.shown.values, len(still))
}

func TestAGoodbyeEndsTheOtherSideWithItsReason(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(30)
	require.NoError(t, p.client.HandlePayload(p.server.AppendGoodbye(nil, "enough", p.tick, p.now), p.now))
	reason, ended := p.client.Ended()
	assert.True(t, ended)
	assert.Equal(t, "enough", reason)
	assert.Empty(t, p.client.AppendPacket(nil, p.tick, p.now))
}

func TestSteadyReplicationAllocatesNothing(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(60)
	for s := range repl.Slot(200) {
		p.source.values[s] = uint32(s)
	}
	p.world.Begin(p.tick)
	for s := range p.source.values {
		p.world.Spawn(s, set.MaskOf(0))
	}
	p.world.Commit()
	buf := make([]byte, 0, 2048)
	one := make([]repl.Slot, 1)
	step := func() {
		p.now = p.now.Add(time.Second / 60)
		p.tick++
		p.world.Begin(p.tick)
		for s := range p.source.values {
			p.source.values[s]++
			one[0] = s
			p.world.Change(0, one)
		}
		p.world.Commit()
		for _, way := range [][2]*peer.Peer{{p.server, p.client}, {p.client, p.server}} {
			_ = way[0].Begin(p.now)
			for i := 0; ; i++ {
				b := way[0].AppendPacket(buf, p.tick, p.now)
				if len(b) == 0 {
					break
				}
				if p.tick%20 != 0 || i > 0 { // a packet of 5 % of the ticks is lost
					_ = way[1].HandlePayload(b, p.now)
				}
			}
		}
	}
	for range 2000 {
		step()
	}
	assert.Zero(t, alloctest.Count(500, step))
}

// A lost spawn holds up neither the spawns that are sent after it nor their values.
//
// Proves: R23
func TestALostSpawnHoldsUpNoOther(t *testing.T) {
	p := newPair(t, 1, 1)
	p.run(60)
	spawn := func(s repl.Slot, value uint32) {
		p.also = func() { p.source.values[s] = value; p.world.Spawn(s, set.MaskOf(0)) }
		p.run(1)
		p.also = nil
	}
	p.drops = func(from *peer.Peer, _ []byte) bool { return from == p.server }
	spawn(1, 1000)
	p.drops = nil
	spawn(2, 2000)
	assert.Equal(t, []uint32{2000}, slices.Collect(maps.Values(p.shown.values)))
	p.run(1)
	assert.Contains(t, slices.Collect(maps.Values(p.shown.values)), uint32(2001), "its values follow")
	p.run(30)
	assert.Len(t, p.shown.values, 2)
}
