package trusted

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/transport"
)

// The expected bytes are those in docs/PROTOCOL.md.
func TestEveryDatagramHasItsBytes(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 0x0102030405060708)
	names := "0700000000000000" + "0807060504030201"
	_, hello := c.run()
	assert.Equal(t, []string{"00" + names + "0100000000000000" + "8877665544332211" + "6869" + strings.Repeat("00", 254)}, hexOf(hello))
	_, answer := s.serve(home, hello...)
	assert.Equal(t, []string{"01" + names + "0100000000000000"}, hexOf(answer))
	c.run(answer...)
	c.Send([]byte{0xaa, 0xbb}, s.now)
	_, payload := c.run()
	assert.Equal(t, []string{"02" + names + "0200000000000000" + "aabb"}, hexOf(payload))
	s.now = s.now.Add(sendInterval)
	_, alive := c.run()
	assert.Equal(t, []string{"01" + names + "0300000000000000"}, hexOf(alive))
	s.Disconnect(0, "bye", s.now)
	_, goodbye := s.serve(home)
	require.Len(t, goodbye, 10)
	assert.Equal(t, "03"+names+"0200000000000000"+"627965", hexOf(goodbye)[0])
}

func hexOf(datagrams [][]byte) (all []string) {
	for _, b := range datagrams {
		all = append(all, hex.EncodeToString(b))
	}
	return all
}

func TestAClientConnects(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	_, hello := c.run()
	events, _ := s.serve(home, hello...)
	assert.Equal(t, []connection.Event{{
		Kind: connection.Connected, Client: 7, Addr: home, Name: "10.0.0.1:1000", UserData: append([]byte("hi"), make([]byte, 254)...),
	}}, events)
	events, _ = s.serve(home, hello...)
	assert.Empty(t, events, "it is connected already")
}

// A client is connected by the first datagram of the server, whatever that is. If it is a payload, no
// payload is lost.
func TestTheFirstDatagramAnswersTheHello(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	_, hello := c.run()
	s.serve(home, hello...) // the answer is lost
	s.Send(0, []byte("first"), s.now)
	_, payload := s.serve(home)
	events, _ := c.run(payload...)
	assert.Equal(t, []connection.Event{{Kind: connection.Connected}, {Kind: connection.Payload, Payload: []byte("first")}}, events)

	other := s.client(8, 99)
	_, hello = other.run()
	s.serve(away, hello...) // the answer is lost
	s.now = s.now.Add(sendInterval - 1)
	_, sent := other.run()
	assert.Empty(t, sent)
	_, sent = s.serve(away)
	assert.Empty(t, sent)
	_, sent = s.serve(away, hello...)
	assert.Equal(t, []connection.Kind{connection.Connected}, kinds(other.run(sent...)), "a repeated hello is answered at once")
}

// Late datagrams of an ended connection, with the same client id and from the same address, neither
// connect the client again, nor affect its next connection.
func TestLateDatagramsOfAnEndedConnectionHaveNoEffect(t *testing.T) {
	s := newSim(t, 2)
	before, after := s.client(7, 99), s.client(7, 100)
	slot, hello := before.connect(home)
	before.Send([]byte("late"), s.now)
	_, late := before.run()
	s.Send(slot, []byte("late"), s.now)
	s.Disconnect(slot, "the server is full", s.now)
	_, lateOfServer := s.serve(home)
	require.NoError(t, before.Close("late", s.now))
	for _, d := range before.line.out {
		late = append(late, d.Data)
	}
	late = append(late, hello)
	require.Len(t, late, 12)
	events, sent := s.serve(home, late...)
	assert.Empty(t, events)
	assert.Empty(t, sent)

	_, hellos := after.run()
	events, sent = after.run(lateOfServer...)
	assert.Empty(t, events)
	assert.Empty(t, sent)
	events, answer := s.serve(home, hellos...)
	require.Len(t, events, 1)
	assert.Equal(t, []connection.Kind{connection.Connected}, kinds(after.run(answer...)))
	events, refused := s.serve(home, late...)
	assert.Empty(t, events, "and nothing ends the new connection")
	assert.Len(t, refused, 1)
	assert.Empty(t, kinds(after.run(append(lateOfServer, refused...)...)))
	assert.EqualValues(t, 22, count(s.end, unusable))
}

