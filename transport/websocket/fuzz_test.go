//go:build !js && !wasip1

package websocket_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/transport/websocket"
)

// FuzzFrames writes arbitrary bytes where frames are expected, as a stranger and as a client. In
// each case the server forgets the WebSocket and keeps running.
//
// Proves: Z18
func FuzzFrames(f *testing.F) {
	for _, seed := range [][]byte{
		frame(opBinary, "hello"), frame(opText, "hello"), frame(opClose, "\x03\xe8bye"), frame(opPing, "?"), frame(opPong, ""),
		append(head(false, opBinary, 2), append([]byte("ab"), frame(opMore, "c")...)...),
		append(head(false, opBinary, 0), frame(opPing, "")...),
		head(true, opBinary, 1<<62),
		{0x82, 0x05},
		{0xff, 0xff},
	} {
		f.Add(true, seed)
		f.Add(false, seed)
	}
	server := listen(f, loopback().Within(websocket.Times{Goodbye: 5 * time.Millisecond}))
	f.Fuzz(func(t *testing.T, admitted bool, bytes []byte) {
		client := dialRaw(t, server.LocalAddr())
		if admitted {
			meet(t, server, client)
		}
		client.write(bytes)
		_ = client.Conn.(*net.TCPConn).CloseWrite()
		client.closed()
		drain(server)
		eventually(t, func() bool { return server.Stats().Open == 0 && server.Stats().Pending == 0 })
	})
}

// FuzzRequests writes arbitrary bytes where a request is expected.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"GET /entangle HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
			"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nOrigin: http://x\r\n\r\n\x82\x80\x00\x00\x00\x00",
		"GET / HTTP/1.0\r\n\r\n", "POST /entangle HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "\x16\x03\x01\x02\x00",
	} {
		f.Add([]byte(seed))
	}
	server := listen(f, loopback().Within(websocket.Times{Goodbye: 5 * time.Millisecond, Header: time.Second}))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		client := connect(t, server.LocalAddr())
		client.write(bytes)
		_ = client.Conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, client.in)
		drain(server)
		eventually(t, func() bool { return server.Stats().Open == 0 && server.Stats().Pending == 0 })
		require.Equal(t, 101, connectAndAsk(t, server), "still open to others")
		eventually(t, func() bool { return server.Stats().Open == 0 })
	})
}

// drain receives all waiting datagrams: the rest of a round, and the next round.
func drain(server *websocket.Conn) {
	buf := make([]byte, 2048)
	for range 2 {
		for _, _, err := server.Receive(buf); err == nil; _, _, err = server.Receive(buf) {
			continue
		}
	}
}

func connectAndAsk(t testing.TB, server *websocket.Conn) int {
	client := connect(t, server.LocalAddr())
	defer client.Close()
	return client.ask()
}
