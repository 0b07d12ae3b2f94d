package stage

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"syscall"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// listen starts a server that clients reach over UDP.
func (s *Stage) listen() error {
	err := s.serve(udp.Listener{Addr: s.sides.Addr})
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("the port of %s is taken: end what listens there, or choose another with -addr (%w)", s.sides.Addr, err)
	}
	return err
}

// dial starts a client that connects to a server over UDP. Its id is random, because no two
// connected clients may have the same one.
func (s *Stage) dial() error {
	server, err := resolve(s.sides.Addr)
	if err != nil {
		return err
	}
	return s.startClient(udp.Dialer{}, server, entangle.ClientID(rand.Uint64()|1))
}

// resolve finds a server by its name.
func resolve(addr string) (netip.AddrPort, error) {
	resolved, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("addr is %q; write a host and a port, such as %s: %w", addr, DefaultAddr, err)
	}
	server := resolved.AddrPort()
	return netip.AddrPortFrom(server.Addr().Unmap(), server.Port()), nil
}
