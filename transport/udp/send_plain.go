//go:build !linux

package udp

import (
	"errors"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/entangle-ecs/entangle/transport"
)

// sendPatience is how long one batch waits at most for room in the kernel's buffer.
const sendPatience = time.Millisecond

// sender sends datagrams one by one.
type sender struct {
	socket    *net.UDPConn
	connected bool
}

func (s *sender) init(socket *net.UDPConn, connected bool) {
	s.socket, s.connected = socket, connected
}

func (s *sender) sendBatch(c *Conn, batch []transport.Datagram) (r sendResult) {
	r.err = s.socket.SetWriteDeadline(time.Now().Add(sendPatience))
	if r.err != nil {
		return r
	}
	for i := range batch {
		d := &batch[i]
		if !c.carries(d) {
			continue
		}
		r.calls++
		err := s.writeDatagram(d)
		switch {
		case err == nil:
			r.sent++
			r.bytes += len(d.Data)
		case errors.Is(err, net.ErrClosed):
			r.err = err
			return r
		case errors.Is(err, os.ErrDeadlineExceeded):
			r.full = len(batch) - i
			return r
		}
	}
	return r
}

// writeDatagram sends one datagram. A refused connection is the network's answer to an earlier
// datagram and is reported once, so the datagram is tried a second time.
func (s *sender) writeDatagram(d *transport.Datagram) error {
	err := s.writeOnce(d)
	if errors.Is(err, syscall.ECONNREFUSED) {
		err = s.writeOnce(d)
	}
	return err
}

func (s *sender) writeOnce(d *transport.Datagram) error {
	if s.connected {
		_, err := s.socket.Write(d.Data)
		return err
	}
	_, err := s.socket.WriteToUDPAddrPort(d.Data, d.Addr)
	return err
}
