//go:build !js && !wasip1

package websocket_test

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// A peer that does not read fills its own queue, loses the newest datagrams, and is
// closed when a write has not finished in time. No other peer waits for it.
//
// Proves: Z18
func TestAPeerThatNeverReadsIsClosed(t *testing.T) {
	l := loopback().Within(websocket.Times{Stall: 300 * time.Millisecond})
	l.Limits.Backlog = 8
	server := listen(t, l)
	deaf, other := dialRaw(t, server.LocalAddr()), dialRaw(t, server.LocalAddr())
	to, beside := meet(t, server, deaf), meet(t, server, other)
	large := strings.Repeat("x", entangle.MaxDatagram)
	eventually(t, func() bool {
		for range 64 {
			send(t, server, to, large)
		}
		return server.Stats().Open == 1
	})
	assert.NotZero(t, server.Stats().BacklogFull)
	assert.False(t, server.Remote(to).IsValid())
	assert.Zero(t, send(t, server, to, "to nobody"))
	assert.Equal(t, 1, send(t, server, beside, "to the other"))
	_, payload := other.next()
	assert.Equal(t, "to the other", string(payload))
}

// Each datagram of a batch goes to the peer that it names; one without a peer, or of a
// wrong size, is lost and counted.
func TestBatchesAreSentByAddress(t *testing.T) {
	server := listen(t, loopback())
	one, two := dialRaw(t, server.LocalAddr()), dialRaw(t, server.LocalAddr())
	first, second := meet(t, server, one), meet(t, server, two)
	require.NotEqual(t, first, second)
	sent, err := server.Send([]transport.Datagram{
		{Addr: first, Data: []byte("for one")},
		{Addr: netip.MustParseAddrPort("[fd00::1]:40000"), Data: []byte("for nobody")},
		{Addr: second, Data: nil},
		{Addr: second, Data: make([]byte, entangle.MaxDatagram+1)},
		{Addr: second, Data: []byte("for two")},
	})
	require.NoError(t, err)
	assert.Equal(t, 2, sent)
	_, payload := one.next()
	assert.Equal(t, "for one", string(payload))
	_, payload = two.next()
	assert.Equal(t, "for two", string(payload))
	assert.EqualValues(t, 3, server.Stats().Unsendable)
	assert.EqualValues(t, len("for one")+len("for two"), server.Stats().SentBytes)
}

// Addresses are from fd00::/8, and no two peers ever have the same one.
func TestAddressesAreMadeUpOnce(t *testing.T) {
	server := listen(t, loopback())
	seen := map[netip.AddrPort]bool{}
	for range 20 {
		client := dialRaw(t, server.LocalAddr())
		addr := meet(t, server, client)
		assert.False(t, seen[addr])
		assert.True(t, netip.MustParsePrefix("fd00::/8").Contains(addr.Addr()))
		assert.Equal(t, client.LocalAddr().String(), server.Remote(addr).String())
		seen[addr] = true
		_ = client.Close()
		eventually(t, func() bool { return server.Stats().Open == 0 })
	}
}

// Datagrams sent before a client is dismissed arrive, and then the close frame.
func TestDismissDeliversQueuedDatagrams(t *testing.T) {
	server := listen(t, loopback())
	client := dial(t, websocket.Dialer{}, server.LocalAddr())
	send(t, client, server.LocalAddr(), "hello")
	_, addr := hear(t, server)
	server.Admit(addr)
	for i := range 50 {
		send(t, server, addr, numbered(i))
	}
	server.Dismiss(addr)
	for i := range 50 {
		text, from := hear(t, client)
		require.Equal(t, numbered(i), text)
		assert.Equal(t, server.LocalAddr(), from)
	}
	assert.ErrorContains(t, broken(t, client), "the session is over")
	server.Admit(addr)   // the address has no peer any more, so that
	server.Dismiss(addr) // neither call has an effect
	eventually(t, func() bool { return server.Stats().Open == 0 })
}

// Close of a server delivers queued datagrams to all clients, too.
func TestCloseDeliversQueuedDatagrams(t *testing.T) {
	c, err := loopback().Listen()
	require.NoError(t, err)
	server := c.(*websocket.Conn)
	client := dial(t, websocket.Dialer{}, server.LocalAddr())
	send(t, client, server.LocalAddr(), "hello")
	_, addr := hear(t, server)
	server.Admit(addr)
	for i := range 50 {
		send(t, server, addr, numbered(i))
	}
	require.NoError(t, server.Close())
	for i := range 50 {
		text, _ := hear(t, client)
		require.Equal(t, numbered(i), text)
	}
	assert.ErrorContains(t, broken(t, client), "the server stopped")
}

// Close of a client delivers its queued datagrams, too.
func TestClientCloseDeliversQueuedDatagrams(t *testing.T) {
	server := listen(t, loopback())
	client, err := websocket.Dialer{}.Dial(server.LocalAddr())
	require.NoError(t, err)
	send(t, client, server.LocalAddr(), "hello")
	_, addr := hear(t, server)
	server.Admit(addr)
	for i := range 10 {
		send(t, client, server.LocalAddr(), numbered(i))
	}
	require.NoError(t, client.Close())
	for i := range 10 {
		text, _ := hear(t, server)
		require.Equal(t, numbered(i), text)
	}
	eventually(t, func() bool { return server.Stats().Open == 0 })
}

