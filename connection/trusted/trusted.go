package trusted

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/internal/socket"
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
	// ErrNoTransport is returned for a Listener or Dialer without a transport.
	ErrNoTransport = errors.New("trusted: there is no transport; set Over, to udp.Listener{} and udp.Dialer{} for instance")

	// ErrReachable is returned by Listen for an address that other machines can reach.
	ErrReachable = errors.New("trusted: others can reach this address, and whoever does can be any player; " +
		"listen on 127.0.0.1, use netcode (Server.Start), or set Listener.Anywhere if the network is trusted")

	// ErrNobody is returned by Dial for a client without an id.
	ErrNobody = errors.New("trusted: Dialer.Client is entangle.Nobody; choose an id that no other client has")

	// ErrNoServer is returned by Dial for a server without an address.
	ErrNoServer = errors.New("trusted: Dialer.Server is no address; give the one that the server listens at, with its port")

	// ErrUserData is returned by Dial for user data that is too long.
	ErrUserData = fmt.Errorf("trusted: Dialer.UserData is longer than %d bytes; send the rest in a message", connection.MaxUserData)
)

// Listen implements connection.Listener. It fails for invalid fields and for errors of the
// transport.
func (l Listener) Listen(config connection.ServerConfig) (connection.Server, error) {
	if l.Over == nil {
		return nil, ErrNoTransport
	}
	conn, err := l.Over.Listen()
	if err != nil {
		return nil, err
	}
	filter := func(b []byte, _ bool) bool { return wellFormed(b) } // drops other datagrams on arrival
	s := &end{
		Socket: socket.NewServer(conn, filter), protocolID: config.ProtocolID, byClient: map[entangle.ClientID]int{},
		slots: make([]slot, config.MaxClients), timeout: cmp.Or(l.Timeout, defaultTimeout), now: config.Now,
	}
	if !l.Anywhere && !s.Local() {
		_ = conn.Close()
		return nil, fmt.Errorf("%w (it is %v)", ErrReachable, s.Addr())
	}
	return s, nil
}

// Dial implements connection.Dialer. It fails for invalid fields and for errors of the transport.
func (d Dialer) Dial(config connection.ClientConfig) (connection.Client, error) {
	switch {
	case d.Over == nil:
		return nil, ErrNoTransport
	case d.Client == entangle.Nobody:
		return nil, ErrNobody
	case !d.Server.IsValid() || d.Server.Port() == 0 || d.Server.Addr().IsUnspecified():
		return nil, ErrNoServer
	case len(d.UserData) > connection.MaxUserData:
		return nil, ErrUserData
	}
	var number [8]byte
	if _, err := io.ReadFull(config.Entropy, number[:]); err != nil {
		return nil, fmt.Errorf("trusted: ClientConfig.Entropy: %w", err)
	}
	conn, err := d.Over.Dial(d.Server)
	if err != nil {
		return nil, err
	}
	hello := binary.LittleEndian.AppendUint64(nil, config.ProtocolID)
	hello = append(append(hello, d.UserData...), make([]byte, connection.MaxUserData-len(d.UserData))...)
	s := slot{state: connecting, client: d.Client, number: binary.LittleEndian.Uint64(number[:]), addr: d.Server, lastReceived: config.Now}
	return client{&end{Socket: socket.New(conn), hello: hello, slots: []slot{s}, timeout: cmp.Or(d.Timeout, defaultTimeout), now: config.Now}}, nil
}

// client is the client's end.
type client struct{ *end }

// Send implements connection.Client.
func (c client) Send(payload []byte, now time.Time) { c.end.Send(0, payload, now) }
