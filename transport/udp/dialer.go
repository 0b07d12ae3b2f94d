package udp

import (
	"fmt"
	"net/netip"

	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/address"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// Defaults of Dialer: a client receives from one server.
const (
	// DefaultDialerBuffer is the kernel buffer requested for each direction, in bytes.
	DefaultDialerBuffer = 1 << 20

	// DefaultDialerQueue is how many datagrams wait for a client's Receive: one second of
	// four datagrams per tick at 60 Hz, in 280 KB. If a game is suspended for longer, the
	// rest is dropped.
	DefaultDialerQueue = 240
)

// Dialer opens the UDP socket of a client. Its zero value is ready to use.
type Dialer struct {
	// LocalAddr is the address to send from, as in Listener.Addr, of the same IP version
	// as the server's address. Empty: any, chosen by the system.
	LocalAddr string

	// ReadBuffer and WriteBuffer are the kernel's buffers of the socket, in
	// bytes. 0: DefaultDialerBuffer. Negative: the default of the system.
	ReadBuffer, WriteBuffer int

	// Queue is how many datagrams may wait for Receive. 0: DefaultDialerQueue.
	Queue int
}

var _ transport.Dialer = Dialer{}

// Dial opens a socket that exchanges datagrams with server only. It succeeds even if no
// server listens there. It fails if there is no route, if LocalAddr is of another IP
// version or already in use, and if server is not a valid address of a server.
func (d Dialer) Dial(server netip.AddrPort) (transport.Conn, error) {
	server = address.Unmap(server)
	if !server.IsValid() || server.Port() == 0 || server.Addr().IsUnspecified() {
		return nil, fmt.Errorf("udp: %v is not the address of a server; dial the address that players can reach, such as 127.0.0.1:40000", server)
	}
	local, err := d.local(server)
	if err != nil {
		return nil, err
	}
	o := options{d.ReadBuffer, d.WriteBuffer, queue.Limits{}}
	if o.waiting.Strangers, err = room("Dialer.Queue", d.Queue, DefaultDialerQueue); err != nil {
		return nil, err
	}
	o.waiting.Shared = o.waiting.Strangers // in case the layer above admits the server
	return dial(local, server, o.orBuffers(DefaultDialerBuffer))
}

// local parses LocalAddr for the IP version of the server; a wildcard suits both.
func (d Dialer) local(server netip.AddrPort) (netip.AddrPort, error) {
	wildcard := netip.IPv6Unspecified()
	if server.Addr().Is4() {
		wildcard = netip.IPv4Unspecified()
	}
	if d.LocalAddr == "" {
		return netip.AddrPortFrom(wildcard, 0), nil
	}
	local, err := address.Parse("udp: Dialer.LocalAddr", d.LocalAddr)
	switch {
	case err != nil:
		return local, err
	case local.Addr().IsUnspecified():
		return netip.AddrPortFrom(wildcard, local.Port()), nil
	case local.Addr().Is4() != server.Addr().Is4():
		return local, fmt.Errorf("udp: Dialer.LocalAddr %q and the server %v are of different IP versions; give an address of the server's version, or none", d.LocalAddr, server)
	}
	return local, nil
}
