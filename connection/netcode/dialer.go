package netcode

import (
	"errors"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Dialer opens a client's end: it goes to the servers that the token lists, one after the
// other, until one lets it in.
type Dialer struct {
	// Over is the transport.
	Over transport.Dialer

	// Token that the client shows. It admits once: dial with another one next time.
	Token token.Token
}

// ErrNoTransport is what Dial returns when there is nothing to dial with.
var ErrNoTransport = errors.New("netcode: there is no transport to dial with; give one, such as udp.Dialer{}")

// Dial implements connection.Dialer. The errors are about the token and the transport.
func (d Dialer) Dial(config connection.ClientConfig) (connection.Client, error) {
	if d.Over == nil {
		return nil, ErrNoTransport
	}
	c := &client{over: d.Over, dev: isDev(d.Token, config.Game), session: session.NewClient(session.ClientConfig{Token: d.Token})}
	if err := c.session.Connect(config.Now); err != nil {
		return nil, err
	}
	if err := c.dial(); err != nil {
		return nil, err
	}
	return c, nil
}
