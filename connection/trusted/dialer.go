package trusted

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
	"github.com/entangle-ecs/entangle/internal/core/plain"
	"github.com/entangle-ecs/entangle/transport"
)

// Dialer opens clients' ends. It can be used any number of times.
type Dialer struct {
	// Over is the transport.
	Over transport.Dialer

	// Server is the address of the server.
	Server netip.AddrPort

	// Client is the id of this client. Any id that is not connected is accepted, except
	// entangle.Nobody.
	Client entangle.ClientID

	// UserData is sent to the server, at most connection.MaxUserData bytes.
	UserData []byte

	// Timeout is how long the server may be silent before the connection, or the attempt,
	// ends. 0: 5 s; negative: for ever.
	Timeout time.Duration
}

var (
	// ErrNobody is returned by Dial for a client without an id.
	ErrNobody = errors.New("trusted: Dialer.Client is entangle.Nobody; choose an id that no other client has")

	// ErrNoServer is returned by Dial for a server without an address.
	ErrNoServer = errors.New("trusted: Dialer.Server is no address; give the one that the server listens at, with its port")

	// ErrUserData is returned by Dial for user data that is too long.
	ErrUserData = fmt.Errorf("trusted: Dialer.UserData is longer than %d bytes; send the rest in a message", connection.MaxUserData)
)

// Dial implements connection.Dialer. It fails for invalid fields and for errors of the transport.
func (d Dialer) Dial(config connection.ClientConfig) (connection.Client, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	var number [8]byte
	if _, err := io.ReadFull(config.Entropy, number[:]); err != nil {
		return nil, fmt.Errorf("trusted: ClientConfig.Entropy: %w", err)
	}
	conn, err := d.Over.Dial(d.Server)
	if err != nil {
		return nil, err
	}
	core := plain.NewClient(plain.ClientConfig{
		ProtocolID: config.ProtocolID, Client: d.Client, UserData: d.UserData,
		Number: binary.LittleEndian.Uint64(number[:]), Timeout: d.Timeout, Start: config.Now,
	})
	return &client{core: core, socket: socket.New(conn), server: d.Server, now: config.Now}, nil
}

func (d *Dialer) check() error {
	switch {
	case d.Over == nil:
		return ErrNoTransport
	case d.Client == entangle.Nobody:
		return ErrNobody
	case !d.Server.IsValid() || d.Server.Port() == 0 || d.Server.Addr().IsUnspecified():
		return ErrNoServer
	case len(d.UserData) > connection.MaxUserData:
		return ErrUserData
	}
	return nil
}
