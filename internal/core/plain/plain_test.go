package plain

import (
	"encoding/hex"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// The expected bytes are those in docs/PROTOCOL.md.
func TestEveryPacketHasItsBytes(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 0x0102030405060708)
	hello := c.AppendDue(nil, s.now)
	text := "656e74616e676c6520706c61696e2031" + "8877665544332211" + "0807060504030201" + "0700000000000000" + "6869"
	assert.Equal(t, "01"+text+strings.Repeat("00", 254), hex.EncodeToString(hello))
	challenge := s.toServer(home, hello)
	assert.Equal(t, "02"+"0807060504030201", hex.EncodeToString(challenge[:9]))
	number := hex.EncodeToString(challenge[9:])
	_, answer := s.toClient(c, challenge)
	assert.Equal(t, "03"+text+strings.Repeat("00", 254)+number, hex.EncodeToString(answer))
	alive := s.toServer(home, answer)
	assert.Equal(t, "04"+"0807060504030201"+number, hex.EncodeToString(alive))
	s.toClient(c, alive)
	s.now = s.now.Add(time.Second)
	assert.Equal(t, "04"+number, hex.EncodeToString(c.AppendDue(nil, s.now)))
	assert.Equal(t, "05"+number+"0100000000000000"+"aabb", hex.EncodeToString(c.AppendPayload(nil, []byte{0xaa, 0xbb}, s.now)))
	assert.Equal(t, "06"+number+"627965", hex.EncodeToString(c.AppendGoodbye(nil, "bye")))
	assert.Equal(t, "06"+"0807060504030201", hex.EncodeToString(s.server.AppendGoodbye(nil, 0, "")))
	other := NewClient(ClientConfig{ProtocolID: 5, Client: 9, Number: 1, Start: s.now})
	assert.Equal(t, "07"+"0100000000000000"+"03", hex.EncodeToString(s.toServer(home, other.AppendDue(nil, s.now))))
}

func TestAClientConnects(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	at := s.connect(c, home)
	e := s.events[0]
	assert.Equal(t, connection.Event{
		Kind: connection.Connected, Slot: 0, Client: 7, Addr: home, Name: "10.0.0.1:1000", UserData: e.UserData,
	}, e)
	assert.Len(t, e.UserData, connection.MaxUserData)
	assert.Equal(t, "hi", string(e.UserData[:2]))
	assert.True(t, s.server.Unconfirmed(at))
	s.toServer(home, c.AppendPayload(nil, []byte("up"), s.now))
	assert.False(t, s.server.Unconfirmed(at))
	assert.Equal(t, "up", string(s.events[1].Payload))
	got, _ := s.toClient(c, s.server.AppendPayload(nil, at, []byte("down"), s.now))
	assert.Equal(t, "down", string(got.Payload))
}

// Until the server's keep-alive arrives, the client has no connection: it drops a payload that
// overtakes the keep-alive, and therefore a keep-alive precedes each payload.
func TestAPayloadBeforeTheConnectionIsDropped(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	alive := s.toServer(home, s.answer(c, home))
	e, _ := s.toClient(c, s.server.AppendPayload(nil, 0, []byte("early"), s.now))
	assert.Zero(t, e.Kind)
	e, _ = s.toClient(c, alive)
	assert.Equal(t, connection.Connected, e.Kind)
}

// If a packet of the handshake is lost, repeating the hello replaces it.
func TestALostHandshakeBeginsAgain(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	s.toServer(home, c.AppendDue(nil, s.now)) // the challenge is lost
	assert.Empty(t, c.AppendDue(nil, s.now.Add(99*time.Millisecond)))
	s.now = s.now.Add(100 * time.Millisecond)
	s.toServer(home, s.answer(c, home)) // the keep-alive is lost
	s.now = s.now.Add(100 * time.Millisecond)
	alive := s.toServer(home, c.AppendDue(nil, s.now))
	e, _ := s.toClient(c, alive)
	assert.Equal(t, connection.Connected, e.Kind)
	assert.Len(t, s.events, 1, "it is connected once")
}

