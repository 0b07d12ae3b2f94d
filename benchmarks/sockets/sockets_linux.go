//go:build amd64 || arm64

package sockets

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Missing says why this package can't be used, or is empty.
const Missing = ""

// Socket is a UDP socket on 127.0.0.1 that the runtime does not know of, so that the kernel has
// no goroutine to wake up.
type Socket struct {
	FD   int
	Addr netip.AddrPort
}

// Open opens a socket with buffers of so many bytes, as far as the system grants them.
func Open(buffer int) (*Socket, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	s := &Socket{FD: fd}
	if err := s.open(buffer); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Socket) open(buffer int) error {
	for _, option := range [...]int{unix.SO_RCVBUF, unix.SO_SNDBUF} {
		if err := unix.SetsockoptInt(s.FD, unix.SOL_SOCKET, option, buffer); err != nil {
			return err
		}
	}
	_ = unix.SetsockoptInt(s.FD, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, buffer) // if it is permitted
	if err := unix.Bind(s.FD, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	at, err := unix.Getsockname(s.FD)
	if err != nil {
		return err
	}
	s.Addr = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(at.(*unix.SockaddrInet4).Port))
	return nil
}

// Connect makes the socket exchange datagrams with one other only.
func (s *Socket) Connect(to netip.AddrPort) error {
	return unix.Connect(s.FD, &unix.SockaddrInet4{Addr: to.Addr().As4(), Port: int(to.Port())})
}

// Read returns the size of the next datagram, or false if none waits.
func (s *Socket) Read(buf []byte) (n int, ok bool) {
	n, err := unix.Read(s.FD, buf)
	return n, err == nil
}

// Write sends a datagram of a connected socket.
func (s *Socket) Write(b []byte) error {
	_, err := unix.Write(s.FD, b)
	return err
}

// Close closes the socket.
func (s *Socket) Close() error { return unix.Close(s.FD) }

// messageHead is mmsghdr of sys/socket.h on 64-bit machines.
type messageHead struct {
	name     *unix.RawSockaddrInet4
	nameSize uint32
	_        uint32
	part     *unix.Iovec
	parts    uint64
	control  *segmentSize
	controls uint64
	flags    int32
	_        uint32
	length   uint32
	_        uint32
}

// segmentSize is a control message that makes the kernel cut a message into datagrams.
type segmentSize struct {
	head unix.Cmsghdr
	size uint16
	_    [6]byte
}

// messages are prepared for one system call.
type messages struct {
	heads []messageHead
	parts []unix.Iovec
	names []unix.RawSockaddrInet4
}

func newMessages(n int) messages {
	m := messages{heads: make([]messageHead, n), parts: make([]unix.Iovec, n), names: make([]unix.RawSockaddrInet4, n)}
	for i := range m.heads {
		m.heads[i] = messageHead{name: &m.names[i], nameSize: unix.SizeofSockaddrInet4, part: &m.parts[i], parts: 1}
	}
	return m
}

// mostMessages is how many messages the kernel takes in one system call.
const mostMessages = 1024

// Sender sends a frame's datagrams with as few calls of sendmmsg as possible, consecutive ones of
// a client in one message that the kernel cuts (UDP_SEGMENT).
type Sender struct {
	fd       int
	clients  []unix.RawSockaddrInet4
	messages messages
	controls []segmentSize
	n        int
}

// NewSender returns a sender for a socket and the addresses of clients.
func NewSender(fd int, clients []netip.AddrPort) *Sender {
	s := &Sender{fd: fd, messages: newMessages(mostMessages), controls: make([]segmentSize, mostMessages)}
	for _, c := range clients {
		name := unix.RawSockaddrInet4{Family: unix.AF_INET, Addr: c.Addr().As4()}
		name.Port = c.Port()<<8 | c.Port()>>8
		s.clients = append(s.clients, name)
	}
	for i := range s.controls {
		s.controls[i].head = unix.Cmsghdr{Len: uint64(unix.CmsgLen(2)), Level: unix.IPPROTO_UDP, Type: unix.UDP_SEGMENT}
	}
	return s
}

// Add queues datagrams for a client that lie one after the other in memory. All have the same size,
// except for the last, which may be smaller. They stay unchanged until Send returns.
func (s *Sender) Add(client int, data []byte, size int) {
	s.messages.names[s.n] = s.clients[client]
	part, head := &s.messages.parts[s.n], &s.messages.heads[s.n]
	part.Base, part.Len = &data[0], uint64(len(data))
	head.control, head.controls = nil, 0
	if len(data) > size {
		c := &s.controls[s.n]
		c.size = uint16(size)
		head.control, head.controls = c, uint64(unix.CmsgSpace(2))
	}
	s.n++
}

// Full reports whether Send must be called before Add.
func (s *Sender) Full() bool { return s.n == mostMessages }

// Send sends what is queued.
func (s *Sender) Send() error {
	err := s.SendPrepared()
	s.n = 0
	return err
}

// SendPrepared sends what is queued, and keeps it for the next time.
func (s *Sender) SendPrepared() error {
	for sent := 0; sent < s.n; {
		n, _, errno := syscall.Syscall6(unix.SYS_SENDMMSG, uintptr(s.fd),
			uintptr(unsafe.Pointer(&s.messages.heads[sent])), uintptr(s.n-sent), unix.MSG_DONTWAIT, 0, 0)
		if errno != 0 {
			return fmt.Errorf("%d of %d messages sent: %w", sent, s.n, errno)
		}
		sent += int(n)
	}
	return nil
}

// readAtOnce is how many datagrams Reader reads in one system call, and readSize the room for each.
const (
	readAtOnce = 256
	readSize   = 1500
)

// Reader reads the datagrams that wait at a socket, many in one call of recvmmsg.
type Reader struct {
	fd       int
	messages messages
	data     [readAtOnce][readSize]byte
}

// NewReader returns a reader of a socket.
func NewReader(fd int) *Reader {
	r := &Reader{fd: fd, messages: newMessages(readAtOnce)}
	for i := range r.messages.parts {
		r.messages.parts[i].Base, r.messages.parts[i].Len = &r.data[i][0], readSize
	}
	return r
}

// Each calls yield with each waiting datagram and the port that it came from.
func (r *Reader) Each(yield func(port uint16, b []byte)) {
	for {
		n, _, errno := syscall.Syscall6(unix.SYS_RECVMMSG, uintptr(r.fd),
			uintptr(unsafe.Pointer(&r.messages.heads[0])), readAtOnce, unix.MSG_DONTWAIT, 0, 0)
		if errno != 0 {
			return
		}
		for i := range int(n) {
			port := r.messages.names[i].Port
			yield(port<<8|port>>8, r.data[i][:r.messages.heads[i].length])
		}
		if n < readAtOnce {
			return
		}
	}
}
