//go:build !js && !wasip1

package websocket

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/address"
)

// open starts an HTTP server for a Listener whose fields are resolved.
func (l Listener) open(addr netip.AddrPort) (transport.Conn, error) {
	socket, err := net.Listen(address.Network("tcp", addr.Addr()), address.Text(addr))
	if err != nil {
		return nil, fmt.Errorf("websocket: cannot listen at %v%s: %w", addr, address.Advice(err), err)
	}
	bound := address.Unmap(socket.Addr().(*net.TCPAddr).AddrPort())
	c := newConn(bound, l.Origins, l.Limits, l.patience)
	lobby := newLobby(l.Limits)
	server := l.server(c, lobby)
	served := make(chan struct{})
	c.shut = func() {
		_ = server.Close()
		<-served // nobody enters the lobby any more
		lobby.empty()
	}
	c.running.Go(func() {
		defer close(served)
		serve := func() error { return server.Serve(socket) }
		if l.TLS != nil {
			serve = func() error { return server.ServeTLS(socket, "", "") }
		}
		if err := serve(); !errors.Is(err, http.ErrServerClosed) {
			c.fail(fmt.Errorf("websocket: the port %v is broken: %w", bound, err))
		}
	})
	return c, nil
}

// server is an HTTP server that answers one request of each connection, quickly.
func (l Listener) server(c *Conn, lobby *lobby) *http.Server {
	onlyHTTP1 := new(http.Protocols)
	onlyHTTP1.SetHTTP1(true)
	return &http.Server{
		Handler: l.route(c), Protocols: onlyHTTP1, TLSConfig: l.TLS.Clone(),
		ReadHeaderTimeout: c.patience.header, ReadTimeout: c.patience.header,
		WriteTimeout: c.patience.header, IdleTimeout: c.patience.header,
		MaxHeaderBytes: maxHeader,
		ConnState:      lobby.follow,
		ErrorLog:       slog.NewLogLogger(l.Log.Handler(), slog.LevelDebug),
	}
}

// route knows one path, exactly as it stands in the field.
func (l Listener) route(c *Conn) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != l.Path {
			refuse(w, http.StatusNotFound)
			return
		}
		c.serve(w, r)
	})
}

// lobby bounds the connections of a port that have not become WebSockets yet. Twice as
// many as those that may wait for their admission, so that whoever is one too many there
// still gets an answer.
type lobby struct {
	gate    *gate
	running sync.WaitGroup

	mu sync.Mutex
	in map[net.Conn]netip.Addr
}

func newLobby(l Limits) *lobby {
	return &lobby{gate: newGate(2*l.Pending, 2*l.PendingPerAddress), in: map[net.Conn]netip.Addr{}}
}

// follow is http.Server.ConnState.
func (l *lobby) follow(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.running.Add(1)
		l.enter(conn)
	case http.StateIdle:
		_ = conn.Close() // it had its request
	case http.StateHijacked, http.StateClosed:
		l.leave(conn)
		l.running.Done()
	}
}

func (l *lobby) enter(conn net.Conn) {
	a, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
	if l.gate.enter(a.Addr()) != 0 {
		_ = conn.Close()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in[conn] = a.Addr()
}

// empty closes all that are in and waits until they are out. The server's own Close
// overlooks one that it was about to accept.
func (l *lobby) empty() {
	l.mu.Lock()
	for conn := range l.in {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.running.Wait()
}

func (l *lobby) leave(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.in[conn]; ok {
		delete(l.in, conn)
		l.gate.leave(a)
	}
}
