//go:build !js && !wasip1

package websocket_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// A message that is not a datagram closes its WebSocket with a status that names the
// reason, and no other WebSocket.
func TestInvalidMessagesCloseTheirWebSocket(t *testing.T) {
	server := listen(t, loopback())
	other := dialRaw(t, server.LocalAddr())
	meet(t, server, other)
	large := strings.Repeat("x", entangle.MaxDatagram+1)
	for name, c := range map[string]struct {
		bytes []byte
		want  int
	}{
		"text":          {frame(opText, "hello"), 1003},
		"empty":         {frame(opBinary, ""), 1008},
		"too large":     {frame(opBinary, large), 1009},
		"far too large": {head(true, opBinary, 1<<62), 1009},
		"in parts": {append(append(head(false, opBinary, 1000), large[:1000]...),
			append(head(true, opMore, 1000), large[:1000]...)...), 1009},
		"compressed":        {append([]byte{0xc2}, frame(opBinary, "hello")[1:]...), 1002},
		"no such opcode":    {frame(3, "hello"), 1002},
		"half a message":    {append(head(false, opBinary, 1), "a\x82\x80\x00\x00\x00\x00"...), 1002},
		"a loose end":       {frame(opMore, "hello"), 1002},
		"a large ping":      {frame(opPing, large), 1002},
		"a fragmented ping": {head(false, opPing, 0), 1002},
		"a wrong status":    {frame(opClose, "\x00\x01"), 1002},
		"half a status":     {frame(opClose, "\x03"), 1002},
		"negative length":   {head(true, opBinary, 1<<63), 0},
		"unmasked":          {[]byte("\x82\x05hello"), 0},
		"no close frame":    {nil, 0},
	} {
		client := dialRaw(t, server.LocalAddr())
		meet(t, server, client)
		client.write(c.bytes)
		if c.bytes == nil {
			require.NoError(t, client.Close())
			continue
		}
		if name == "far too large" {
			client.write([]byte(large))
		}
		status, _ := client.closed()
		assert.Equal(t, c.want, status, name)
	}
	eventually(t, func() bool { return server.Stats().Open == 1 })
	assert.EqualValues(t, 16, server.Stats().Broken)
	require.True(t, other.write(frame(opBinary, "still here")))
	text, _ := hear(t, server)
	assert.Equal(t, "still here", text)
}

// If a client or a stranger sends ten megabytes in one message, whole or in fragments, the server
// reads no more of it than a datagram may have.
//
// Proves: Z18
func TestALargeMessageIsNotHeldInMemory(t *testing.T) {
	const total, piece = 10 << 20, 16 << 10
	chunk := make([]byte, piece)
	for name, c := range map[string]struct {
		start, each []byte
	}{
		"one frame":   {head(true, opBinary, total), nil},
		"many frames": {head(false, opBinary, 0), head(false, opMore, piece)},
	} {
		for _, admitted := range []bool{true, false} {
			server := listen(t, loopback())
			client := dialRaw(t, server.LocalAddr())
			if admitted {
				meet(t, server, client)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for ok, sent := client.write(c.start), 0; ok && sent < total; sent += piece {
				ok = client.write(c.each) && client.write(chunk)
			}
			eventually(t, func() bool { return server.Stats().Open == 0 }, name)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), name)
			assert.EqualValues(t, 1, server.Stats().Broken, name)
		}
	}
}

// A flood of pings, or of empty fragments of a message that never ends, closes the WebSocket, and
// few pings are answered.
func TestNoiseClosesTheWebSocket(t *testing.T) {
	for name, c := range map[string]struct{ start, each []byte }{
		"pings":       {nil, frame(opPing, "")},
		"long pings":  {nil, frame(opPing, strings.Repeat("p", 125))},
		"pongs":       {nil, frame(opPong, "")},
		"empty parts": {head(false, opBinary, 0), head(false, opMore, 0)},
	} {
		server := listen(t, loopback())
		client := dialRaw(t, server.LocalAddr())
		meet(t, server, client)
		go func() {
			for ok := client.write(c.start); ok; {
				ok = client.write(c.each)
			}
		}()
		_, before := client.closed()
		assert.LessOrEqual(t, before[opPong], 1, name)
		eventually(t, func() bool { return server.Stats().Open == 0 }, name)
	}
}

// A stranger's flood of pings is not even read.
func TestAStrangersNoiseStaysOutside(t *testing.T) {
	server := listen(t, loopback().Within(websocket.Times{Admit: 100 * time.Millisecond}))
	client := dialRaw(t, server.LocalAddr())
	go func() {
		for client.write(frame(opPing, "")) {
			continue
		}
	}()
	_, before := client.closed()
	assert.LessOrEqual(t, before[opPong], 1)
	assert.EqualValues(t, 1, server.Stats().Expired)
}

// Some pings are answered: a proxy may check that the server is alive.
func TestAPingIsAnswered(t *testing.T) {
	server := listen(t, loopback())
	client := dialRaw(t, server.LocalAddr())
	meet(t, server, client)
	for range 3 {
		require.True(t, client.write(frame(opPing, "there?")))
		opcode, payload := client.next()
		assert.EqualValues(t, opPong, opcode)
		assert.Equal(t, "there?", string(payload))
		require.True(t, client.write(frame(opBinary, "a datagram")))
		hear(t, server)
	}
}

// A client that floods gets its share of the queue and is then not read until the game has emptied
// the queue. No datagram is lost, and the datagrams of others do not wait long.
func TestAFloodWaitsForTheGame(t *testing.T) {
	const flood = 1000
	l := loopback()
	l.Limits.Queue = 2*websocket.ClientShare + 1 // a share for each of two rounds, see pace
	server := listen(t, l)
	loud, quiet := dialRaw(t, server.LocalAddr()), dialRaw(t, server.LocalAddr())
	meet(t, server, loud)
	meet(t, server, quiet)
	_, _, err := server.Receive(make([]byte, entangle.MaxDatagram))
	require.ErrorIs(t, err, transport.ErrEmpty)
	go func() {
		for i := range flood {
			loud.write(frame(opBinary, numbered(i)))
		}
	}()
	eventually(t, func() bool { return server.Stats().Received == 2+websocket.ClientShare })
	require.True(t, quiet.write(frame(opBinary, "from the other client")))
	eventually(t, func() bool { return server.Stats().Received == 3+websocket.ClientShare })
	for i := range websocket.ClientShare {
		text, _ := hear(t, server)
		require.Equal(t, numbered(i), text)
	}
	text, _ := hear(t, server)
	assert.Equal(t, "from the other client", text)
	for i := websocket.ClientShare; i < flood; i++ {
		text, _ := hear(t, server)
		require.Equal(t, numbered(i), text)
	}
	assert.Zero(t, server.Stats().QueueFull)
}

// When too many clients send too much, the newest datagrams are lost and counted.
func TestAFullQueueDropsTheNewest(t *testing.T) {
	l := loopback()
	l.Limits.Queue = 3
	server := listen(t, l)
	client := dialRaw(t, server.LocalAddr())
	meet(t, server, client)
	for i := range 5 {
		require.True(t, client.write(frame(opBinary, numbered(i))))
	}
	eventually(t, func() bool { return server.Stats().QueueFull == 2 })
	for i := range 3 {
		text, _ := hear(t, server)
		assert.Equal(t, numbered(i), text)
	}
}
