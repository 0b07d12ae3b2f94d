//go:build !js && !wasip1

package websocket

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle/transport"
)

// Config says what a Handler is.
type Config struct {
	// Addr is the address that clients reach the HTTP server at and that their tokens
	// name. The Handler can't find it out. A server without a key admits players to
	// loopback addresses only and believes what stands here.
	Addr netip.AddrPort

	// Origins and Limits are those of Listener.
	Origins []string
	Limits  Limits

	patience patience
}

// Handler is a listener of a game on an HTTP server that somebody else runs: mount it at
// a path, and give it to Server.Start. Until then, and after the server has stopped, it
// answers 503.
//
// Limits on TCP connections that ask for nothing are the HTTP server's to set: give it a
// ReadHeaderTimeout.
type Handler struct {
	config Config

	mu   sync.Mutex
	open *Conn
}

var (
	_ transport.Listener = (*Handler)(nil)
	_ http.Handler       = (*Handler)(nil)
)

// NewHandler returns a handler that does not listen yet. Listen checks the config.
func NewHandler(config Config) *Handler { return &Handler{config: config} }

// Listen opens the end that WebSockets go to from now on. It fails while the end of an
// earlier Listen is open, and for fields that cannot be used.
func (h *Handler) Listen() (transport.Conn, error) {
	if !h.config.Addr.IsValid() || h.config.Addr.Port() == 0 {
		return nil, fmt.Errorf("websocket: Config.Addr is %v; give the address and port that players reach the HTTP server at", h.config.Addr)
	}
	if err := checkOrigins("Config", h.config.Origins); err != nil {
		return nil, err
	}
	limits, err := h.config.Limits.resolve("Config")
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open != nil {
		return nil, errors.New("websocket: this Handler is listening already; close that Conn first, or use one Handler per server")
	}
	h.open = newConn(h.config.Addr, h.config.Origins, limits, h.config.patience)
	h.open.shut = h.shut
	return h.open, nil
}

func (h *Handler) shut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = nil
}

// ServeHTTP implements http.Handler. It answers 101 and hands the WebSocket to the game,
// or 426 and 400 for what asks for none, 403 for a page of another origin, 429 for too
// many from one address that are not clients yet, 503 for too many in all.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	c := h.open
	h.mu.Unlock()
	if c == nil {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	c.serve(w, r)
}
