package trusted

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/internal/core/plain"
	"github.com/entangle-ecs/entangle/transport"
)

// Listener opens the server's end over one transport. For several transports, pass several
// Listeners to Server.StartWith.
type Listener struct {
	// Over is the transport.
	Over transport.Listener

	// Anywhere lets the server listen at addresses that other machines can reach. They can
	// use the id of any player.
	Anywhere bool

	// Timeout is how long a client may be silent before its connection ends. 0: 5 s;
	// negative: for ever.
	Timeout time.Duration
}

var (
	// ErrNoTransport is returned for a Listener or Dialer without a transport.
	ErrNoTransport = errors.New("trusted: there is no transport; set Over, to udp.Listener{} and udp.Dialer{} for instance")

	// ErrReachable is returned by Listen for an address that other machines can reach.
	ErrReachable = errors.New("trusted: others can reach this address, and whoever does can be any player; " +
		"listen on 127.0.0.1, use netcode (Server.Start), or set Listener.Anywhere if the network is trusted")
)

// Listen implements connection.Listener. It fails for invalid fields and for errors of the
// transport.
func (l Listener) Listen(config connection.ServerConfig) (connection.Server, error) {
	if l.Over == nil {
		return nil, ErrNoTransport
	}
	var secret [32]byte
	if _, err := io.ReadFull(config.Entropy, secret[:]); err != nil {
		return nil, fmt.Errorf("trusted: ServerConfig.Entropy: %w", err)
	}
	conn, err := l.Over.Listen()
	if err != nil {
		return nil, err
	}
	s := &server{socket: socket.NewServer(conn, plain.ServerFilter), slots: make([]slot, config.MaxClients)}
	if !l.Anywhere && !s.socket.Local() {
		_ = conn.Close()
		return nil, fmt.Errorf("%w (it is %v)", ErrReachable, s.socket.Addr())
	}
	s.core = plain.NewServer(plain.ServerConfig{
		ProtocolID: config.ProtocolID, MaxClients: config.MaxClients, Secret: secret, Timeout: l.Timeout, Start: config.Now,
	})
	return s, nil
}
