//go:build !js && !wasip1

package websocket

import (
	"net/http"
	"net/netip"
	"sync"
)

// pendingLimit counts the connections that are not admitted yet, in total and by address.
type pendingLimit struct {
	most, mostPerAddress int

	mu     sync.Mutex
	inside int
	from   map[netip.Addr]int
}

func newPendingLimit(most, mostPerAddress int) *pendingLimit {
	return &pendingLimit{most: most, mostPerAddress: mostPerAddress, from: map[netip.Addr]int{}}
}

// admitAddr counts a connection from an address. It returns 0, or the HTTP status with which to
// refuse it.
func (g *pendingLimit) admitAddr(a netip.Addr) (status int) {
	a = addressBlock(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.from[a] >= g.mostPerAddress:
		return http.StatusTooManyRequests
	case g.inside >= g.most:
		return http.StatusServiceUnavailable
	}
	g.inside++
	g.from[a]++
	return 0
}

func (g *pendingLimit) releaseAddr(a netip.Addr) {
	a = addressBlock(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.from[a]--; g.from[a] == 0 {
		delete(g.from, a)
	}
}

// count returns how many connections are not admitted yet.
func (g *pendingLimit) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside
}

// addressBlock returns the smallest block of addresses that a network provider gives to one
// customer: for IPv6 a /64, in which the customer can take any address.
func addressBlock(a netip.Addr) netip.Addr {
	if a = a.Unmap(); a.Is6() {
		p, _ := a.Prefix(64)
		return p.Addr()
	}
	return a
}