const unusable = "bad form, no connection, or repeated"

// A datagram counts only with the number of its connection, and from its address.
func TestDatagramsOfOthersHaveNoEffect(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	c.connect(home)
	other := s.client(8, 5)
	other.connect(away)
	for _, k := range []kind{kindKeepAlive, kindPayload, kindGoodbye} {
		body := []byte("x")[:min(1, bodySizes[k][1])]
		s.now = s.now.Add(time.Second)
		events, _ := s.serve(away, appendDatagram(nil, k, 7, 99, 50, body), appendDatagram(nil, k, 7, 5, 50, body), appendDatagram(nil, k, 1, 5, 50, body))
		assert.Empty(t, events)
		events, _ = s.serve(home, appendDatagram(nil, k, 7, 98, 50, body), appendDatagram(nil, k, 8, 5, 50, body), appendDatagram(nil, k, 1, 99, 50, body))
		assert.Empty(t, events)
		events, _ = c.run(appendDatagram(nil, k, 7, 98, 50, body), appendDatagram(nil, k, 8, 99, 50, body))
		assert.Empty(t, events)
	}
	events, _ := c.run(appendDatagram(nil, kindHello, 7, 99, 50, make([]byte, helloSize)))
	assert.Empty(t, events)
	s.now = s.now.Add(2 * time.Second)
	assert.Equal(t, []connection.Kind{connection.Disconnected, connection.Disconnected}, kinds(s.serve(away)), "nor do they count as signs of life")
}

func TestRefusalsSayWhy(t *testing.T) {
	s := newSim(t, 1)
	c := s.client(7, 99)
	c.connect(home)
	for _, r := range []struct {
		client *testClient
		why    error
	}{
		{s.client(7, 5), connection.ErrAlreadyConnected},
		{s.client(8, 5), connection.ErrServerFull},
		{s.clientOf(testProtocol+1, 8, 5), connection.ErrProtocolMismatch},
	} {
		_, hello := r.client.run()
		events, refusal := s.serve(away, hello...)
		assert.Empty(t, events)
		events, _ = r.client.run(refusal...)
		require.Len(t, events, 1)
		assert.Equal(t, connection.Disconnected, events[0].Kind)
		assert.ErrorIs(t, events[0].Err, r.why)
		s.now = s.now.Add(time.Hour)
		events, sent := r.client.run()
		assert.Empty(t, events, "it is over")
		assert.Empty(t, sent)
		s.now = s.now.Add(-time.Hour)
	}
	for _, reason := range []string{"the server is full", "a client with this id is connected already", "protocols differ: the server runs another game"} {
		assert.EqualValues(t, 1, count(s.end, reason))
	}
	events, sent := s.serve(away, helloOf(entangle.Nobody))
	assert.Empty(t, events)
	assert.Empty(t, sent)
}

// The reason of a disconnect arrives as readable text. The text of a client cannot imitate a cause
// that only servers have.
func TestReasonsArriveAsText(t *testing.T) {
	for _, r := range []struct {
		reason             string
		atClient, atServer error
	}{
		{"enough", connection.Goodbye("enough"), connection.Goodbye("enough")},
		{"", connection.ErrClosed, connection.ErrClosed},
		{"the server is full", connection.ErrServerFull, connection.Goodbye("the server is full")},
		{"a\nb\x00\x1b\xff", connection.Goodbye("a b  \ufffd"), connection.Goodbye("a b  \ufffd")},
		{strings.Repeat("x", 300), connection.Goodbye(strings.Repeat("x", 200)), connection.Goodbye(strings.Repeat("x", 200))},
	} {
		s := newSim(t, 2)
		kicked, leaving := s.client(7, 99), s.client(8, 99)
		slot, _ := kicked.connect(home)
		left, _ := leaving.connect(away)
		s.Disconnect(slot, r.reason, s.now)
		events, sent := s.serve(home)
		assert.Empty(t, events, "a requested end causes no event")
		events, _ = kicked.run(sent...)
		assert.Equal(t, []connection.Event{{Kind: connection.Disconnected, Err: r.atClient}}, events)
		require.NoError(t, kicked.Close("", s.now))
		assert.Empty(t, kicked.line.out, "the server knows")
		require.NoError(t, leaving.Close(r.reason, s.now))
		require.NoError(t, leaving.Close("again", s.now))
		require.Len(t, leaving.line.out, 10)
		events, _ = s.serve(away, leaving.line.out[0].Data)
		assert.Equal(t, []connection.Event{{Kind: connection.Disconnected, Slot: left, Err: r.atServer}}, events)
	}
}

