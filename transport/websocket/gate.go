//go:build !js && !wasip1

package websocket

import (
	"net/http"
	"net/netip"
	"sync"
)

// gate counts who is before it, in all and by address.
type gate struct {
	most, mostPerAddress int

	mu     sync.Mutex
	inside int
	from   map[netip.Addr]int
}

func newGate(most, mostPerAddress int) *gate {
	return &gate{most: most, mostPerAddress: mostPerAddress, from: map[netip.Addr]int{}}
}

// enter returns 0, or the HTTP status to refuse with.
func (g *gate) enter(a netip.Addr) (status int) {
	a = household(a)
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

func (g *gate) leave(a netip.Addr) {
	a = household(a)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	if g.from[a]--; g.from[a] == 0 {
		delete(g.from, a)
	}
}

// count returns how many are inside.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside
}

// household is what one customer of a network provider has at least: of IPv6 a whole
// /64, any address of which is free to take.
func household(a netip.Addr) netip.Addr {
	if a = a.Unmap(); a.Is6() {
		p, _ := a.Prefix(64)
		return p.Addr()
	}
	return a
}
