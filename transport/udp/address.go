package udp

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// parseAddress reads host:port as the field named by field gives it. Names are
// not resolved: which of a name's addresses a socket is bound to would be
// chance. An empty host is the wildcard of both families.
func parseAddress(field, text string) (netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(text)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("udp: %s %q is not host:port; write for example \"127.0.0.1:40000\", or \":40000\" for every interface", field, text)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("udp: %s %q: port %q is not a number from 0 to 65535", field, text, portText)
	}
	addr, err := parseHost(host)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("udp: %s %q: %q is not an IP address; write the address of an interface of this machine, \"localhost\", or nothing for every interface", field, text, host)
	}
	return netip.AddrPortFrom(addr, uint16(port)), nil
}

func parseHost(host string) (netip.Addr, error) {
	switch host {
	case "":
		return netip.IPv6Unspecified(), nil
	case "localhost":
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	addr, err := netip.ParseAddr(host)
	return addr.Unmap(), err
}

// networkOf is the name that package net has for sockets bound to addr. The
// IPv6 wildcard alone serves both families.
func networkOf(addr netip.Addr) string {
	switch {
	case addr.Is4():
		return "udp4"
	case addr == netip.IPv6Unspecified():
		return "udp"
	default:
		return "udp6"
	}
}

// unmap gives an IPv4 address that came through an IPv6 socket its plain form,
// so that equal peers compare equal.
func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
