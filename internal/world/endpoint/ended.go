package endpoint

import (
	"errors"
	"slices"
	"strings"

	"github.com/entangle-ecs/entangle/connection"
)

// Causes for which one side ends a connection, in addition to those of package connection. A side
// that ends one sends the text of its error to the other side, which recognises the cause by it.
var (
	ErrLeft           = errors.New("the client left")
	ErrKicked         = errors.New("the server disconnected the client")
	ErrServerStopped  = errors.New("the server stopped")
	ErrInvalidID      = errors.New("the client id is that of no player, or of the host's own")
	ErrProtocolBroken = errors.New("it broke the protocol")
	ErrTooSlow        = errors.New("it was too slow to receive")
	ErrOverQuota      = errors.New("it sent more than the server takes from one client")
	ErrOverLimit      = errors.New("the server replicates more than this client takes")
)

// ended is the error of a connection that ended, with a text in addition to the causes.
type ended struct {
	text   string // the goodbye; may be empty
	causes []error
}

func endedBy(text string, causes ...error) error { return &ended{text, causes} }

// Error returns the text, or that of the first cause.
func (e *ended) Error() string {
	if e.text == "" {
		return e.causes[0].Error()
	}
	return e.text
}

// Unwrap returns the causes.
func (e *ended) Unwrap() []error { return e.causes }

// goodbyeOf returns the text that is sent to the other side when a connection ends.
func goodbyeOf(err error) string {
	if e := (*ended)(nil); errors.As(err, &e) {
		return e.text
	}
	return err.Error()
}

var (
	errNobody   = endedBy("it has no client id", ErrInvalidID)
	errReserved = endedBy("its client id is that of the host's own player; mint its token for another id", ErrInvalidID)
)

// Beginnings of goodbyes.
const (
	serverBrokeProtocol = "the server broke the protocol: "
	serverTooSlow       = "the server takes in too little: "
)

// errorOfServer returns the error for the goodbye of a server that ended a connection.
func errorOfServer(goodbye string) error {
	sent := []error{
		ErrServerStopped, connection.ErrServerFull, connection.ErrAlreadyConnected, errNobody, errReserved, ErrProtocolBroken, ErrTooSlow,
		ErrOverQuota, connection.ErrTimedOut, connection.ErrClosed,
	}
	if i := slices.IndexFunc(sent, func(err error) bool { return err.Error() == goodbye }); i >= 0 {
		return sent[i]
	}
	if isMismatch(goodbye) {
		return endedBy(goodbye, connection.ErrProtocolMismatch)
	}
	return endedBy(goodbye, ErrKicked)
}

// errorOfClient returns the error for the goodbye of a client that ended a connection. A client can
// send any text, so the causes of the error are only those for which clients leave.
func errorOfClient(goodbye string) error {
	switch {
	case strings.HasPrefix(goodbye, serverBrokeProtocol):
		return endedBy(goodbye, ErrProtocolBroken)
	case strings.HasPrefix(goodbye, serverTooSlow):
		return endedBy(goodbye, ErrTooSlow)
	case strings.Contains(goodbye, "ClientConfig.Max"):
		return endedBy(goodbye, ErrOverLimit)
	case isMismatch(goodbye):
		return endedBy(goodbye, connection.ErrProtocolMismatch)
	}
	return endedBy(goodbye, ErrLeft)
}

// isMismatch reports whether a peer sent this goodbye because the protocols differ.
func isMismatch(goodbye string) bool {
	return strings.HasPrefix(goodbye, "protocols differ: ") || strings.HasPrefix(goodbye, "no hello: ")
}

// errorOfLayer returns the error of a connection that ended with a Disconnected event of the
// connection layer. err is the error of that event. If err is a goodbye, ofGoodbye returns the error
// for it. At a server, ErrClosed means that the client has left.
func errorOfLayer(err error, ofGoodbye func(string) error, server bool) error {
	var goodbye connection.Goodbye
	switch {
	case errors.As(err, &goodbye):
		return ofGoodbye(string(goodbye))
	case server && errors.Is(err, connection.ErrClosed):
		return endedBy(err.Error(), ErrLeft, err)
	}
	return err
}
