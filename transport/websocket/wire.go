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

// errNoise ends a connection that sends many bytes but no datagrams.
var errNoise = errors.New("too much came without a datagram in it")

// wire is the TCP or TLS connection below a WebSocket. It enforces the limits, because it
// sees all bytes, including those that the WebSocket hides, such as a flood of pings.
type wire struct {
	net.Conn
	early []byte // bytes read before the wire was made
	stall time.Duration

	limit int          // bytes that may be read until the connection is admitted
	noise atomic.Int64 // bytes read since the last datagram

	admitted chan struct{} // closed: no limit on reading
	ending   chan struct{} // closed once the final deadlines are set

	stalled atomic.Bool // the peer has not read for too long

	mu    sync.Mutex // guards the deadlines
	ended bool
}

// newWire wraps a connection. early are bytes that were already read from it.
func newWire(conn net.Conn, early []byte, p patience) *wire {
	w := &wire{
		Conn: conn, early: early, stall: p.stall, limit: AdmitBytes,
		admitted: make(chan struct{}), ending: make(chan struct{}),
	}
	w.shrinkBuffer()
	return w
}

// shrinkBuffer requests a small send buffer, because datagrams that wait in the kernel grow
// old there. The kernel may ignore the request, which is no reason to fail.
func (w *wire) shrinkBuffer() {
	if tcp, ok := w.raw().(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = tcp.SetWriteBuffer(kernelBuffer)
	}
}

// raw returns the connection below TLS.
func (w *wire) raw() net.Conn {
	if t, ok := w.Conn.(*tls.Conn); ok {
		return t.NetConn()
	}
	return w.Conn
}

// Read blocks a stranger that has sent more bytes than it may: the rest stays in the buffers
// of the kernel and of the sender.
func (w *wire) Read(p []byte) (int, error) {
	if w.noise.Load() > noiseLimit {
		return 0, errNoise
	}
	most, err := w.permit(len(p))
	if err != nil {
		return 0, err
	}
	n, err := w.readEarly(p[:most])
	w.limit -= n
	w.noise.Add(int64(n))
	return n, err
}

// permit waits until bytes may be read, and returns how many, at most want.
func (w *wire) permit(want int) (int, error) {
	select {
	case <-w.admitted:
		return want, nil
	default:
	}
	if w.limit > 0 {
		return min(want, w.limit), nil
	}
	select {
	case <-w.admitted:
		return want, nil
	case <-w.ending:
		return 0, net.ErrClosed
	}
}

func (w *wire) readEarly(p []byte) (int, error) {
	if len(w.early) == 0 {
		return w.Conn.Read(p)
	}
	n := copy(p, w.early)
	if w.early = w.early[n:]; len(w.early) == 0 {
		w.early = nil
	}
	return n, nil
}

// Write fails when the peer does not read for too long.
func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	if !w.ended {
		_ = w.SetWriteDeadline(time.Now().Add(w.stall))
	}
	w.mu.Unlock()
	n, err := w.Conn.Write(p)
	if err != nil {
		w.stalled.Store(errors.Is(err, os.ErrDeadlineExceeded))
		_ = w.raw().Close() // TLS would wait to send its close message to a peer that does not read
	}
	return n, err
}

// setFinalDeadlines sets the final deadlines of the connection. Further calls have no effect.
func (w *wire) setFinalDeadlines(read, write time.Duration) {
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

// cut closes the connection at once.
func (w *wire) cut() {
	w.setFinalDeadlines(0, 0)
	_ = w.raw().Close()
}
