package connection

import "errors"

// Causes for which a connection ends, or an attempt to connect fails. The Err of a Disconnected
// event is or wraps one of them, or an error of the layer's own if none of these fits.
var (
	// ErrTimedOut: nothing has arrived from the other side for the timeout.
	ErrTimedOut = errors.New("timed out: no packets from the other side")
	// ErrClosed: the other side has ended the connection, without a reason that arrived.
	ErrClosed = errors.New("the other side disconnected")
	// ErrNoAnswer: no server answers, or it refuses the client in silence.
	ErrNoAnswer = errors.New("no answer")
	// ErrServerFull: as many clients are connected as the server admits.
	ErrServerFull = errors.New("the server is full")
	// ErrAlreadyConnected: the client's id is connected already.
	ErrAlreadyConnected = errors.New("a client with this id is connected already")
	// ErrProtocolMismatch: the two sides run different games, or different versions of one.
	ErrProtocolMismatch = errors.New("protocols differ")
	// ErrTokenExpired: the life of the connect token ended before the client was connected.
	ErrTokenExpired = errors.New("the connect token expired")
	// ErrTransport: the transport below failed on this side.
	ErrTransport = errors.New("the transport failed")
)

// Goodbye is the Err of a Disconnected event if the other side passed a reason to Disconnect or
// Close. Its text is that reason. Layers that do not carry reasons report ErrClosed instead.
type Goodbye string

// Error returns the reason.
func (g Goodbye) Error() string { return string(g) }
