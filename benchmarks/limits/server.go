package limits

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/entangle-ecs/entangle/benchmarks/sockets"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// ServerLimit is a SceneLimit with sockets. It reads the packets of its clients with recvmmsg and opens
// them, does the work of a tick, and sends the packets for the clients with sendmmsg, those of one
// client in one message where their sizes permit (UDP_SEGMENT). It does not protect against replayed
// packets, and it does not read what it opens.
type ServerLimit struct {
	*SceneLimit
	socket  *sockets.Socket
	reader  *sockets.Reader
	sender  *sockets.Sender
	byPort  [1 << 16]*answers // of the clients
	clients []answers
	opened  int
	err     error
}

// answers is what a client sends.
type answers struct {
	limitClient
	socket *sockets.Socket
}

// NewServerLimit returns a server with connected clients.
func NewServerLimit(l *SceneLimit, serverBuffer, clientBuffer int) (*ServerLimit, error) {
	s := &ServerLimit{SceneLimit: l, clients: make([]answers, len(l.Clients))}
	if err := s.open(serverBuffer, clientBuffer); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (l *ServerLimit) open(serverBuffer, clientBuffer int) (err error) {
	if l.socket, err = sockets.Open(serverBuffer); err != nil {
		return err
	}
	addrs := make([]netip.AddrPort, len(l.clients))
	for i := range l.clients {
		c := &l.clients[i]
		if err = c.init(byte(i)); err != nil {
			return err
		}
		if c.socket, err = sockets.Open(clientBuffer); err != nil {
			return err
		}
		if err = c.socket.Connect(l.socket.Addr); err != nil {
			return err
		}
		addrs[i] = c.socket.Addr
		l.byPort[c.socket.Addr.Port()] = c
	}
	l.reader, l.sender = sockets.NewReader(l.socket.FD), sockets.NewSender(l.socket.FD, addrs)
	return nil
}

// Close closes all sockets.
func (l *ServerLimit) Close() (err error) {
	if l.socket != nil {
		err = l.socket.Close()
	}
	for i := range l.clients {
		if s := l.clients[i].socket; s != nil {
			err = errors.Join(err, s.Close())
		}
	}
	return err
}

// Answer makes a client read what has arrived, and answer with a packet of the size of another one.
func (l *ServerLimit) Answer(client int, sealed []byte) {
	c := &l.clients[client]
	var buf [2048]byte
	for _, ok := c.socket.Read(buf[:]); ok; _, ok = c.socket.Read(buf[:]) {
	}
	c.Out.Reset()
	c.seal(buf[:workload.PayloadSize(sealed)])
	l.err = errors.Join(l.err, c.socket.Write(c.Out.Data))
}

// Tick does all work of a server's tick.
func (l *ServerLimit) Tick() {
	l.reader.Each(l.receive)
	if l.Grid != nil {
		l.Acknowledge(0)
		l.SendGrid()
	} else {
		l.Send()
	}
	for i := range l.Clients {
		l.queue(i, &l.Clients[i].Out)
	}
	l.err = errors.Join(l.err, l.sender.Send())
}

// receive opens a packet.
func (l *ServerLimit) receive(port uint16, b []byte) {
	c := l.byPort[port]
	if c == nil || len(b) < 1+chacha20poly1305.Overhead {
		return
	}
	size := int(b[0] >> 4)
	var sequence [8]byte
	copy(sequence[:size], b[1:1+size])
	c.data[len(c.data)-1] = b[0]
	copy(c.nonce[4:], sequence[:])
	if _, err := c.aead.Open(l.buf[:0], c.nonce[:], b[1+size:], c.data[:]); err != nil {
		l.err = fmt.Errorf("packet %d from port %d: %w", binary.LittleEndian.Uint64(sequence[:]), port, err)
		return
	}
	l.opened++
}

// queue queues the packets of a client, as few messages as their sizes permit.
func (l *ServerLimit) queue(client int, out *workload.Packets) {
	from := 0
	for i := 0; i < len(out.Ends); {
		size, last := out.Ends[i]-from, 0
		to := from
		for ; i < len(out.Ends) && out.Ends[i]-to <= size && (last == 0 || last == size); i++ {
			last = out.Ends[i] - to
			to = out.Ends[i]
		}
		if l.sender.Full() {
			l.err = errors.Join(l.err, l.sender.Send())
		}
		l.sender.Add(client, out.Data[from:to], size)
		from = to
	}
}

// Check returns an error of a socket, or one if so many answers have not been opened.
func (l *ServerLimit) Check(answers int) error {
	if l.err == nil && l.opened != answers {
		return fmt.Errorf("the limit has opened %d of %d answers", l.opened, answers)
	}
	return l.err
}
