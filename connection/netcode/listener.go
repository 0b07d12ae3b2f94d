package netcode

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// MaxTransports is how many transports one Listener can have.
const MaxTransports = 256

// Listener opens the server's end over one or more transports.
type Listener struct {
	// Over are the transports.
	Over []transport.Listener

	// Key seals the tokens of clients. Zero: the DevKey of the game. With it a server can listen
	// only at loopback addresses and at Conns that are transport.Local.
	Key token.Key

	// PublicAddrs are addresses of this server that tokens may list in addition to those at which
	// it listens.
	PublicAddrs []netip.AddrPort

	// TokenLife is the lifetime of tokens, in whole seconds.
	// 0: token.DefaultLife.
	TokenLife time.Duration
}

// ErrNoTransports is returned by Listen without a transport.
var ErrNoTransports = errors.New("netcode: there is no transport to listen with; " +
	"give at least one listener, such as udp.Listener{Addr: \"127.0.0.1:4000\"}, and none that is nil")

// Listen implements connection.Listener. It fails for invalid fields and for errors of the
// transports.
func (l Listener) Listen(config connection.ServerConfig) (connection.Server, error) {
	s := &server{slots: make([]slot, config.MaxClients)}
	if err := s.openSockets(l.Over); err != nil {
		return nil, err
	}
	if err := s.startSession(l, config); err != nil {
		s.closeSockets()
		return nil, err
	}
	return s, nil
}

// openSockets opens all transports, or none.
func (s *server) openSockets(listeners []transport.Listener) error {
	if len(listeners) == 0 {
		return ErrNoTransports
	}
	if len(listeners) > MaxTransports {
		return fmt.Errorf("netcode: %d transports are more than the %d that one listener can have", len(listeners), MaxTransports)
	}
	for _, l := range listeners {
		if l == nil {
			s.closeSockets()
			return ErrNoTransports
		}
		conn, err := l.Listen()
		if err != nil {
			s.closeSockets()
			return err
		}
		s.sockets = append(s.sockets, socket.NewServer(conn, session.ServerFilter))
	}
	return nil
}

// closeSockets closes the sockets that were opened before an error. It ignores errors of closing,
// because the caller reports the first one.
func (s *server) closeSockets() {
	for _, sock := range s.sockets {
		_ = sock.Close()
	}
}

// startSession creates the session that all transports share.
func (s *server) startSession(l Listener, config connection.ServerConfig) (err error) {
	s.addrs = append([]netip.AddrPort(nil), l.PublicAddrs...)
	for _, sock := range s.sockets {
		s.addrs = append(s.addrs, sock.Addr())
	}
	c := session.ServerConfig{
		ProtocolID: config.ProtocolID, Key: l.Key, Addresses: s.addrs, MaxClients: config.MaxClients,
		TokenLife: l.TokenLife, Entropy: config.Entropy, Start: config.Now,
	}
	if c.Key.IsZero() {
		if err := s.onlyLocal(); err != nil {
			return err
		}
		c.Key, c.Start = DevKey(config.Game), devStart
	}
	s.hints = hints(l.Key.IsZero())
	s.session, err = session.NewServer(c)
	return err
}

func (s *server) onlyLocal() error {
	for _, sock := range s.sockets {
		if !sock.Local() {
			return fmt.Errorf("netcode: a server without a key can't listen on %v, where others could reach it; "+
				"set ServerConfig.Key (token.NewKey makes one) or listen on 127.0.0.1", sock.Addr())
		}
	}
	return nil
}
