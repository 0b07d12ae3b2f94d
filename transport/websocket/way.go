//go:build !js && !wasip1

package websocket

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"math"
	"net"
	"net/http"
)

// way is an http.RoundTripper for one request, which asks for a WebSocket. Next to the
// one of net/http it starts no goroutine, prints nothing, leaves proxies out, and puts a
// wire below the WebSocket.
type way struct {
	tls      *tls.Config
	patience patience
	wire     *wire // of an answer that is a WebSocket
}

// RoundTrip implements http.RoundTripper.
func (y *way) RoundTrip(r *http.Request) (*http.Response, error) {
	conn, err := y.dial(r)
	if err != nil {
		return nil, err
	}
	w := newWire(conn, nil, y.patience)
	close(w.admitted) // whatever the server has to say
	stop := context.AfterFunc(r.Context(), w.cut)
	limited := &io.LimitedReader{R: w, N: maxHeader}
	in := bufio.NewReaderSize(limited, frameBuffer)
	answer, err := ask(r, w, in)
	if !stop() {
		return nil, r.Context().Err()
	}
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		w.cut() // nobody reads what else there is
		return answer, err
	}
	limited.N = math.MaxInt64
	y.wire, answer.Body = w, openBody{in, w}
	return answer, nil
}

// dial connects, with TLS if the URL asks for it.
func (y *way) dial(r *http.Request) (net.Conn, error) {
	host, port, secure := r.URL.Hostname(), r.URL.Port(), r.URL.Scheme == "https" // of wss
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
	client := tls.Client(conn, y.config(host))
	if err := client.HandshakeContext(r.Context()); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return client, nil
}

// config is for one handshake with host.
func (y *way) config(host string) *tls.Config {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if y.tls != nil {
		config = y.tls.Clone()
	}
	if config.ServerName == "" {
		config.ServerName = host
	}
	config.NextProtos = []string{"http/1.1"}
	return config
}

// ask writes the request and reads the answer's head.
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

// openBody is the connection after an answer.
type openBody struct {
	io.Reader
	*wire
}

// Read reads what is left in the buffer of the answer first.
func (b openBody) Read(p []byte) (int, error) { return b.Reader.Read(p) }
