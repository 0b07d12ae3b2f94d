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

// listen starts an HTTP server for a Listener with defaults filled in.
func (l Listener) listen(addr netip.AddrPort) (transport.Conn, error) {
	socket, err := net.Listen(address.Network("tcp", addr.Addr()), address.Text(addr))
	if err != nil {
		return nil, fmt.Errorf("websocket: cannot listen at %v%s: %w", addr, address.Advice(err), err)
	}
	bound := address.Unmap(socket.Addr().(*net.TCPAddr).AddrPort())
	c := newConn(bound, l.Origins, l.Limits, l.patience)
	pending := newPendingConns(l.Limits)
	server := l.server(c, pending)
	served := make(chan struct{})
	c.shut = func() {
		_ = server.Close()
		<-served // no further connection is accepted
		pending.empty()
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

// server returns an HTTP server that answers one request per connection, within short timeouts.
func (l Listener) server(c *Conn, pending *pendingConns) *http.Server {
	onlyHTTP1 := new(http.Protocols)
	onlyHTTP1.SetHTTP1(true)
	return &http.Server{
		Handler: l.route(c), Protocols: onlyHTTP1, TLSConfig: l.TLS.Clone(),
		ReadHeaderTimeout: c.patience.header, ReadTimeout: c.patience.header,
		WriteTimeout: c.patience.header, IdleTimeout: c.patience.header,
		MaxHeaderBytes: maxHeader,
		ConnState:      pending.follow,
		ErrorLog:       slog.NewLogLogger(l.Log.Handler(), slog.LevelDebug),
	}
}

// route serves one path, which must match exactly.
func (l Listener) route(c *Conn) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != l.Path {
			refuse(w, http.StatusNotFound)
			return
		}
		c.serve(w, r)
	})
}

// pendingConns bounds the connections of a port that have not become WebSockets yet: twice as many
// as may wait to be admitted, so that those beyond that limit still get an HTTP answer.
type pendingConns struct {
	limit   *pendingLimit
	running sync.WaitGroup

	mu sync.Mutex
	in map[net.Conn]netip.Addr
}

func newPendingConns(l Limits) *pendingConns {
	return &pendingConns{limit: newPendingLimit(2*l.Pending, 2*l.PendingPerAddress), in: map[net.Conn]netip.Addr{}}
}

// follow implements http.Server.ConnState.
func (l *pendingConns) follow(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		l.running.Add(1)
		l.addConn(conn)
	case http.StateIdle:
		_ = conn.Close() // one request per connection
	case http.StateHijacked, http.StateClosed:
		l.removeConn(conn)
		l.running.Done()
	}
}

func (l *pendingConns) addConn(conn net.Conn) {
	a, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
	if l.limit.admitAddr(a.Addr()) != 0 {
		_ = conn.Close()
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in[conn] = a.Addr()
}

// empty closes all connections and waits until they are gone. The server's own Close misses
// one that it is about to accept.
func (l *pendingConns) empty() {
	l.mu.Lock()
	for conn := range l.in {
		_ = conn.Close()
	}
	l.mu.Unlock()
	l.running.Wait()
}

func (l *pendingConns) removeConn(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if a, ok := l.in[conn]; ok {
		delete(l.in, conn)
		l.limit.releaseAddr(a)
	}
}
