//go:build !js && !wasip1

package websocket_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// A WebSocket that does not become a client is closed, whatever it sends. The first WebSocket here
// becomes a client, and outlives a later one that does not.
//
// Proves: Z18
func TestAStrangerIsClosedInTime(t *testing.T) {
	server := listen(t, loopback().Within(websocket.Times{Admit: time.Second}))
	client := connect(t, server.LocalAddr())
	require.Equal(t, http.StatusSwitchingProtocols, client.ask())
	require.True(t, client.write(frame(opBinary, "hello")))
	_, addr := hear(t, server)
	server.Admit(addr)

	silent, talking, greedy := dialRaw(t, server.LocalAddr()), dialRaw(t, server.LocalAddr()), dialRaw(t, server.LocalAddr())
	require.True(t, talking.write(frame(opBinary, "no token")))
	require.True(t, greedy.write([]byte(strings.Repeat(string(frame(opBinary, strings.Repeat("x", 1000))), 5))))
	for _, stranger := range []*raw{silent, talking, greedy} {
		status, _ := stranger.closed()
		assert.Equal(t, 1008, status)
	}
	eventually(t, func() bool { return server.Stats().Open == 1 })
	assert.EqualValues(t, 3, server.Stats().Expired)
	assert.Zero(t, server.Stats().Pending)
	send(t, server, addr, "still there")
	opcode, payload := client.next()
	assert.EqualValues(t, opBinary, opcode)
	assert.Equal(t, "still there", string(payload))
}

// A stranger's bytes beyond 4 KiB are not read, and arrive completely once it becomes a
// client.
//
// Proves: Z18
func TestAStrangerIsReadForFourKiB(t *testing.T) {
	const count, size = 200, 1000
	server := listen(t, loopback())
	client := dialRaw(t, server.LocalAddr())
	go func() {
		for i := range count {
			text := numbered(i)
			client.write(frame(opBinary, text+strings.Repeat(" ", size-len(text))))
		}
	}()
	var addr netip.AddrPort
	received := 0
	take := func() {
		buf := make([]byte, entangle.MaxDatagram)
		for n, from, err := server.Receive(buf); err == nil; n, from, err = server.Receive(buf) {
			addr = from
			require.Equal(t, numbered(received), strings.TrimSpace(string(buf[:n])))
			received++
		}
	}
	fits := websocket.AdmitBytes / (size + len(head(true, opBinary, size)))
	eventually(t, func() bool { take(); return received == fits })
	for range 50 {
		take()
		time.Sleep(time.Millisecond)
	}
	assert.Equal(t, fits, received, "nothing more without a token")
	server.Admit(addr)
	eventually(t, func() bool { take(); return received == count })
}

// from takes the remote address of a request from a header, to simulate many machines.
func from(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if address := r.Header.Get("Test-From"); address != "" {
			r.RemoteAddr = address
		}
		h.ServeHTTP(w, r)
	})
}

// mounted returns a handler on an existing HTTP server.
func mounted(t testing.TB, config websocket.Config) (server *websocket.Conn, at netip.AddrPort) {
	t.Helper()
	web := httptest.NewUnstartedServer(nil)
	at = netip.MustParseAddrPort(web.Listener.Addr().String())
	config.Addr = at
	h := websocket.NewHandler(config.Within(websocket.Times{Admit: time.Minute})) // long enough for a busy machine
	web.Config.Handler = from(h)
	web.Start()
	t.Cleanup(web.Close)
	return listen(t, h), at
}

// Eight strangers of one address may connect, and 256 in total; any more get an HTTP status instead
// of a WebSocket. Clients are not counted.
//
// Proves: Z18
func TestStrangersAreCounted(t *testing.T) {
	server, at := mounted(t, websocket.Config{})
	ask := func(address string) int { return connect(t, at).ask("Test-From: " + address) }
	for i := range websocket.DefaultPending / websocket.DefaultPendingPerAddress {
		address := fmt.Sprintf("198.51.100.%d:7", i)
		for range websocket.DefaultPendingPerAddress {
			require.Equal(t, http.StatusSwitchingProtocols, ask(address))
		}
		require.Equal(t, http.StatusTooManyRequests, ask(address), "the ninth of an address")
	}
	assert.Equal(t, websocket.DefaultPending, server.Stats().Pending)
	assert.Equal(t, http.StatusServiceUnavailable, ask("203.0.113.1:7"), "the 257th of all")
}