// Close ends WebSockets in every stage, and the port is free at once. A check at the end of
// all tests finds goroutines that are left.
func TestCloseFreesThePort(t *testing.T) {
	l := loopback().Within(websocket.Times{Goodbye: 50 * time.Millisecond})
	for range 5 {
		c, err := l.Listen()
		require.NoError(t, err)
		server := c.(*websocket.Conn)
		l.Addr = server.LocalAddr().String()
		connect(t, server.LocalAddr())
		connect(t, server.LocalAddr()).write([]byte("GET "))
		dialRaw(t, server.LocalAddr())
		meet(t, server, dialRaw(t, server.LocalAddr())) // it never sends a close frame
		greedy := dialRaw(t, server.LocalAddr())
		go func() {
			for greedy.write(frame(opBinary, "more")) {
				continue
			}
		}()
		require.NoError(t, server.Close())
		require.NoError(t, server.Close())
		assert.Zero(t, server.Stats().Open)
	}
}

// The error of a broken port follows the datagrams that had arrived, and lasts until Close.
func TestABrokenPortIsAnError(t *testing.T) {
	server := listen(t, loopback())
	client := dialRaw(t, server.LocalAddr())
	require.True(t, client.write(frame(opBinary, "before")))
	eventually(t, func() bool { return server.Stats().Received == 1 })
	server.Break(errors.New("no such device"))
	text, _ := hear(t, server)
	assert.Equal(t, "before", text)
	_, _, err := server.Receive(nil)
	require.ErrorContains(t, err, "no such device")
	require.NoError(t, server.Close())
	_, _, err = server.Receive(nil)
	assert.ErrorIs(t, err, transport.ErrClosed)
}

// The error for a port in use names the remedy; UDP and WebSocket can share a number.
func TestATakenPortIsAnError(t *testing.T) {
	server := listen(t, loopback())
	_, err := websocket.Listener{Addr: server.LocalAddr().String()}.Listen()
	assert.ErrorContains(t, err, "another socket has this port")
	udp, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(server.LocalAddr()))
	require.NoError(t, err)
	require.NoError(t, udp.Close())
}

// A Handler admits only while its Conn is open, and can listen again later.
func TestAHandlerListensAgain(t *testing.T) {
	h := websocket.NewHandler(websocket.Config{Addr: netip.MustParseAddrPort("192.0.2.1:443")})
	request := func() int {
		w := &answer{header: http.Header{}}
		r, err := http.NewRequest(http.MethodGet, "/", nil)
		require.NoError(t, err)
		h.ServeHTTP(w, r)
		return w.status
	}
	assert.Equal(t, http.StatusServiceUnavailable, request())
	for range 2 {
		c, err := h.Listen()
		require.NoError(t, err)
		assert.Equal(t, "192.0.2.1:443", c.LocalAddr().String())
		_, err = h.Listen()
		assert.ErrorContains(t, err, "listening already")
		assert.Equal(t, http.StatusUpgradeRequired, request())
		require.NoError(t, c.Close())
		assert.Equal(t, http.StatusServiceUnavailable, request())
	}
}

// answer is a response writer that cannot be hijacked.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(b []byte) (int, error) { return len(b), nil }
func (a *answer) WriteHeader(status int)      { a.status = status }

func TestFieldsThatCannotBeUsedAreNamed(t *testing.T) {
	for field, l := range map[string]websocket.Listener{
		"Listener.Addr":           {Addr: "example.com:80"},
		"Listener.Path":           {Addr: ":0", Path: "game"},
		"Listener.TLS":            {Addr: ":0", TLS: tlsWithout()},
		"Listener.Origins":        {Addr: ":0", Origins: []string{"a["}},
		"Listener.Limits.Pending": {Addr: ":0", Limits: websocket.Limits{Pending: -1}},
		"Listener.Limits.Queue":   {Addr: ":0", Limits: websocket.Limits{Queue: -1}},
		"Listener.Limits.Backlog": {Addr: ":0", Limits: websocket.Limits{Backlog: -1}},
	} {
		_, err := l.Listen()
		assert.ErrorContains(t, err, field)
	}
	at := netip.MustParseAddrPort("127.0.0.1:1")
	for field, c := range map[string]websocket.Config{
		"Config.Addr":           {},
		"Config.Origins":        {Addr: at, Origins: []string{""}},
		"Config.Limits.Pending": {Addr: at, Limits: websocket.Limits{Pending: -1}},
	} {
		_, err := websocket.NewHandler(c).Listen()
		assert.ErrorContains(t, err, field)
	}
	for field, d := range map[string]websocket.Dialer{
		"Dialer.Path":  {Path: "x"},
		"Dialer.URL":   {URL: "https://example.com"},
		"Dialer.Queue": {Queue: -1},
	} {
		_, err := d.Dial(at)
		assert.ErrorContains(t, err, field)
	}
	_, err := websocket.Dialer{}.Dial(netip.MustParseAddrPort("0.0.0.0:1"))
	assert.ErrorContains(t, err, "is not the address of a server")
}
