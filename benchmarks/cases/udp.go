package cases

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/net/ipv4"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// In the case udp, a server sends one packet of 1,150 bytes to each of 100 clients over real
// sockets on loopback. The limit is one sendmmsg for all of them, with messages prepared beforehand
// (through golang.org/x/net, which still converts their addresses into the kernel's form). The
// ratio compares packets per second. The clients' sockets are not read: the kernel drops the
// packets that do not fit into them, and the sender's work is the same. One operation is all 100
// packets.
const udpClients = 100

func udpVariants() []report.Variant {
	return []report.Variant{
		{Name: "udp/send-100", Goal: 0.9, AtLeast: true, Prepare: udpPrepare},
		{Name: "udp/receive-junk", Goal: 0.8, AtLeast: true, Workers: 2, Prepare: udpReceivePrepare},
	}
}

func udpPrepare() (_ report.Sides, err error) {
	var open closers
	defer func() {
		if err != nil {
			open.close()
		}
	}()
	batch, err := udpBatch(&open)
	if err != nil {
		return report.Sides{}, err
	}
	server, err := udp.Listener{Addr: "127.0.0.1:0"}.Listen()
	if err != nil {
		return report.Sides{}, err
	}
	open.add(server.Close)
	limit, err := udpLimit(&open, batch)
	if err != nil {
		return report.Sides{}, err
	}
	var failed error
	note := func(sent int, err error) {
		if err != nil || sent != udpClients {
			failed = errors.Join(failed, err, fmt.Errorf("%d of %d packets sent", sent, udpClients))
		}
	}
	return report.Sides{
		Ours:   func() { note(server.Send(batch)) },
		Limit:  func() { note(limit()) },
		Bytes:  func() int { return udpClients * len(batch[0].Data) },
		Verify: func() error { return failed },
		Close:  open.close,
	}, nil
}

// udpBatch opens the clients' sockets and makes a packet for each of them.
func udpBatch(open *closers) ([]transport.Datagram, error) {
	batch := make([]transport.Datagram, 0, udpClients)
	for range udpClients {
		client, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			return nil, err
		}
		open.add(client.Close)
		addr := client.LocalAddr().(*net.UDPAddr).AddrPort()
		to := netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
		batch = append(batch, transport.Datagram{Addr: to, Data: make([]byte, 1150)})
	}
	return batch, nil
}

// udpLimit returns the hand-written way to send the batch.
func udpLimit(open *closers, batch []transport.Datagram) (func() (int, error), error) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	open.add(socket.Close)
	if err := socket.SetWriteBuffer(udp.DefaultListenerBuffer); err != nil {
		return nil, err
	}
	messages := make([]ipv4.Message, len(batch))
	for i, d := range batch {
		messages[i] = ipv4.Message{Buffers: [][]byte{d.Data}, Addr: net.UDPAddrFromAddrPort(d.Addr)}
	}
	packets := ipv4.NewPacketConn(socket)
	return func() (sent int, err error) {
		for sent < len(messages) && err == nil {
			var n int
			n, err = packets.WriteBatch(messages[sent:], 0)
			sent += n
		}
		return sent, err
	}, nil
}

// closers closes all opened resources, in reverse order.
type closers struct{ all []func() error }

func (c *closers) add(f func() error) { c.all = append(c.all, f) }

func (c *closers) close() {
	for i := len(c.all) - 1; i >= 0; i-- {
		_ = c.all[i]()
	}
}
