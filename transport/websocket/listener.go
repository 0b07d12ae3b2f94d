package websocket

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/address"
)

// DefaultPath is the default path of WebSocket requests.
const DefaultPath = "/entangle"

// Listener opens a TCP port of its own with an HTTP server for WebSockets only. To use an
// existing HTTP server, see NewHandler.
type Listener struct {
	// Addr is the address to listen at, as in udp.Listener: "127.0.0.1:40000",
	// "0.0.0.0:40000", or ":40000" for IPv4 and IPv6. Port 0 takes any free port; the
	// Conn's LocalAddr returns it. UDP can use the same port. There is no default.
	Addr string

	// TLS enables wss:// and needs a certificate. nil: ws://.
	TLS *tls.Config

	// Path is the path of the URL that clients request. "": DefaultPath.
	Path string

	// Origins are the hosts with pages that may connect, in addition to this host:
	// "example.com", "*.example.com", "https://example.com:8443". Programs other than
	// browsers name no origin and may always connect.
	Origins []string

	// Limits bound the cost of connections.
	Limits Limits

	// Log receives the errors of the HTTP server, such as failed TLS handshakes, at debug
	// level. nil: no log.
	Log *slog.Logger

	patience patience
}

var _ transport.Listener = Listener{}

// Listen opens the port. The error for an invalid field names the field and a valid value;
// the error for a port in use wraps the system's.
func (l Listener) Listen() (transport.Conn, error) {
	addr, err := address.Parse("websocket: Listener.Addr", l.Addr)
	if err != nil {
		return nil, err
	}
	if l.Path, err = resolvePath("Listener", l.Path); err != nil {
		return nil, err
	}
	if l.TLS != nil && len(l.TLS.Certificates) == 0 && l.TLS.GetCertificate == nil && l.TLS.GetConfigForClient == nil {
		return nil, errors.New("websocket: Listener.TLS has no certificate; set Certificates or GetCertificate, or leave TLS nil for ws://")
	}
	if err := checkOrigins("Listener", l.Origins); err != nil {
		return nil, err
	}
	if l.Limits, err = l.Limits.resolve("Listener"); err != nil {
		return nil, err
	}
	l.Log = orSilence(l.Log)
	return l.listen(addr)
}

func resolvePath(owner, p string) (string, error) {
	switch {
	case p == "":
		return DefaultPath, nil
	case !strings.HasPrefix(p, "/") || strings.ContainsAny(p, "?# "):
		return "", fmt.Errorf("websocket: %s.Path is %q; write the path of a URL, such as %q", owner, p, DefaultPath)
	}
	return p, nil
}

// checkOrigins finds invalid patterns before the first request.
func checkOrigins(owner string, origins []string) error {
	for _, o := range origins {
		if _, err := path.Match(strings.ToLower(o), ""); err != nil || o == "" {
			return fmt.Errorf("websocket: %s.Origins has %q; write a host such as \"example.com\", with * for any text and \\ before a [ that is meant", owner, o)
		}
	}
	return nil
}

func orSilence(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}
