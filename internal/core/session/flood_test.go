package session

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/transport/token"
)

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func address(n uint64) Addr {
	var ip [16]byte
	binary.BigEndian.PutUint64(ip[8:], n)
	ip[0] = 0x20
	return Addr{0, netip.AddrPortFrom(netip.AddrFrom16(ip), uint16(n)|1)}
}

// Proves: C13, Z1
func TestAMillionRandomPacketsGetNothingBack(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	s.run(frame)
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], s.rand.Uint64())
	bytes := rand.NewChaCha8(seed)
	var b [1300]byte
	for i := range 1_000_000 {
		packet := b[:s.rand.IntN(200)]
		if i%16 == 0 {
			packet = b[:s.rand.IntN(len(b))]
		}
		_, _ = bytes.Read(packet)
		from := address(uint64(i))
		if i%4 == 0 {
			from = p.addr // as if a client's address were spoofed
		}
		if _, _, ok := s.server.HandleDatagram(from, packet, s.now); ok {
			t.Fatal("a random payload was accepted")
		}
		if _, _, ok := s.server.PollDatagram(); ok {
			t.Fatal("a random packet was answered")
		}
	}
	assert.Empty(t, s.events[1:])
	assert.Equal(t, 1, s.server.Clients())
	assert.Equal(t, uint64(1_000_000), s.server.Stats().Drops.Total())
}

// Proves: Z1
func TestAnswersAreSmallAndAtMostOne(t *testing.T) {
	s := newSim(t, 1)
	in, out := 0, 0
	count := func(from Addr, b []byte) {
		in += len(b)
		s.server.HandleDatagram(from, append([]byte(nil), b...), s.now)
		replies := 0
		for {
			_, b, ok := s.server.PollDatagram()
			if !ok {
				break
			}
			replies++
			out += len(b)
		}
		require.LessOrEqual(t, replies, 1)
	}
	for id := range entangle.ClientID(50) {
		count(s.addr(), requestOf(t, s.mint(id+1)))
	}
	assert.LessOrEqual(t, float64(out)/float64(in), 0.31, "challenges")
	s.connect(100)
	in, out = 0, 0
	for id := range entangle.ClientID(50) {
		count(s.addr(), requestOf(t, s.mint(id+1)))
	}
	assert.Equal(t, 50*25, out, "denials of 25 bytes")
	assert.LessOrEqual(t, float64(out)/float64(in), 0.31, "denials")
}

// forgedRequest returns a request in which everything is right that a stranger can know.
func forgedRequest(s *sim) []byte {
	b := requestOf(s.t, s.mint(1))
	_, _ = entropy{s.rand}.Read(b[requestSize-token.PrivateSize:])
	return b
}

// Proves: Z2
func TestAMillionForgedRequestsLeaveNothingBehind(t *testing.T) {
	s := newSim(t, 2)
	p := s.connect(1)
	s.run(frame)
	b := forgedRequest(s)
	var packet [requestSize]byte
	before := heap()
	for i := range uint64(1_000_000) {
		copy(packet[:], b)
		binary.LittleEndian.PutUint64(packet[40:], i)
		s.server.HandleDatagram(address(i), packet[:], s.now)
		if _, _, ok := s.server.PollDatagram(); ok {
			t.Fatal("a forged request was answered")
		}
	}
	after := heap()
	assert.Less(t, int64(after)-int64(before), int64(1<<20))
	stats := s.server.Stats()
	assert.Equal(t, uint64(1_000_000), stats.Drops[DropTokenForged])
	assert.Zero(t, stats.Pending)
	assert.Equal(t, 1, stats.Tokens, "that of the client")
	s.clientSends(p, "still here")
	assert.Equal(t, []string{"still here"}, s.received[0])
}

// Proves: Z2
func TestAForgedRequestCostsNoMemory(t *testing.T) {
	s := newSim(t, 2)
	b := forgedRequest(s)
	var packet [requestSize]byte
	from := s.addr()
	assert.Zero(t, alloctest.Count(1000, func() {
		copy(packet[:], b)
		s.server.HandleDatagram(from, packet[:], s.now)
	}))
	assert.NotZero(t, s.server.Stats().Drops[DropTokenForged])
}

