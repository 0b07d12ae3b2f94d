package websocket

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"

	"github.com/entangle-ecs/entangle/transport"
)

// DefaultDialerQueue is how many datagrams wait for a client's Receive, as with UDP: one
// second of four datagrams per tick at 60 Hz, in 280 KB.
const DefaultDialerQueue = 240

// dialerBacklog is how many datagrams wait to be written to the server. A client sends little, so
// that more than a second of its datagrams waits only while the connection is blocked.
const dialerBacklog = 128

// Dialer opens WebSockets of clients. Its zero value dials ws://, at the address of the
// token, with DefaultPath. It connects directly and ignores proxies of the environment.
type Dialer struct {
	// URL is dialed instead of the server's address: "wss://eu.example.com/entangle", for
	// servers that have a name, a certificate, or a proxy in front of them. It is used for
	// each server that a token lists. "": ws://, or wss:// if TLS is set, with the server's
	// address and Path.
	URL string

	// Path is the path of the server's Listener. "": DefaultPath. It is not used with a URL.
	Path string

	// TLS configures wss://, for example the trusted certificates. nil: the system's certificates.
	TLS *tls.Config

	// Queue is how many datagrams may wait for Receive. 0: DefaultDialerQueue.
	Queue int

	// Log receives the errors of attempts that are repeated, at debug level. nil: no log.
	Log *slog.Logger

	patience patience
}

var _ transport.Dialer = Dialer{}

// Dial begins to connect and returns at once. If the server does not answer, it tries
// again until Close; a server that refuses, or has an invalid certificate, breaks the Conn
// with an error. Dial itself fails for invalid fields, and for an invalid server address.
func (d Dialer) Dial(server netip.AddrPort) (transport.Conn, error) {
	server = netip.AddrPortFrom(server.Addr().Unmap(), server.Port())
	if !server.IsValid() || server.Port() == 0 || server.Addr().IsUnspecified() {
		return nil, fmt.Errorf("websocket: %v is not the address of a server; dial the address that players can reach, such as 127.0.0.1:40000", server)
	}
	target, err := d.target(server)
	if err != nil {
		return nil, err
	}
	switch {
	case d.Queue < 0:
		return nil, fmt.Errorf("websocket: Dialer.Queue is %d; give the number of datagrams that may wait, or 0 for %d", d.Queue, DefaultDialerQueue)
	case d.Queue == 0:
		d.Queue = DefaultDialerQueue
	}
	d.URL, d.Log, d.patience = target, orSilence(d.Log), d.patience.orDefault()
	return d.dial(server)
}

// target returns the URL to dial.
func (d Dialer) target(server netip.AddrPort) (string, error) {
	if d.URL == "" {
		path, err := resolvePath("Dialer", d.Path)
		scheme := "ws"
		if d.TLS != nil {
			scheme = "wss"
		}
		u := url.URL{Scheme: scheme, Host: server.String(), Path: path}
		return u.String(), err
	}
	u, err := url.Parse(d.URL)
	if err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" || u.Fragment != "" {
		return "", fmt.Errorf("websocket: Dialer.URL is %q; write one such as \"wss://example.com%s\", or nothing for the server's address", d.URL, DefaultPath)
	}
	return u.String(), nil
}
