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

// Config configures a Handler.
type Config struct {
	// Addr is the address at which clients reach the HTTP server, and which their tokens
	// list. The Handler cannot find it out. A server without a key accepts only loopback
	// addresses, and trusts this field.
	Addr netip.AddrPort

	// Origins and Limits are as in Listener.
	Origins []string
	Limits  Limits

	patience patience
}

// Handler is a listener of a game on an existing HTTP server: mount it at a path, and give it to
// Server.Start. Before the server is started and after it has been stopped, it answers 503.
//
// The HTTP server sets the limits on TCP connections without a request: give it a
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

// Listen opens the end that receives WebSockets from now on. It fails while the end of an
// earlier Listen is open, and for invalid fields.
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

// ServeHTTP implements http.Handler. It answers 101 and gives the WebSocket to the game, or 426 or
// 400 to requests for anything else, 403 to a page of another origin, 429 to too many connections
// from one address that are not clients yet, 503 to too many in total.
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
