package plugin

import (
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
)

// Causes for which a connection ends or a client is not admitted. ClientDisconnected.Err,
// Client.Err and Player.Err wrap one of them: check with errors.Is. Error returns a sentence for
// people, which says more. A connection layer may report errors of its own; see StartWith.
var (
	// ErrLeft: the client called Disconnect.
	ErrLeft = endpoint.ErrLeft
	// ErrKicked: the game called Server.Disconnect. Error returns the reason that it gave. A reason
	// equal to one of the engine's sentences counts as that on the client.
	ErrKicked = endpoint.ErrKicked
	// ErrServerStopped: the server was stopped.
	ErrServerStopped = endpoint.ErrServerStopped
	// ErrTimedOut: nothing arrived from the other side for the timeout.
	ErrTimedOut = connection.ErrTimedOut
	// ErrClosed: the other side ended the connection, but its reason was lost.
	ErrClosed = connection.ErrClosed
	// ErrTransport: the client's socket failed. The error wraps that of the transport as well.
	ErrTransport = connection.ErrTransport

	// ErrNoAnswer: no server answers there, or it refuses the client's token, which servers do in
	// silence.
	ErrNoAnswer = connection.ErrNoAnswer
	// ErrServerFull: ServerConfig.MaxClients are connected. Try again later.
	ErrServerFull = connection.ErrServerFull
	// ErrAlreadyConnected: the client's id is connected already.
	ErrAlreadyConnected = connection.ErrAlreadyConnected
	// ErrInvalidID: the client's id is entangle.Nobody or that of a host's own player.
	ErrInvalidID = endpoint.ErrInvalidID
	// ErrTokenExpired: the token's life ended before the client was connected. Get a new one.
	ErrTokenExpired = connection.ErrTokenExpired
	// ErrProtocolMismatch: the two sides register different things: they are builds of different
	// versions of the game.
	ErrProtocolMismatch = connection.ErrProtocolMismatch

	// ErrProtocolBroken: one side sent malformed bytes.
	ErrProtocolBroken = endpoint.ErrProtocolBroken
	// ErrTooSlow: reliable messages piled up, because one side received them too slowly.
	ErrTooSlow = endpoint.ErrTooSlow
	// ErrOverQuota: the client caused more work than ServerConfig.MaxWorkPerClient for too long.
	ErrOverQuota = endpoint.ErrOverQuota
	// ErrOverLimit: the server exceeded ClientConfig.MaxEntities or MaxWaitingBytes.
	ErrOverLimit = endpoint.ErrOverLimit
)