func TestAClientIsNoStranger(t *testing.T) {
	server, at := mounted(t, websocket.Config{Limits: websocket.Limits{Pending: 2}})
	first := connect(t, at)
	require.Equal(t, http.StatusSwitchingProtocols, first.ask())
	dialRaw(t, at)
	require.Equal(t, http.StatusTooManyRequests, connect(t, at).ask())
	addr := meet(t, server, first)
	assert.Equal(t, 1, server.Stats().Pending)
	dialRaw(t, at)
	assert.Equal(t, http.StatusTooManyRequests, connect(t, at).ask())
	server.Dismiss(addr)
	status, _ := first.closed()
	assert.Equal(t, 1000, status)
	assert.Equal(t, 2, server.Stats().Pending, "a former client is not counted as a stranger")
	assert.EqualValues(t, 2, server.Stats().Crowded)
}

// One /64 of IPv6 counts as one address, since one customer has the whole block. Headers of a proxy
// are not trusted.
func TestAddressesOfOneCustomerCountAsOne(t *testing.T) {
	_, at := mounted(t, websocket.Config{Limits: websocket.Limits{PendingPerAddress: 1}})
	ask := func(address string) int {
		return connect(t, at).ask("Test-From: "+address, "X-Forwarded-For: "+address, "Forwarded: for="+address)
	}
	assert.Equal(t, http.StatusSwitchingProtocols, ask("[2001:db8::1]:7"))
	assert.Equal(t, http.StatusTooManyRequests, ask("[2001:db8::2:3]:8"))
	assert.Equal(t, http.StatusSwitchingProtocols, ask("[2001:db8:0:1::1]:7"))
	assert.Equal(t, http.StatusSwitchingProtocols, ask("192.0.2.1:7"))
	assert.Equal(t, http.StatusTooManyRequests, ask("[::ffff:192.0.2.1]:7"))

	_, proxied := mounted(t, websocket.Config{Limits: websocket.Limits{PendingPerAddress: 1}})
	assert.Equal(t, http.StatusSwitchingProtocols, connect(t, proxied).ask("X-Forwarded-For: 192.0.2.1"))
	assert.Equal(t, http.StatusTooManyRequests, connect(t, proxied).ask("X-Forwarded-For: 192.0.2.2"))
}

// Behind a proxy the limit per address can be switched off.
func TestTheLimitByAddressCanBeOff(t *testing.T) {
	_, at := mounted(t, websocket.Config{Limits: websocket.Limits{Pending: 12, PendingPerAddress: -1}})
	for range 12 {
		dialRaw(t, at)
	}
	assert.Equal(t, http.StatusTooManyRequests, connect(t, at).ask())
}

// Strangers fill only their own queue.
//
// Proves: Z22
func TestStrangersTakeNoRoomOfClients(t *testing.T) {
	l := loopback()
	l.Limits.Queue = 4
	server := listen(t, l)
	client := dialRaw(t, server.LocalAddr())
	addr := meet(t, server, client)
	for range 2 {
		stranger := dialRaw(t, server.LocalAddr())
		for i := range 4 {
			require.True(t, stranger.write(frame(opBinary, numbered(i))))
		}
	}
	eventually(t, func() bool { return server.Stats().QueueFull == 4 })
	for i := range 4 {
		require.True(t, client.write(frame(opBinary, numbered(i))))
	}
	eventually(t, func() bool { return server.Stats().Received == 1+4+4 })
	for i := range 4 {
		text, from := hear(t, server)
		assert.Equal(t, numbered(i), text)
		assert.Equal(t, addr, from)
	}
	assert.EqualValues(t, 4, server.Stats().QueueFull)
}

