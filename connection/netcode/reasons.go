package netcode

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/session"
)

// reasonErrors are the errors of package connection for the reasons of a session. The other reasons
// are caused by this side, and are not reported.
var reasonErrors = map[session.Reason]error{
	session.ReasonTimedOut: connection.ErrTimedOut,
	session.ReasonPeerLeft: connection.ErrClosed,
	session.ReasonDenied:   fmt.Errorf("denied: %w", connection.ErrServerFull),
	session.ReasonRequestTimedOut: fmt.Errorf("%w: nothing listens there, or the server refused the token (sealed with another key than the server's, expired, "+
		"used before, for another server or protocol.Config.Name, or older than the server), or this client is still connected", connection.ErrNoAnswer),
	session.ReasonResponseTimedOut: fmt.Errorf("%w to the response", connection.ErrNoAnswer),
	session.ReasonTokenExpired:     connection.ErrTokenExpired,
}

// errorOf returns the error for the end of a session.
func errorOf(r session.Reason) error {
	if err, ok := reasonErrors[r]; ok {
		return err
	}
	return errors.New(r.String())
}
