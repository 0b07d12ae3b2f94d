//go:build !js && !wasip1

package websocket

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"math"
	"net"
	"net/http"
)

// roundTripper is an http.RoundTripper for one WebSocket request. Unlike the one of net/http
// it starts no goroutine, prints nothing, ignores proxies, and inserts a wire below the
// WebSocket.
type roundTripper struct {
	tls      *tls.Config
	patience patience
	wire     *wire // set if the response opens a WebSocket
}

// RoundTrip implements http.RoundTripper.
func (t *roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	conn, err := t.dial(r)
	if err != nil {
		return nil, err
	}
	w := newWire(conn, nil, t.patience)
	close(w.admitted) // no limit on a server's bytes
	stop := context.AfterFunc(r.Context(), w.cut)
	limited := &io.LimitedReader{R: w, N: maxHeader}
	in := bufio.NewReaderSize(limited, frameBuffer)
	answer, err := ask(r, w, in)
	if !stop() {
		return nil, r.Context().Err()
	}
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		w.cut() // the rest of the response is not needed
		return answer, err
	}
	limited.N = math.MaxInt64
	t.wire, answer.Body = w, openBody{in, w}
	return answer, nil
}

// dial connects, with TLS if the URL asks for it.
func (t *roundTripper) dial(r *http.Request) (net.Conn, error) {
	host, port, secure := r.URL.Hostname(), r.URL.Port(), r.URL.Scheme == "https" // for wss
	switch {
	case port != "":
	case secure:
		port = "443"
	default:
		port = "80"
	}
	var socket net.Dialer
	conn, err := socket.DialContext(r.Context(), "tcp", net.JoinHostPort(host, port))
	if err != nil || !secure {
		return conn, err
	}
	client := tls.Client(conn, t.config(host))
	if err := client.HandshakeContext(r.Context()); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return client, nil
}

// config returns the TLS config for one handshake with host.
func (t *roundTripper) config(host string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.tls != nil {
		config = t.tls.Clone()
	}
	config.ServerName = cmp.Or(config.ServerName, host)
	config.NextProtos = []string{"http/1.1"}
	return config
}

// ask writes the request and reads the headers of the response.
func ask(r *http.Request, to io.Writer, from *bufio.Reader) (*http.Response, error) {
	if err := r.Write(to); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(from, r)
	if err == nil {
		answer.Body = http.NoBody
	}
	return answer, err
}

// openBody is the connection after the headers of a response.
type openBody struct {
	io.Reader
	*wire
}

// Read returns the buffered bytes first.
func (b openBody) Read(p []byte) (int, error) { return b.Reader.Read(p) }
