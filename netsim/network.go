package netsim

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// networkPort is the port of every address. The host part tells the ends apart.
const networkPort = 40000

// Network is a transport within one process on one clock. Servers listen on it, and every player
// has a Line of its own to them, which can be as bad as the test needs.
//
// The handling of each datagram depends only on the seed and the calls: the same seed and the same
// calls give the same run.
type Network struct {
	mu      sync.Mutex // Close of a Conn may come from another goroutine
	clock   func() time.Time
	seeds   *rand.Rand
	last    uint64 // counts the allocated addresses
	servers map[netip.AddrPort]*serverConn
	clients map[netip.AddrPort]*clientConn
	conns   []*clientConn // in the order of Dial; servers receive from these connections
	taps    []func(from, to netip.AddrPort, datagram []byte)
}

// NewNetwork makes a network without ends. The clock must not run backwards.
func NewNetwork(seed uint64, clock func() time.Time) *Network {
	// use is the second half of the generator's state. Because of it, a game that seeds its own
	// generator with the same number draws other values.
	const use = 0x6e657473696d
	return &Network{
		clock:   clock,
		seeds:   rand.New(rand.NewPCG(seed, use)),
		servers: make(map[netip.AddrPort]*serverConn),
		clients: make(map[netip.AddrPort]*clientConn),
	}
}

// Listener makes a server's end with its own address, which stays the same for every Listen.
func (n *Network) Listener() *Listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	return &Listener{network: n, addr: n.newAddress()}
}

// Line makes a player's line to the servers of this network. Its link is perfect at first.
func (n *Network) Line() *Line { return &Line{network: n} }

// Tap calls f with every datagram that an end sends from now on, including those that will be lost.
// The bytes are valid until f returns; f must not call the network.
func (n *Network) Tap(f func(from, to netip.AddrPort, datagram []byte)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taps = append(n.taps, f)
}

func (n *Network) callTaps(from, to netip.AddrPort, datagram []byte) {
	for _, f := range n.taps {
		f(from, to, datagram)
	}
}

func (n *Network) newAddress() netip.AddrPort {
	n.last++
	host := [16]byte{0: 0xfd}
	binary.BigEndian.PutUint64(host[8:], n.last)
	return netip.AddrPortFrom(netip.AddrFrom16(host), networkPort)
}

// openConn makes a client's end; the caller holds the lock.
func (n *Network) openConn(line *Line, server netip.AddrPort) (*clientConn, error) {
	up, err := conditioner.NewLink(line.link.Up, n.seeds.Uint64())
	if err != nil {
		return nil, err
	}
	down, err := conditioner.NewLink(line.link.Down, n.seeds.Uint64())
	if err != nil {
		return nil, err
	}
	c := &clientConn{network: n, line: line, addr: n.newAddress(), server: server, up: up, down: down}
	n.clients[c.addr] = c
	n.conns = append(n.conns, c)
	return c, nil
}

// earliest returns the client with the next datagram to reach a server, or nil if none is due.
// It also removes closed clients without datagrams in flight.
func (n *Network) earliest(server netip.AddrPort, now time.Time) *clientConn {
	var first *clientConn
	var firstAt time.Time
	kept := n.conns[:0]
	for _, c := range n.conns {
		at, any := c.up.Next()
		if any || !c.closed {
			kept = append(kept, c)
		}
		if any && c.server == server && !at.After(now) && (first == nil || at.Before(firstAt)) {
			first, firstAt = c, at
		}
	}
	clear(n.conns[len(kept):])
	n.conns = kept
	return first
}

// dropInFlight discards the datagrams in flight to a server.
func (n *Network) dropInFlight(server netip.AddrPort) {
	for c := n.earliest(server, endOfTime); c != nil; c = n.earliest(server, endOfTime) {
		c.up.Pop(endOfTime)
	}
}

// endOfTime is later than any arrival.
var endOfTime = origin.AddDate(1000, 0, 0)
