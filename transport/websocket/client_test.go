//go:build !js && !wasip1

package websocket_test

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/transporttest"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

func tlsWithout() *tls.Config { return &tls.Config{MinVersion: tls.VersionTLS12} }

// certified returns a server's TLS config, for 127.0.0.1 and example.com, and a client's
// that trusts it.
func certified(t testing.TB) (server, client *tls.Config) {
	web := httptest.NewTLSServer(nil)
	t.Cleanup(web.Close)
	trust := x509.NewCertPool()
	trust.AddCert(web.Certificate())
	return &tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12},
		&tls.Config{RootCAs: trust, MinVersion: tls.VersionTLS12}
}

func TestConformsOverTLS(t *testing.T) {
	server, client := certified(t)
	transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) {
		return websocket.Listener{Addr: "127.0.0.1:0", TLS: server}, websocket.Dialer{TLS: client}
	}, transporttest.Connected, transporttest.KeepsRoom)
}

func TestAHandlerConforms(t *testing.T) {
	transporttest.Run(t, func(t testing.TB) (transport.Listener, transport.Dialer) {
		web := httptest.NewUnstartedServer(nil)
		h := websocket.NewHandler(websocket.Config{Addr: netip.MustParseAddrPort(web.Listener.Addr().String())})
		web.Config.Handler = http.StripPrefix("/game", h)
		web.Start()
		t.Cleanup(web.Close)
		return h, websocket.Dialer{Path: "/game"}
	}, transporttest.Connected, transporttest.KeepsRoom)
}

// free returns an address at which nothing listens.
func free(t testing.TB) netip.AddrPort {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return netip.MustParseAddrPort(l.Addr().String())
}

// As with UDP, a client may be started before its server.
func TestAClientWaitsForItsServer(t *testing.T) {
	addr := free(t)
	client := dial(t, websocket.Dialer{}.Within(websocket.Times{Redial: time.Millisecond}), addr)
	send(t, client, addr, "early")
	for range 20 {
		_, _, err := client.Receive(make([]byte, entangle.MaxDatagram))
		require.ErrorIs(t, err, transport.ErrEmpty)
		time.Sleep(time.Millisecond)
	}
	server := listen(t, websocket.Listener{Addr: addr.String()})
	text, _ := hear(t, server)
	assert.Equal(t, "early", text)
}

// An error that another attempt cannot fix breaks the client's Conn: Receive returns it.
func TestRefusalEndsTheClient(t *testing.T) {
	server := listen(t, loopback())
	config, _ := certified(t)
	secure := listen(t, websocket.Listener{Addr: "127.0.0.1:0", TLS: config})
	elsewhere := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/", http.StatusTemporaryRedirect))
	defer elsewhere.Close()
	for says, c := range map[string]struct {
		dialer websocket.Dialer
		addr   netip.AddrPort
	}{
		"got 404":     {websocket.Dialer{Path: "/other"}, server.LocalAddr()},
		"got 307":     {websocket.Dialer{}, netip.MustParseAddrPort(elsewhere.Listener.Addr().String())},
		"certificate": {websocket.Dialer{TLS: tlsWithout()}, secure.LocalAddr()},
		"/nowhere":    {websocket.Dialer{URL: "ws://" + server.LocalAddr().String() + "/nowhere"}, free(t)},
	} {
		assert.ErrorContains(t, broken(t, dial(t, c.dialer, c.addr)), says)
	}
}

// A client tries again at a server that is full, or has just stopped.
func TestATemporaryRefusalIsNoError(t *testing.T) {
	h := websocket.NewHandler(websocket.Config{Addr: netip.MustParseAddrPort("127.0.0.1:1")})
	web := httptest.NewServer(h)
	defer web.Close()
	addr := netip.MustParseAddrPort(web.Listener.Addr().String())
	client := dial(t, websocket.Dialer{}.Within(websocket.Times{Redial: time.Millisecond}), addr)
	send(t, client, addr, "hello")
	for range 20 {
		_, _, err := client.Receive(make([]byte, entangle.MaxDatagram))
		require.ErrorIs(t, err, transport.ErrEmpty)
		time.Sleep(time.Millisecond)
	}
	text, _ := hear(t, listen(t, h))
	assert.Equal(t, "hello", text)
}

// One request is sent before the WebSocket is open, and then one every two seconds as long
// as no datagram comes back: three fit into AdmitBytes.
func TestRepeatedRequestsAreSentRarely(t *testing.T) {
	assert.Equal(t, 1, websocket.Repeats(100, false))
	assert.Equal(t, 1, websocket.Repeats(websocket.MaxRepeats+1, true))
	assert.Equal(t, 2, websocket.Repeats(websocket.MaxRepeats+2, true))
	const request, answer = 1078, 326
	assert.Less(t, 3*(request+8)+2*(answer+8), websocket.AdmitBytes)
}