// Pages of other origins are refused; pages of the host itself and of the listed hosts are
// not, nor are programs other than browsers.
//
// Proves: Z18
func TestOriginsAreListed(t *testing.T) {
	l := loopback()
	l.Origins = []string{"game.example", "*.play.example", "https://secure.example:8443"}
	server := listen(t, l)
	for origin, want := range map[string]int{
		"":                                      http.StatusSwitchingProtocols,
		"http://" + server.LocalAddr().String(): http.StatusSwitchingProtocols,
		"https://game.example":                  http.StatusSwitchingProtocols,
		"https://GAME.example":                  http.StatusSwitchingProtocols,
		"http://eu.play.example":                http.StatusSwitchingProtocols,
		"https://secure.example:8443":           http.StatusSwitchingProtocols,
		"http://secure.example:8443":            http.StatusForbidden,
		"https://game.example:8443":             http.StatusForbidden,
		"https://game.example.evil.example":     http.StatusForbidden,
		"https://play.example":                  http.StatusForbidden,
		"https://evil.example":                  http.StatusForbidden,
		"null":                                  http.StatusForbidden,
		"%":                                     http.StatusForbidden,
	} {
		client := connect(t, server.LocalAddr())
		if origin == "" {
			assert.Equal(t, want, client.ask())
		} else {
			assert.Equal(t, want, client.ask("Origin: "+origin), origin)
		}
		_ = client.Close()
		eventually(t, func() bool { return server.Stats().Pending == 0 })
	}
	assert.EqualValues(t, 7, server.Stats().Refused)
}

// A TCP connection without a request, or with a slow one, is closed, too, and their number
// is limited.
//
// Proves: Z18
func TestHalfARequestIsClosedInTime(t *testing.T) {
	server := listen(t, loopback().Within(websocket.Times{Header: 50 * time.Millisecond}))
	for _, request := range []string{"", "GET ", "GET /entangle HTTP/1.1\r\nHost: x\r\nA: "} {
		client := connect(t, server.LocalAddr())
		require.True(t, client.write([]byte(request)))
		for _, err := client.in.ReadByte(); err == nil; _, err = client.in.ReadByte() {
			continue // an answer such as 408 is fine
		}
	}
}

func TestSilentConnectionsAreCounted(t *testing.T) {
	l := loopback().Within(websocket.Times{Header: time.Hour})
	l.Limits.PendingPerAddress = 2
	server := listen(t, l)
	for range 4 {
		connect(t, server.LocalAddr())
	}
	more := connect(t, server.LocalAddr())
	_, err := more.in.ReadByte()
	require.Error(t, err, "one too many is closed before it is read")
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "and at once")
	assert.Zero(t, server.Stats().Pending)
}

func TestLargeHeadersAreRefused(t *testing.T) {
	server := listen(t, loopback())
	assert.Equal(t, http.StatusRequestHeaderFieldsTooLarge,
		connect(t, server.LocalAddr()).ask("Cookie: "+strings.Repeat("x", 20<<10)))
	assert.Zero(t, server.Stats().Open)
}

// Requests for anything but a WebSocket are answered, once per connection.
func TestOtherRequestsAreRefused(t *testing.T) {
	server := listen(t, loopback())
	for path, want := range map[string]int{"/": http.StatusNotFound, "/entangle/x": http.StatusNotFound, "/entangle": http.StatusUpgradeRequired} {
		client := connect(t, server.LocalAddr())
		require.True(t, client.write([]byte("GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n")))
		answer, err := http.ReadResponse(client.in, nil)
		require.NoError(t, err)
		_ = answer.Body.Close()
		assert.Equal(t, want, answer.StatusCode)
		for err == nil {
			_, err = client.in.ReadByte()
		}
	}
	assert.Zero(t, server.Stats().Pending)
}
