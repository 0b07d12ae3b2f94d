package session

import (
	"net/netip"
	"slices"
)

// Addr is the address of a client. Link distinguishes the transports of one server, because two of
// them may have clients with the same address.
type Addr struct {
	Link uint8
	netip.AddrPort
}

// canonical converts an IPv4 address in IPv6 form to IPv4, so that both forms are equal.
func (a Addr) canonical() Addr {
	a.AddrPort = netip.AddrPortFrom(a.AddrPort.Addr().Unmap(), a.Port())
	return a
}

// ownAddresses are the addresses by which a token may list this server.
type ownAddresses []netip.AddrPort

// indexIn returns the index of the first address in a token's list that is this server's. ok is
// false if there is none.
func (own ownAddresses) indexIn(servers []netip.AddrPort) (at int, ok bool) {
	at = slices.IndexFunc(servers, own.contain)
	return at, at >= 0
}

func (own ownAddresses) contain(server netip.AddrPort) bool {
	for _, a := range own {
		if a.Port() != server.Port() {
			continue
		}
		if a.Addr().Unmap() == server.Addr().Unmap() {
			return true
		}
		if thisMachine(a.Addr()) && thisMachine(server.Addr()) {
			return true
		}
	}
	return false
}

// thisMachine reports whether ip is a wildcard or loopback address of either IP version; all of
// these reach the same listener. A wildcard does not stand for a public address, because a token
// for another machine with the same port must not be accepted.
func thisMachine(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsUnspecified()
}
