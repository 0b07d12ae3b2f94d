//go:build js || wasip1

package websocket

import (
	"net/netip"

	"github.com/entangle-ecs/entangle/transport"
)

func (Listener) listen(netip.AddrPort) (transport.Conn, error) { return nil, ErrBrowser }

func (Dialer) dial(netip.AddrPort) (transport.Conn, error) { return nil, ErrBrowser }
