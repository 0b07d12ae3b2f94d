package memory

import (
	"fmt"
	"net/netip"

	"github.com/entangle-ecs/entangle/transport"
)

// Listener opens the server's end at one made-up address.
type Listener struct {
	network *Network
	addr    netip.AddrPort
}

var (
	_ transport.Listener = (*Listener)(nil)
	_ transport.Dialer   = (*Dialer)(nil)
	_ transport.Conn     = (*Conn)(nil)
)

// Addr is the address that clients dial and that connect tokens list. It is
// known before Listen.
func (l *Listener) Addr() netip.AddrPort { return l.addr }

// Listen opens the end. It fails while the end of an earlier Listen is open.
func (l *Listener) Listen() (transport.Conn, error) {
	l.network.mu.Lock()
	defer l.network.mu.Unlock()
	if l.network.ends[l.addr] != nil {
		return nil, fmt.Errorf("memory: %v is listening already; close that Conn first, or use one Listener per server", l.addr)
	}
	return l.network.addConn(l.addr, netip.AddrPort{}), nil
}

// Dialer opens clients' ends.
type Dialer struct{ network *Network }

// Dial opens an end with a new made-up address. As with UDP, the server need not listen
// yet; datagrams to an address without an end are lost. Dial fails for an address that
// no memory network makes up.
func (d *Dialer) Dial(server netip.AddrPort) (transport.Conn, error) {
	if server.Port() != port || server.Addr().As16()[0] != 0xfd {
		return nil, fmt.Errorf("memory: %v is not an address of a memory network; dial what Listener.Addr returns", server)
	}
	d.network.mu.Lock()
	defer d.network.mu.Unlock()
	return d.network.addConn(d.network.makeUpAddress(), server), nil
}