// A client that gives up before an answer has arrived leaves no connection at the server.
func TestAClientThatGivesUpLeaves(t *testing.T) {
	s := newSim(t, 1)
	c := s.client(7, 99)
	_, hello := c.run()
	require.NoError(t, c.Close("", s.now))
	assert.Equal(t, []connection.Kind{connection.Connected, connection.Disconnected}, kinds(s.serve(home, hello[0], c.line.out[0].Data)))
}

func TestEachPayloadIsDeliveredOnce(t *testing.T) {
	s := newSim(t, 1)
	c := s.client(7, 99)
	slot, _ := c.connect(home)
	c.Send([]byte("up"), s.now)
	s.Send(slot, []byte("down"), s.now)
	_, up := c.run()
	_, down := s.serve(home)
	events, _ := s.serve(home, up[0], up[0], up[0])
	assert.Len(t, events, 1)
	events, _ = c.run(down[0], down[0], down[0])
	assert.Len(t, events, 1)
	assert.EqualValues(t, 2, count(s.end, unusable))
	assert.EqualValues(t, 2, count(c.end, unusable))
}

func TestSilenceEndsAConnection(t *testing.T) {
	s := newSim(t, 2)
	c := s.client(7, 99)
	slot, _ := c.connect(home)
	fresh := s.client(8, 9)
	s.now = s.now.Add(5*time.Second - 1)
	assert.Empty(t, kinds(s.serve(home)))
	assert.Empty(t, kinds(c.run()))
	assert.Empty(t, kinds(fresh.run()))
	s.now = s.now.Add(1)
	events, sent := s.serve(home)
	assert.Equal(t, []connection.Event{{Kind: connection.Disconnected, Slot: slot, Err: connection.ErrTimedOut}}, events)
	assert.Len(t, sent, 10, "the client may still be there")
	events, _ = c.run()
	assert.Equal(t, []connection.Event{{Kind: connection.Disconnected, Err: connection.ErrTimedOut}}, events)
	events, _ = fresh.run()
	require.Len(t, events, 1)
	assert.ErrorIs(t, events[0].Err, connection.ErrNoAnswer)
	s.now = s.now.Add(time.Hour)
	assert.Empty(t, kinds(s.serve(home)), "once")
	assert.Empty(t, kinds(c.run()), "once")

	forever, err := Dialer{Over: &line{}, Server: serverAddr, Client: 1, Timeout: -1}.Dial(connection.ClientConfig{Entropy: strings.NewReader("a number"), Now: s.now})
	require.NoError(t, err)
	_, err = forever.Receive(s.now.Add(1e6 * time.Hour))
	assert.ErrorIs(t, err, connection.ErrEmpty)
}

// Slots are reused, also for other clients. The transport knows the addresses of those that are
// connected.
func TestSlotsAreReused(t *testing.T) {
	s := newSim(t, 2)
	for id := range entangle.ClientID(10) {
		at := netip.AddrPortFrom(home.Addr(), uint16(id+1))
		slot, _ := s.client(id+1, 99).connect(at)
		assert.EqualValues(t, min(id, 1), slot)
		assert.Contains(t, s.line.clients, at)
		if id > 0 {
			s.Disconnect(slot, "make room", s.now)
			s.serve(at)
		}
		assert.Equal(t, map[netip.AddrPort]bool{netip.AddrPortFrom(home.Addr(), 1): true}, s.line.clients)
	}
}