// An answer that arrives twice, or late, does not connect a client again, neither while its client
// is connected, nor after it has left.
func TestAnAnswerConnectsOnce(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	answer := s.answer(c, home)
	s.toClient(c, s.toServer(home, answer))
	s.toServer(home, answer)
	assert.Len(t, s.events, 1)
	s.toServer(home, c.AppendGoodbye(nil, ""))
	require.Len(t, s.events, 2)
	for range 60 {
		s.now = s.now.Add(time.Second)
		s.toServer(home, answer)
	}
	assert.Len(t, s.events, 2)
	assert.Positive(t, s.count("answer of an ended connection"))
	assert.Positive(t, s.count("late or wrong answer"))
	s.connect(s.client(7, 100), home)
}

// A program that does not know the numbers of a connection cannot affect it, neither from its
// address nor from another one.
func TestAStrangerHasNoEffect(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	at := s.connect(c, home)
	s.events = nil
	away := netip.MustParseAddrPort("10.0.0.2:1000")
	for _, b := range [][]byte{
		appendID(nil, kindGoodbye, 99), appendID(nil, kindKeepAlive, 1234), appendPayload(nil, 99, 1, []byte("x")),
		s.client(8, 5).hello(kindHello), append(s.client(8, 5).hello(kindAnswer), make([]byte, 8)...),
	} {
		s.toServer(home, b)
	}
	s.toServer(away, c.AppendPayload(nil, []byte("x"), s.now))
	s.toServer(away, c.AppendGoodbye(nil, ""))
	assert.Empty(t, s.events)
	assert.True(t, s.server.Unconfirmed(at), "it had no effect")
	for _, b := range [][]byte{
		appendID(nil, kindGoodbye, 1), appendPayload(nil, 1, 1, []byte("x")), append(appendID(nil, kindDenied, 1), 1),
		append(appendID(nil, kindDenied, 99), 1), append(appendID(nil, kindChallenge, 99), make([]byte, 8)...),
	} {
		e, reply := s.toClient(c, b)
		assert.Zero(t, e.Kind)
		assert.Empty(t, reply)
	}
}

// A number that was computed for one address is invalid for another: an attacker who forges a
// source address cannot read the challenge.
func TestAnAnswerCountsFromItsAddress(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	answer := s.answer(c, home)
	s.toServer(netip.MustParseAddrPort("10.0.0.2:1000"), answer)
	s.toServer(netip.MustParseAddrPort("10.0.0.1:1001"), answer)
	forged := append([]byte(nil), answer...)
	forged[len(version)+17]++ // the id of the client
	s.toServer(home, forged)
	assert.Empty(t, s.events)
	assert.EqualValues(t, 3, s.count("late or wrong answer"))
}

func TestDenialsSayWhy(t *testing.T) {
	s := newSim(t, 1)
	s.connect(s.client(7, 99), home)
	denied := func(c *Client, from netip.AddrPort) error {
		e, _ := s.toClient(c, s.toServer(from, s.answer(c, from)))
		assert.Equal(t, connection.Disconnected, e.Kind)
		assert.Empty(t, c.AppendDue(nil, s.now.Add(time.Hour)), "it is over")
		return e.Err
	}
	away := netip.MustParseAddrPort("10.0.0.2:1000")
	assert.ErrorIs(t, denied(s.client(7, 5), away), connection.ErrAlreadyConnected)
	assert.ErrorIs(t, denied(s.client(8, 5), away), connection.ErrServerFull)
	stranger := NewClient(ClientConfig{ProtocolID: 1, Client: 8, Number: 4, Start: s.now})
	e, _ := s.toClient(stranger, s.toServer(away, stranger.AppendDue(nil, s.now)))
	assert.ErrorIs(t, e.Err, connection.ErrProtocolMismatch)
	neighbour := s.client(8, 6)
	e, _ = s.toClient(neighbour, s.toServer(home, neighbour.AppendDue(nil, s.now)))
	assert.ErrorIs(t, e.Err, connection.ErrAlreadyConnected, "from the address of another client")
	assert.EqualValues(t, 1, s.count("server full"))
	assert.EqualValues(t, 2, s.count("client connected"))
	assert.EqualValues(t, 1, s.count("wrong protocol"))
}

