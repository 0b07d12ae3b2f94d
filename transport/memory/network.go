package memory

import (
	"encoding/binary"
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// QueueLimit is how many datagrams wait at one end before new ones are dropped: about
// ten frames of a server with 400 clients that send once per frame. It keeps an end that
// is never drained below 5 MB.
const QueueLimit = 4096

// port is the port of every made-up address; the host part identifies the end.
const port = 40000

// Network is a set of ends that reach each other. Its zero value is not usable;
// make one with NewNetwork. All methods may be called from any goroutine.
type Network struct {
	mu   sync.RWMutex
	ends map[netip.AddrPort]*Conn
	last uint64 // counts the addresses made up so far
}

// NewNetwork makes a network without ends.
func NewNetwork() *Network {
	return &Network{ends: make(map[netip.AddrPort]*Conn)}
}

// Listener returns a listener for a server's end. The listener has an address of its own,
// which every Listen uses.
func (n *Network) Listener() *Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	return &Listener{network: n, addr: n.makeUpAddress()}
}

// Dialer returns a dialer for clients of this network; one serves any number of clients.
func (n *Network) Dialer() *Dialer { return &Dialer{network: n} }

func (n *Network) makeUpAddress() netip.AddrPort {
	n.last++
	host := [16]byte{0: 0xfd}
	binary.BigEndian.PutUint64(host[8:], n.last)
	return netip.AddrPortFrom(netip.AddrFrom16(host), port)
}

// addConn adds an end to the network. The caller holds the lock.
func (n *Network) addConn(addr, server netip.AddrPort) *Conn {
	c := &Conn{network: n, addr: addr, server: server, arrived: queue.New(QueueLimit)}
	n.ends[addr] = c
	return c
}

// removeConn removes an end from the network, unless another end has its address already.
func (n *Network) removeConn(c *Conn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ends[c.addr] == c {
		delete(n.ends, c.addr)
	}
}

func (n *Network) connAt(addr netip.AddrPort) *Conn {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.ends[addr]
}