func TestRequestsAreRepeatedAgainAfterAnAnswer(t *testing.T) {
	server := listen(t, loopback())
	client := dial(t, websocket.Dialer{}, server.LocalAddr())
	for range 10 {
		assert.Equal(t, 1, send(t, client, server.LocalAddr(), "request"))
	}
	_, addr := hear(t, server)
	server.Admit(addr)
	send(t, server, addr, "answer")
	hear(t, client)
	for range 10 {
		send(t, client, server.LocalAddr(), "request")
	}
	for range 10 {
		hear(t, server)
	}
	assert.EqualValues(t, 11, server.Stats().Received)
}

// hostile accepts one WebSocket and writes the given bytes to it, again times.
func hostile(t testing.TB, bytes []byte, again int) netip.AddrPort {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		request, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, welcome(request))
		for range again {
			if _, err := c.Write(bytes); err != nil {
				return
			}
		}
		_, _ = io.Copy(io.Discard, c)
	}()
	return netip.MustParseAddrPort(l.Addr().String())
}

// Invalid bytes from a server break the client's Conn, and do no other harm.
func TestAHostileServerIsSurvived(t *testing.T) {
	for name, c := range map[string]struct {
		bytes []byte
		again int
		says  string
	}{
		"text":      {[]byte("\x81\x02hi"), 1, `a datagram is a binary message`},
		"empty":     {[]byte("\x82\x00"), 1, `a datagram is not empty`},
		"too large": {append([]byte("\x82\x7f\x00\x00\x00\x00\x00\xa0\x00\x00"), make([]byte, 10000)...), 1000, `at most 1150`},
		"pings":     {[]byte("\x89\x00"), 1 << 20, `without a datagram`},
		"nonsense":  {[]byte("HTTP/1.1 200 OK\r\n\r\n"), 1, `rsv bits`},
		"leaves":    {[]byte("\x88\x0c\x03\xe8go\x00\"away\xff\n"), 1, `"go\x00\"away\xff\n"`},
	} {
		client := dial(t, websocket.Dialer{}, hostile(t, c.bytes, c.again))
		err := broken(t, client)
		assert.ErrorContains(t, err, c.says, name)
		assert.Equal(t, err, broken(t, client), "it is final")
	}
}

// An invalid response does not open a WebSocket.
func TestInvalidResponsesAreRefused(t *testing.T) {
	for _, text := range []string{"garbage\r\n\r\n", "HTTP/1.1 101 x\r\nA: a"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		tried := make(chan struct{}, 100)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = io.WriteString(c, text)
				_ = c.Close()
				tried <- struct{}{}
			}
		}()
		client := dial(t, websocket.Dialer{}.Within(websocket.Times{Redial: time.Millisecond}),
			netip.MustParseAddrPort(l.Addr().String()))
		<-tried
		<-tried
		_, _, err = client.Receive(make([]byte, entangle.MaxDatagram))
		assert.ErrorIs(t, err, transport.ErrEmpty)
		require.NoError(t, client.Close())
		require.NoError(t, l.Close())
	}
}

// A client does not read response headers without end.
func TestResponseHeadersWithoutEndAreRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	dial(t, websocket.Dialer{}, netip.MustParseAddrPort(l.Addr().String()))
	c, err := l.Accept()
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(c, "HTTP/1.1 101 x\r\nA: ")
	for sent := 0; err == nil && sent < 64<<20; sent += 1 << 16 {
		_, err = c.Write(make([]byte, 1<<16))
	}
	require.Error(t, err, "the client disconnects")
	assert.NotErrorIs(t, err, os.ErrDeadlineExceeded, "and does not only wait")
}

// Close does not wait for a server that does not answer.
func TestCloseEndsAnAttempt(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := websocket.Dialer{}.Dial(netip.MustParseAddrPort(l.Addr().String()))
	require.NoError(t, err)
	c, err := l.Accept() // the client is connected and waits for an answer
	require.NoError(t, err)
	defer c.Close()
	require.NoError(t, client.Close())
	_, _, err = client.Receive(nil)
	assert.ErrorIs(t, err, transport.ErrClosed)
}

// A client can disconnect from a server that never reads.
func TestAServerThatNeverReadsIsLeft(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(c, welcome(r))
		<-release
		_ = c.Close()
	}))
	defer server.Close()
	defer close(release)
	addr := netip.MustParseAddrPort(server.Listener.Addr().String())
	client := dial(t, websocket.Dialer{}.Within(websocket.Times{Stall: 100 * time.Millisecond}), addr)
	data := []transport.Datagram{{Addr: addr, Data: make([]byte, entangle.MaxDatagram)}}
	var failed error
	eventually(t, func() bool {
		for range 64 {
			data[0].Data[0]++ // or it would be a repeat
			_, err := client.Send(data)
			require.NoError(t, err)
		}
		_, _, failed = client.Receive(make([]byte, entangle.MaxDatagram))
		return failed != transport.ErrEmpty //nolint:errorlint // it is not wrapped
	})
	assert.ErrorContains(t, failed, "does not read")
}
