//go:build !js && !wasip1

package websocket

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// errNoise ends a connection that sends and sends, but no datagrams.
var errNoise = errors.New("too much came without a datagram in it")

// wire is the TCP or TLS connection below a WebSocket, where its limits are kept: what
// the WebSocket does not know of passes here as well, such as a flood of pings.
type wire struct {
	net.Conn
	early []byte // was read before this took over
	stall time.Duration

	allowed int          // bytes, until admitted
	noise   atomic.Int64 // bytes since the last datagram

	admitted chan struct{} // closed: whatever comes may be read
	ending   chan struct{} // closed: the deadlines are the last ones

	stalled atomic.Bool // the peer has taken nothing in for too long

	mu    sync.Mutex // keeps deadlines of a write and of the end apart
	ended bool
}

// newWire takes over a connection, of which early was read already.
func newWire(conn net.Conn, early []byte, p patience) *wire {
	w := &wire{
		Conn: conn, early: early, stall: p.stall, allowed: AdmitBytes,
		admitted: make(chan struct{}), ending: make(chan struct{}),
	}
	w.shrinkBuffer()
	return w
}

// shrinkBuffer asks for little, because what waits in the kernel grows old there. That
// the kernel grants what it likes is no reason to fail.
func (w *wire) shrinkBuffer() {
	if tcp, ok := w.raw().(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = tcp.SetWriteBuffer(kernelBuffer)
	}
}

// raw is the connection below TLS.
func (w *wire) raw() net.Conn {
	if t, ok := w.Conn.(*tls.Conn); ok {
		return t.NetConn()
	}
	return w.Conn
}

// Read holds back what a stranger sends beyond its allowance: it stays with the kernel,
// and the sender's with the sender.
func (w *wire) Read(p []byte) (int, error) {
	if w.noise.Load() > noiseLimit {
		return 0, errNoise
	}
	most, err := w.permit(len(p))
	if err != nil {
		return 0, err
	}
	n, err := w.take(p[:most])
	w.allowed -= n
	w.noise.Add(int64(n))
	return n, err
}

// permit waits until something may be read, and says how much of want.
func (w *wire) permit(want int) (int, error) {
	select {
	case <-w.admitted:
		return want, nil
	default:
	}
	if w.allowed > 0 {
		return min(want, w.allowed), nil
	}
	select {
	case <-w.admitted:
		return want, nil
	case <-w.ending:
		return 0, net.ErrClosed
	}
}

func (w *wire) take(p []byte) (int, error) {
	if len(w.early) == 0 {
		return w.Conn.Read(p)
	}
	n := copy(p, w.early)
	if w.early = w.early[n:]; len(w.early) == 0 {
		w.early = nil
	}
	return n, nil
}

// Write fails when the peer takes nothing in for too long.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	if !w.ended {
		_ = w.SetWriteDeadline(time.Now().Add(w.stall))
	}
	w.mu.Unlock()
	n, err := w.Conn.Write(p)
	if err != nil {
		w.stalled.Store(errors.Is(err, os.ErrDeadlineExceeded))
		_ = w.raw().Close() // TLS would wait to say goodbye to a peer that takes nothing in
	}
	return n, err
}

// end gives the connection its last deadlines. Ending again changes nothing.
func (w *wire) end(read, write time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	w.ended = true
	now := time.Now()
	_ = w.SetReadDeadline(now.Add(read))
	_ = w.SetWriteDeadline(now.Add(write))
	close(w.ending)
}

// cut ends the connection on the spot.
func (w *wire) cut() {
	w.end(0, 0)
	_ = w.raw().Close()
}
