package peer_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
)

// speaker is a feed that resends its newest number until it is acknowledged, and keeps the numbers
// that it receives.
type speaker struct {
	next   uint32 // the next number to send
	have   uint32 // the newest number that the peer has acknowledged
	urgent bool
	pad    int // additional bytes of each frame
	under  map[uint16]uint32

	got    []uint32
	ticks  []entangle.Tick
	frames int
	bytes  int
}

var errNumber = errors.New("no number")

func (s *speaker) AppendFrame(dst []byte, room int, pkt uint16, _ entangle.Tick, _ time.Time) []byte {
	if s.next == s.have || room < 4 {
		return dst
	}
	if s.under == nil {
		s.under = map[uint16]uint32{}
	}
	s.under[pkt], s.urgent = s.next, false
	pad := min(s.pad, room-4)
	s.frames++
	s.bytes += 4 + pad
	return append(binary.LittleEndian.AppendUint32(dst, s.next), make([]byte, pad)...)
}

func (s *speaker) Urgent(time.Time) bool { return s.urgent }

func (s *speaker) HandleFrame(tick entangle.Tick, body []byte, _ time.Time) error {
	if len(body) < 4 {
		return errNumber
	}
	s.got, s.ticks = append(s.got, binary.LittleEndian.Uint32(body)), append(s.ticks, tick)
	return nil
}

func (s *speaker) HandleAcked(pkt uint16) {
	if n, ok := s.under[pkt]; ok {
		s.have = max(s.have, n)
		delete(s.under, pkt)
	}
}

func (s *speaker) HandleLost(pkt uint16) {
	if n, ok := s.under[pkt]; ok {
		s.urgent = s.urgent || n == s.next
		delete(s.under, pkt)
	}
}

// say makes the feed send the next number.
func (s *speaker) say(urgent bool) { s.next, s.urgent = s.next+1, urgent }

// speakers are the feeds of both ends of a pair.
type speakers struct{ serverClock, serverInputs, clientClock, clientInputs speaker }

// newFeedPair returns a pair with feeds. If capped is true, the server has a cap.
func newFeedPair(t testing.TB, capped bool) (*pair, *speakers) {
	p, s := newPair(t, 1, 1), &speakers{}
	var err error
	p.server, err = peer.New(peer.Config{
		Registry: registry(1), Client: 7, World: p.world, Inbox: &p.mail, Capped: capped,
		Clock: &s.serverClock, Inputs: &s.serverInputs,
	})
	require.NoError(t, err)
	if capped {
		p.line = newNarrow()
	}
	p.client, err = peer.New(peer.Config{
		Registry: registry(1), Receiver: receiver.New(&p.shown, 1), Inbox: &p.line.sure().received,
		Clock: &s.clientClock, Inputs: &s.clientInputs,
	})
	require.NoError(t, err)
	return p, s
}

// sure returns n, or an unused narrow if n is nil.
func (n *narrow) sure() *narrow {
	if n == nil {
		return &narrow{}
	}
	return n
}

// Urgent data gets a packet of its own, whatever else there is to send. Other data waits for a
// packet that is sent anyway.
func TestAFeedRidesAlongUnlessItIsUrgent(t *testing.T) {
	p, s := newFeedPair(t, false)
	p.run(30)
	s.clientClock.say(false)
	before := p.client.Stats().PayloadsOut
	p.run(30)
	assert.Empty(t, s.serverClock.got, "a packet left for what was to ride along")
	assert.Equal(t, before, p.client.Stats().PayloadsOut)

	require.NoError(t, p.client.Send(peer.FirstMessages, []byte("hello"), 0, p.now))
	p.step()
	assert.Equal(t, []uint32{1}, s.serverClock.got)

	p.run(30)
	s.clientInputs.say(true)
	s.serverInputs.say(true)
	p.step()
	assert.Equal(t, []uint32{1}, s.serverInputs.got)
	assert.Equal(t, []uint32{1}, s.clientInputs.got)
	assert.Equal(t, []entangle.Tick{p.tick}, s.serverInputs.ticks, "the tick of the packet")
}

// A feed is told of each packet whether it was acknowledged or lost, so that lost data is resent.
// If the network loses and duplicates packets, nothing is delivered twice.
func TestAFeedHearsWhatBecameOfItsPackets(t *testing.T) {
	p, s := newFeedPair(t, false)
	p.run(30)
	p.loss = 0.3
	for range 200 {
		s.clientInputs.say(true)
		s.serverClock.say(true)
		p.step()
	}
	p.loss = 0
	p.run(120)
	for _, way := range []struct{ from, to *speaker }{{&s.clientInputs, &s.serverInputs}, {&s.serverClock, &s.clientClock}} {
		assert.Equal(t, uint32(200), way.from.have)
		assert.Empty(t, way.from.under, "packets that were neither acknowledged nor lost")
		assert.Contains(t, way.to.got, uint32(200))
		assert.Less(t, len(way.to.got), way.from.frames, "nothing got lost")
	}
}

