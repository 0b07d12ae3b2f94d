//go:build !js && !wasip1

package udp

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

func listen(addr netip.AddrPort, o options) (*Conn, error) {
	socket, err := net.ListenUDP(networkOf(addr.Addr()), socketAddr(addr))
	if err != nil {
		return nil, fmt.Errorf("udp: cannot listen at %v%s: %w", addr, advice(err), err)
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
		return nil, fmt.Errorf("udp: cannot reach %v from %v%s: %w", server, local, advice(err), err)
	}
	return newConn(socket, server, o), nil
}

// socketAddr leaves the host of a wildcard out, so that a machine without IPv6
// can still listen at ":port".
func socketAddr(a netip.AddrPort) *net.UDPAddr {
	if a.Addr() == netip.IPv6Unspecified() {
		return &net.UDPAddr{Port: int(a.Port())}
	}
	return net.UDPAddrFromAddrPort(a)
}

// advice says what to do about the errors that set-ups run into.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return " (another socket has this port: stop that program, or choose another port, or 0 for any)"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return " (no interface of this machine has this address: use one that has, or leave the host out)"
	case errors.Is(err, syscall.EACCES):
		return " (this port is reserved for the system: choose one from 1024 on)"
	default:
		return ""
	}
}