func TestEachPayloadIsDeliveredOnce(t *testing.T) {
	s := newSim(t, 1)
	c := s.client(7, 99)
	at := s.connect(c, home)
	s.events = nil
	up, down := c.AppendPayload(nil, []byte("up"), s.now), s.server.AppendPayload(nil, at, []byte("down"), s.now)
	for range 3 {
		s.toServer(home, up)
		s.toClient(c, down)
	}
	assert.Len(t, s.events, 1)
	assert.EqualValues(t, 2, s.count("repeated"))
	assert.EqualValues(t, 2, countOf(t, c.AppendDropped(nil), "repeated"))
}

func TestSilenceEndsAConnection(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	at := s.connect(c, home)
	_, ok := s.server.Expire(s.now.Add(DefaultTimeout - 1))
	assert.False(t, ok)
	e, ok := s.server.Expire(s.now.Add(DefaultTimeout))
	assert.True(t, ok)
	assert.Equal(t, connection.Event{Kind: connection.Disconnected, Slot: at, Err: connection.ErrTimedOut}, e)
	s.server.End(at)
	_, ok = s.server.Expire(s.now.Add(DefaultTimeout))
	assert.False(t, ok)
	e, ok = c.Expire(s.now.Add(DefaultTimeout))
	assert.True(t, ok)
	assert.Equal(t, connection.ErrTimedOut, e.Err)
	_, ok = c.Expire(s.now.Add(2 * DefaultTimeout))
	assert.False(t, ok, "once")
	e, ok = s.client(1, 1).Expire(s.now.Add(DefaultTimeout))
	assert.True(t, ok)
	assert.ErrorIs(t, e.Err, connection.ErrNoAnswer)
	for _, timeout := range []time.Duration{-1} {
		forever := NewClient(ClientConfig{Timeout: timeout, Start: s.now})
		_, ok = forever.Expire(s.now.Add(1e6 * time.Hour))
		assert.False(t, ok)
	}
}

// A stranger's cost is bounded: the server keeps nothing before a valid answer, and no reply is
// longer than the datagram that it answers.
func TestStrangersCostNothing(t *testing.T) {
	s := newSim(t, 4)
	h := s.client(7, 99).hello(kindHello)
	b := make([]byte, len(h))
	n := testing.AllocsPerRun(1000, func() {
		copy(b, h)
		if _, _, reply := s.server.HandleDatagram(home, b, s.now); len(reply) == 0 || len(reply) > len(h)/10 {
			t.Fatalf("%d bytes answer %d", len(reply), len(h))
		}
	})
	assert.Zero(t, n)
	assert.Empty(t, s.server.byAddr)
}

// A client that connects and disconnects as fast as it can fills the table of ended connections,
// and then has to wait. Memory does not grow, and connected clients stay connected.
func TestTheTableOfEndedConnectionsIsBounded(t *testing.T) {
	s := newSim(t, 2)
	s.connect(s.client(1, 1), home)
	away := netip.MustParseAddrPort("10.0.0.2:1000")
	let := 0
	for i := range 2 * minEnded {
		c := s.client(2, uint64(i)+10)
		if reply := s.toServer(away, s.answer(c, away)); len(reply) > 0 {
			let++
			s.toClient(c, reply)
			s.toServer(away, c.AppendGoodbye(nil, ""))
		}
	}
	assert.Equal(t, minEnded, let)
	assert.EqualValues(t, minEnded, s.count("too many ended connections"))
	assert.True(t, s.server.Connected(0))
	s.now = s.now.Add(endedLife + 1)
	s.connect(s.client(2, 5), away)
	assert.Len(t, s.server.ended.known, 0)
}

// Slots are reused; the smallest free one is used first.
func TestSlotsAreReused(t *testing.T) {
	s := newSim(t, 3)
	for i := range 3 {
		assert.Equal(t, i, s.connect(s.client(entangle.ClientID(i+1), uint64(i)), netip.AddrPortFrom(home.Addr(), uint16(i+1))))
	}
	s.server.End(2)
	s.server.End(0)
	s.server.End(0)
	assert.Equal(t, 0, s.connect(s.client(9, 9), home))
	assert.Equal(t, 2, s.connect(s.client(10, 10), netip.AddrPortFrom(home.Addr(), 77)))
}
