package endpoint

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
)

// A side that gets a goodbye knows the cause for which the other side ended the connection.
func TestAGoodbyeHasItsCause(t *testing.T) {
	page, err := os.ReadFile("../../../docs/PROTOCOL.md")
	require.NoError(t, err)
	for _, sent := range []error{
		ErrServerStopped, connection.ErrServerFull, connection.ErrAlreadyConnected, errNobody, errReserved, ErrProtocolBroken, ErrTooSlow,
		ErrOverQuota, connection.ErrTimedOut, connection.ErrClosed,
	} {
		assert.Same(t, sent, errorOfServer(goodbyeOf(sent)))
		assert.Contains(t, string(page), "`"+goodbyeOf(sent)+"`")
	}
	for goodbye, cause := range map[string]error{
		"protocols differ: message chat is missing here":  connection.ErrProtocolMismatch,
		"no hello: the peer does not speak this protocol": connection.ErrProtocolMismatch,
		"":          ErrKicked,
		"cheating!": ErrKicked,
	} {
		err := errorOfServer(goodbye)
		assert.ErrorIs(t, err, cause)
		assert.Equal(t, goodbye, goodbyeOf(err))
		assert.NotEmpty(t, err.Error())
	}
	for goodbye, cause := range map[string]error{
		"the client left":                      ErrLeft,
		"":                                     ErrLeft,
		"the server stopped, says the client":  ErrLeft,
		serverBrokeProtocol + "no such entity": ErrProtocolBroken,
		serverTooSlow + "a queue is full":      ErrTooSlow,
		"more structure arrived early than 10 bytes, the limit of ClientConfig.MaxWaitingBytes": ErrOverLimit,
		"protocols differ: component spot is missing there":                                     connection.ErrProtocolMismatch,
	} {
		err := errorOfClient(goodbye)
		assert.ErrorIs(t, err, cause)
		assert.Equal(t, goodbye, goodbyeOf(err))
	}
}

// If a layer reports that a client closed the connection, the client has left, even if its goodbye
// was lost. If a server closed it, the reason is unknown.
func TestAClosedLayerIsAClientThatLeft(t *testing.T) {
	atServer := errorOfLayer(connection.ErrClosed, errorOfClient, true)
	assert.ErrorIs(t, atServer, ErrLeft)
	assert.ErrorIs(t, atServer, connection.ErrClosed)
	assert.Equal(t, "the other side disconnected", goodbyeOf(atServer))
	assert.Equal(t, connection.ErrClosed, errorOfLayer(connection.ErrClosed, errorOfServer, false))
	assert.Equal(t, connection.ErrTimedOut, errorOfLayer(connection.ErrTimedOut, errorOfClient, true))
	assert.ErrorIs(t, errorOfLayer(connection.Goodbye("the client left"), errorOfClient, true), ErrLeft)
}
