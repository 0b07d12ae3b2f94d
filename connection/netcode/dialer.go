package netcode

import (
	"errors"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Dialer opens a client's end. It tries the servers that the token lists, one after the
// other, until one accepts it.
type Dialer struct {
	// Over is the transport.
	Over transport.Dialer

	// Token is the client's token. It admits once: dial again with a new one.
	Token token.Token
}

// ErrNoTransport is returned by Dial without a transport.
var ErrNoTransport = errors.New("netcode: there is no transport to dial with; give one, such as udp.Dialer{}")

// Dial implements connection.Dialer. It fails for an invalid token and for errors of the transport.
func (d Dialer) Dial(config connection.ClientConfig) (connection.Client, error) {
	if d.Over == nil {
		return nil, ErrNoTransport
	}
	c := &client{
		over: d.Over, game: config.Game, dev: isDev(d.Token, config.Game), session: session.NewClient(session.ClientConfig{Token: d.Token}),
	}
	if err := c.session.Connect(config.Now); err != nil {
		return nil, err
	}
	if err := c.dial(); err != nil {
		return nil, err
	}
	return c, nil
}
