package address

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Parse parses text in the form host:port. field is the name for errors, for example "udp:
// Listener.Addr". Host names are not resolved, because a name may have several addresses and a
// socket is bound to one. An empty host is the wildcard of IPv4 and IPv6.
func Parse(field, text string) (netip.AddrPort, error) {
	host, portText, err := net.SplitHostPort(text)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%s %q is not host:port; write for example \"127.0.0.1:40000\", or \":40000\" for every interface", field, text)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%s %q: port %q is not a number from 0 to 65535", field, text, portText)
	}
	addr, err := parseHost(host)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%s %q: %q is not an IP address; write the address of an interface of this machine, \"localhost\", or nothing for every interface", field, text, host)
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

// Network returns the name that package net uses for sockets of a protocol ("udp" or "tcp") bound
// to addr. Of all addresses, only the IPv6 wildcard serves IPv4 as well.
func Network(protocol string, addr netip.Addr) string {
	switch {
	case addr.Is4():
		return protocol + "4"
	case addr == netip.IPv6Unspecified():
		return protocol
	default:
		return protocol + "6"
	}
}

// Text formats an address for package net. It omits the host of a wildcard, so that a
// machine without IPv6 can still listen at ":port".
func Text(a netip.AddrPort) string {
	if a.Addr() == netip.IPv6Unspecified() {
		return strings.TrimPrefix(a.String(), "[::]")
	}
	return a.String()
}

// Unmap converts an IPv4 address mapped into IPv6 to its plain form, so that the same peer always
// compares equal.
func Unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
