package cases

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/sockets"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// In the case udp, a server sends one packet of 1,150 bytes, or nine, to each of 100 clients over
// real sockets on loopback. The limit is one sendmmsg for all of them, with messages prepared
// beforehand, in which the nine packets of a client are one message that the kernel cuts
// (UDP_SEGMENT). It sends from a socket that the runtime watches, as a server has to, which reads
// from the same one. The ratio compares packets per second. The clients' sockets are not read: the
// kernel drops the packets that do not fit into them, and the sender's work is the same. One
// operation is all packets.
const (
	udpClients = 100
	udpEach    = 9
	udpSize    = 1150
)

func udpVariants() []report.Variant {
	return []report.Variant{
		{Name: "udp/send-100", Goal: 0.9, AtLeast: true, Missing: socketsMissing, Prepare: func() (report.Sides, error) { return udpPrepare(1) }},
		{Name: "udp/send-900", Goal: 0.9, AtLeast: true, Missing: socketsMissing, Prepare: func() (report.Sides, error) { return udpPrepare(udpEach) }},
		{Name: "udp/receive-junk", Goal: 0.8, AtLeast: true, Workers: 2, Prepare: udpReceivePrepare},
	}
}

func socketsMissing() string { return sockets.Missing }

func udpPrepare(each int) (_ report.Sides, err error) {
	var open closers
	defer func() {
		if err != nil {
			open.close()
		}
	}()
	clients, err := udpAddresses(&open)
	if err != nil {
		return report.Sides{}, err
	}
	server, err := udp.Listener{Addr: "127.0.0.1:0"}.Listen()
	if err != nil {
		return report.Sides{}, err
	}
	open.add(server.Close)
	limit, err := udpLimit(&open, clients, each)
	if err != nil {
		return report.Sides{}, err
	}
	var batch []transport.Datagram
	for _, to := range clients {
		for range each {
			batch = append(batch, transport.Datagram{Addr: to, Data: make([]byte, udpSize)})
		}
	}
	var failed error
	return report.Sides{
		Ours: func() {
			if sent, err := server.Send(batch); err != nil || sent != len(batch) {
				failed = errors.Join(failed, err, fmt.Errorf("%d of %d packets sent", sent, len(batch)))
			}
		},
		Limit:  func() { failed = errors.Join(failed, limit.SendPrepared()) },
		Bytes:  func() int { return len(batch) * udpSize },
		Verify: func() error { return failed },
		Close:  open.close,
	}, nil
}

// udpAddresses opens the clients' sockets.
func udpAddresses(open *closers) (clients []netip.AddrPort, err error) {
	for range udpClients {
		client, err := sockets.Open(udp.DefaultDialerBuffer)
		if err != nil {
			return nil, err
		}
		open.add(client.Close)
		clients = append(clients, client.Addr)
	}
	return clients, nil
}

// udpLimit returns the hand-written way to send the packets.
func udpLimit(open *closers, clients []netip.AddrPort, each int) (*sockets.Sender, error) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	open.add(socket.Close)
	if err := socket.SetWriteBuffer(udp.DefaultListenerBuffer); err != nil {
		return nil, err
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	var limit *sockets.Sender
	err = raw.Control(func(fd uintptr) { limit = sockets.NewSender(int(fd), clients) })
	for i := range clients {
		limit.Add(i, make([]byte, each*udpSize), udpSize)
	}
	return limit, err
}

// closers closes all opened resources, in reverse order.
type closers struct{ all []func() error }

func (c *closers) add(f func() error) { c.all = append(c.all, f) }

func (c *closers) close() {
	for i := len(c.all) - 1; i >= 0; i-- {
		_ = c.all[i]()
	}
}