func TestFeedsSaveTheirWordsForAnOpenConnection(t *testing.T) {
	p, s := newFeedPair(t, false)
	s.clientClock.say(true)
	require.NoError(t, p.client.Begin(p.now))
	require.NotEmpty(t, p.client.AppendPacket(nil, p.tick, p.now), "the hello")
	assert.Zero(t, s.clientClock.frames)
	p.run(30)
	assert.Equal(t, []uint32{1}, s.serverClock.got)
}

func TestAFrameOfAFeedThatIsNotReadEndsTheConnection(t *testing.T) {
	for name, ch := range map[string]byte{"clock": byte(peer.Clock), "inputs": byte(peer.Inputs)} {
		t.Run(name, func(t *testing.T) {
			p := newPair(t, 1, 1)
			p.run(30)
			assert.ErrorContains(t, p.server.HandlePayload(frameOn(ch, 1000, 1, 2, 3, 4), p.now), "does not read")
		})
	}
}

func TestAnErrorOfAFeedEndsTheConnection(t *testing.T) {
	p, _ := newFeedPair(t, false)
	p.run(30)
	assert.ErrorIs(t, p.server.HandlePayload(frameOn(byte(peer.Inputs), 1000, 1), p.now), errNumber)
}

// frameOn returns a packet with one frame of an external channel.
func frameOn(ch byte, id uint16, body ...byte) []byte {
	b := packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: id})
	return append(append(b, ch|0x80), body...)
}

// OnPacket is called once for each new packet with its tick, in the order of arrival. It is not
// called for packets that only acknowledge.
func TestThePacketsOfThePeerTellTheirTicks(t *testing.T) {
	var ticks []entangle.Tick
	p := newPair(t, 1, 1)
	var err error
	p.server, err = peer.New(peer.Config{
		Registry: registry(1), Client: 7, World: p.world, Inbox: &p.mail,
		OnPacket: func(_ uint16, tick entangle.Tick, _ time.Time) { ticks = append(ticks, tick) },
	})
	require.NoError(t, err)
	p.run(30)
	ticks = nil
	at := func(id uint16, tick entangle.Tick, kind packet.Kind) {
		b := packet.AppendHeader(nil, packet.Header{Kind: kind, ID: id, Tick: tick})
		require.NoError(t, p.server.HandlePayload(b, p.now))
	}
	at(1002, 52, packet.Data)
	at(1001, 51, packet.Data)
	at(1002, 52, packet.Data)
	at(1002, 53, packet.AckOnly)
	assert.Equal(t, []entangle.Tick{52, 51}, ticks)
	tick, _ := p.server.Tick()
	assert.Equal(t, entangle.Tick(52), tick, "the newest")
}

// Under a cap feeds are sent first, within their share of it. The world and the messages get the
// rest.
func TestFeedsGoFirstWithinTheirShareOfACap(t *testing.T) {
	p, s := newFeedPair(t, true)
	p.run(60)
	p.source.values[1] = 1
	p.world.Begin(p.tick)
	p.world.Spawn(1, set.MaskOf(0))
	p.world.Commit()
	p.run(60)
	s.serverInputs.pad = 60
	p.line.bytes, p.line.most = 0, 0
	const seconds = 5
	for range 60 * seconds {
		s.serverInputs.say(true)
		require.NoError(t, p.server.Send(peer.FirstMessages+4, bytes.Repeat([]byte{1}, 400), 0, p.now))
		p.step()
	}
	assert.Equal(t, 60*seconds, s.serverInputs.frames, "not in every frame")
	assert.LessOrEqual(t, p.line.most, float64(atOnce))
	assert.LessOrEqual(t, p.line.bytes, narrowRate*(seconds+1))
	assert.NotZero(t, p.line.received.bytes, "messages were held up")

	s.serverInputs.pad, s.serverInputs.bytes = 2*entangle.MaxPayload, 0
	before := p.line.received.bytes
	for range 60 * seconds {
		s.serverInputs.say(true)
		require.NoError(t, p.server.Send(peer.FirstMessages+4, bytes.Repeat([]byte{1}, 400), 0, p.now))
		p.step()
	}
	assert.LessOrEqual(t, p.line.most, float64(atOnce))
	assert.Greater(t, p.line.received.bytes, before, "feeds took all of it")
	assert.Equal(t, p.source.values[1], p.shown.values[1], "and left nothing to the world")
}

func TestSteadyFeedsAllocateNothing(t *testing.T) {
	p, s := newFeedPair(t, false)
	p.run(60)
	s.clientInputs.under = map[uint16]uint32{}
	s.serverInputs.got, s.serverInputs.ticks = make([]uint32, 0, 1<<14), make([]entangle.Tick, 0, 1<<14)
	buf := make([]byte, 0, 2048)
	step := func() {
		p.now = p.now.Add(time.Second / 60)
		p.tick++
		s.clientInputs.say(true)
		for _, way := range [][2]*peer.Peer{{p.client, p.server}, {p.server, p.client}} {
			_ = way[0].Begin(p.now)
			for {
				b := way[0].AppendPacket(buf, p.tick, p.now)
				if len(b) == 0 {
					break
				}
				_ = way[1].HandlePayload(b, p.now)
			}
		}
	}
	for range 500 {
		step()
	}
	assert.Zero(t, alloctest.Count(500, step))
}
