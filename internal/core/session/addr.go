package session

import (
	"net/netip"
	"slices"
)

// Addr is where a client's datagrams come from and go to. Link tells apart the
// transports of one server, whose addresses may coincide.
type Addr struct {
	Link uint8
	netip.AddrPort
}

// canonical makes an IPv4 address equal to itself written as IPv6.
func (a Addr) canonical() Addr {
	a.AddrPort = netip.AddrPortFrom(a.AddrPort.Addr().Unmap(), a.Port())
	return a
}

// ownAddresses are those that a token may list to be meant for this server.
type ownAddresses []netip.AddrPort

// place returns which of a token's addresses is the first of ours; ok is false if none is.
func (own ownAddresses) place(servers []netip.AddrPort) (place int, ok bool) {
	place = slices.IndexFunc(servers, own.contain)
	return place, place >= 0
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

// thisMachine holds for the wildcard and loopback addresses of both families,
// which all reach the same listener. A wildcard does not stand for a public
// address: a token for another machine's equal port must not be taken here.
func thisMachine(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsUnspecified()
}