// A flood of hellos of many clients makes nothing grow, whether the server is full, or turns
// everybody away.
func TestAFloodOfHellosGrowsNothing(t *testing.T) {
	const count = 1 << 13
	s := newSim(t, 2)
	next, clients := 0, 0
	frame := func(turnAway bool) (sent int) {
		for range count {
			next++
			s.line.in = append(s.line.in, transport.Datagram{Addr: netip.AddrPortFrom(home.Addr(), uint16(next)), Data: helloOf(entangle.ClientID(next))})
		}
		for e, err := s.Receive(s.now); err == nil; e, err = s.Receive(s.now) {
			if clients++; turnAway {
				s.Disconnect(e.Slot, strings.Repeat("x", 200), s.now)
			}
		}
		require.NoError(t, s.Flush())
		sent, s.line.out = len(s.line.out), nil
		return sent
	}
	for range 3 {
		assert.LessOrEqual(t, frame(true), goodbyes+maxRefusals)
	}
	assert.Equal(t, 3, clients)
	frame(false)
	assert.Equal(t, 5, clients)
	for range 3 {
		assert.LessOrEqual(t, frame(false), 2+maxRefusals)
	}
	assert.Equal(t, 5, clients)
	s.consistent()
}

// Datagrams of strangers and of refused clients cost no allocation.
func TestStrangersAllocateNothing(t *testing.T) {
	s := newSim(t, 1)
	s.client(7, 99).connect(home)
	b := helloOf(8)
	datagrams := []transport.Datagram{
		{Addr: away, Data: b}, {Addr: away, Data: b[:20]}, {Addr: home, Data: appendDatagram(nil, kindPayload, 7, 1, 1, b)},
	}
	s.line.drops = true
	assert.Zero(t, alloctest.Count(100, func() {
		s.line.in = datagrams
		if _, err := s.Receive(s.now); !errors.Is(err, connection.ErrEmpty) || s.Flush() != nil {
			t.Fatal("an event or an error")
		}
	}))
	assert.Positive(t, count(s.end, unusable))
}

// helloOf returns a hello of a client.
func helloOf(id entangle.ClientID) []byte {
	return appendDatagram(nil, kindHello, id, 1, 1, append(binary.LittleEndian.AppendUint64(nil, testProtocol), make([]byte, connection.MaxUserData)...))
}

// Every datagram of a client passes the filter of the transport. One of another size or kind does
// not.
//
// Proves: Z22
func TestOnlyPossibleDatagramsPass(t *testing.T) {
	for k, sizes := range bodySizes {
		for _, n := range []int{-headSize, -1, 0, 1, maxReason, maxReason + 1, helloSize - 1, helloSize, helloSize + 1, entangle.MaxPayload, entangle.MaxPayload + 1} {
			b := appendDatagram(nil, kind(k), 1, 2, 3, make([]byte, max(n, 0)))[:headSize+n]
			assert.Equal(t, n >= sizes[0] && n <= sizes[1], wellFormed(b), fmt.Sprintf("%d bytes of kind %d", n, k))
		}
	}
	for k := len(bodySizes); k < 256; k++ {
		assert.False(t, wellFormed(appendDatagram(nil, kind(k), 1, 2, 3, nil)))
	}
	assert.Len(t, appendDatagram(nil, kindPayload, 1, 2, 3, make([]byte, entangle.MaxPayload)), entangle.MaxDatagram)
}

// The text of a goodbye is a peer's, and may be printed to a log or a terminal. Above ASCII there are control
// characters, too: U+0085 begins a line, and U+009B an escape sequence.
func TestAGoodbyeIsReadWithoutControlCharacters(t *testing.T) {
	for _, ofServer := range []bool{false, true} {
		err := errorOf([]byte("a\nb\x1bc\u007fd\u0085e\u009bf\xffg"), ofServer)
		assert.Equal(t, "a b c d e f\ufffdg", err.Error())
	}
}

// A forged hello can connect a client at the address of another. When one of them ends, the transport keeps the
// room of the other.
func TestTwoClientsAtOneAddress(t *testing.T) {
	s := newSim(t, 3)
	first, _ := s.client(7, 1).connect(home)
	second, _ := s.client(8, 2).connect(home)
	s.Disconnect(second, "", s.now)
	s.serve(home)
	require.True(t, s.line.clients[home])
	third, _ := s.client(9, 3).connect(home)
	s.Disconnect(first, "", s.now)
	s.Disconnect(third, "", s.now)
	s.serve(home)
	require.Empty(t, s.line.clients)
}
