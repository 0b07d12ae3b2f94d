//go:build !js && !wasip1

package udp

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/entangle-ecs/entangle/transport/internal/address"
)

func listen(addr netip.AddrPort, o options) (*Conn, error) {
	socket, err := net.ListenUDP(address.Network("udp", addr.Addr()), socketAddr(addr))
	if err != nil {
		return nil, fmt.Errorf("udp: cannot listen at %v%s: %w", addr, address.Advice(err), err)
	}
	return newConn(socket, netip.AddrPort{}, o), nil
}

func dial(local, server netip.AddrPort, o options) (*Conn, error) {
	network := "udp6"
	if server.Addr().Is4() {
		network = "udp4"
	}
	socket, err := net.DialUDP(network, socketAddr(local), socketAddr(server))
	if err != nil {
		return nil, fmt.Errorf("udp: cannot reach %v from %v%s: %w", server, local, address.Advice(err), err)
	}
	return newConn(socket, server, o), nil
}

// socketAddr omits the host of a wildcard, so that a machine without IPv6 can still
// listen at ":port".
func socketAddr(a netip.AddrPort) *net.UDPAddr {
	if a.Addr() == netip.IPv6Unspecified() {
		return &net.UDPAddr{Port: int(a.Port())}
	}
	return net.UDPAddrFromAddrPort(a)
}