// Proves: Z3, C13
func TestAFloodWithValidTokensIsBounded(t *testing.T) {
	s := newSim(t, 4)
	s.config.Pending, s.config.History = 16, 64
	s.start()
	p := s.connect(1)
	s.run(frame)
	for id := range entangle.ClientID(500) {
		s.toServer(s.addr(), requestOf(t, s.mint(id+1000)))
		for {
			if _, _, ok := s.server.PollDatagram(); !ok {
				break
			}
		}
	}
	stats := s.server.Stats()
	assert.Equal(t, 16, stats.Pending)
	assert.Equal(t, 64, stats.Tokens)
	assert.NotZero(t, stats.Drops[DropPendingFull])
	assert.NotZero(t, stats.Drops[DropHistoryFull])
	assert.Equal(t, 1, s.server.Clients(), "no slot without a response")
	assert.Equal(t, StateConnected, p.State(), "no connected client is removed")

	s.run(token.DefaultLife + 2*time.Second)
	stats = s.server.Stats()
	assert.Zero(t, stats.Pending)
	assert.Zero(t, stats.Tokens)
	s.connect(2)
	assert.Equal(t, StateConnected, p.State())
}

// The history refuses new tokens. It does not drop one that could then be reused.
//
// Proves: C14, Z4
func TestAFullHistoryForgetsNoUnexpiredToken(t *testing.T) {
	s := newSim(t, 1)
	s.config.History = 2
	s.start()
	tok := s.mint(1)
	used := requestOf(t, tok)
	p := s.join(tok)
	s.until(time.Second, func() bool { return p.State() == StateConnected })
	p.Disconnect(s.now)
	s.step()
	for id := range entangle.ClientID(10) {
		s.answered(s.addr(), requestOf(t, s.mint(id+2)))
	}
	assert.Equal(t, uint64(9), s.server.Stats().Drops[DropHistoryFull])
	assert.False(t, s.answered(p.addr, used))
	assert.False(t, s.answered(s.addr(), used))
}

func TestUnpolledRepliesAreBounded(t *testing.T) {
	s := newSim(t, 1)
	s.config.Pending = 2 * replyQueue
	s.start()
	for id := range entangle.ClientID(replyQueue + 10) {
		b := requestOf(t, s.mint(id+1))
		s.server.HandleDatagram(s.addr(), b, s.now)
	}
	assert.Equal(t, uint64(10), s.server.Stats().Drops[DropReplyQueue])
}

// In each frame, one packet of a client that is not a payload is opened. A keep-alive is not needed
// from a client from which another packet arrived in the same frame, and it does not keep a leaving
// client connected. The packets of other clients do not count, and a client that sends only
// keep-alives stays connected.
//
// Proves: Z21
func TestAFrameOpensOneKeepAliveOfAClient(t *testing.T) {
	s := newSim(t, 1)
	p := s.connect(1)
	s.run(frame)
	for range 1000 {
		s.now = s.now.Add(frame)
		s.server.Advance(s.now)
		opened, needless := s.recorder.opened, s.server.Stats().Drops[DropAlive]
		for range 20 {
			s.toServer(p.addr, p.seal(nil, kindKeepAlive, make([]byte, keepAliveSize)))
		}
		require.Equal(t, 1, s.recorder.opened-opened)
		require.Equal(t, uint64(19), s.server.Stats().Drops[DropAlive]-needless)
	}
	require.True(t, s.server.Connected(0))
	s.clientSends(p, "heard")
	assert.Equal(t, []string{"heard"}, s.received[0])
	opened := s.recorder.opened
	s.toServer(p.addr, p.seal(nil, kindKeepAlive, make([]byte, keepAliveSize)))
	assert.Equal(t, opened, s.recorder.opened)

	s.toServer(p.addr, p.seal(nil, kindDisconnect, nil))
	require.True(t, s.server.Leaving(0), "even in a frame in which another packet arrived")
	opened = s.recorder.opened
	for range 20 {
		s.toServer(p.addr, p.seal(nil, kindDisconnect, nil))
		s.toServer(p.addr, p.seal(nil, kindKeepAlive, make([]byte, keepAliveSize)))
		s.now = s.now.Add(time.Millisecond) // nor in another frame while it is leaving
		require.True(t, s.server.Leaving(0))
	}
	assert.Equal(t, opened, s.recorder.opened)
}
