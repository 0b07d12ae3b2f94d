//go:build js || wasip1

package udp

import "net/netip"

func listen(netip.AddrPort, options) (*Conn, error) { return nil, ErrNoUDP }

func dial(_, _ netip.AddrPort, _ options) (*Conn, error) { return nil, ErrNoUDP }
