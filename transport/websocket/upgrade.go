//go:build !js && !wasip1

package websocket

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"net/netip"

	"github.com/coder/websocket"
)

// serve upgrades a request to a WebSocket, or refuses it.
func (c *Conn) serve(w http.ResponseWriter, r *http.Request) {
	if !c.addRunning() {
		refuse(w, http.StatusServiceUnavailable)
		return
	}
	defer c.running.Done()
	remote := remoteOf(r)
	if status := c.pending.admitAddr(remote.Addr()); status != 0 {
		c.count.crowded.Add(1)
		refuse(w, status)
		return
	}
	p, err := c.upgrade(w, r)
	if err != nil {
		c.count.refused.Add(1)
		c.pending.releaseAddr(remote.Addr())
		return
	}
	p.remote = remote
	if !c.addPeer(p) {
		c.pending.releaseAddr(remote.Addr())
		p.wire.cut()
		_ = p.ws.CloseNow()
	}
}

func refuse(w http.ResponseWriter, status int) {
	http.Error(w, http.StatusText(status), status)
}

// remoteOf returns the address of the requesting machine. Headers of proxies are not
// trusted, since anybody can write them. It is invalid for a Unix socket.
func remoteOf(r *http.Request) netip.AddrPort {
	a, _ := netip.ParseAddrPort(r.RemoteAddr)
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// upgrade answers the request, even if it returns an error.
func (c *Conn) upgrade(w http.ResponseWriter, r *http.Request) (*peer, error) {
	p := &peer{conn: c, written: make(chan struct{}), woken: make(chan struct{}, 1)}
	h := &hijacker{ResponseWriter: w, patience: c.patience}
	ws, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		OriginPatterns:  c.origins,
		CompressionMode: websocket.CompressionDisabled, // sealed bytes do not shrink
		OnPingReceived:  func(context.Context, []byte) bool { return p.onPing() },
	})
	if err != nil {
		return nil, err
	}
	p.pipe = newPipe(ws, h.wire, newOutbox(c.limits.Backlog))
	return p, nil
}

// hijacker inserts a wire below the WebSocket.
type hijacker struct {
	http.ResponseWriter
	patience patience
	wire     *wire
}

// Hijack implements http.Hijacker. It allocates new buffers: the server's own are larger,
// and its writer would bypass the wire.
func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	early, _ := rw.Reader.Peek(rw.Reader.Buffered())
	h.wire = newWire(conn, bytes.Clone(early), h.patience)
	return h.wire, bufio.NewReadWriter(bufio.NewReaderSize(h.wire, frameBuffer), bufio.NewWriterSize(h.wire, frameBuffer)), nil
}
