//go:build !js && !wasip1

package websocket_test

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // the RFC asks for it
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// Opcodes of RFC 6455, section 5.2.
const (
	opMore, opText, opBinary, opClose, opPing, opPong = 0, 1, 2, 8, 9, 10
)

// patience is how long a test waits before it fails.
const patience = 10 * time.Second

// raw is a client that writes every byte itself, so that it can break every rule.
type raw struct {
	net.Conn
	t  testing.TB
	in *bufio.Reader
}

// connect opens a TCP connection and says nothing yet.
func connect(t testing.TB, addr netip.AddrPort) *raw {
	t.Helper()
	c, err := net.Dial("tcp", addr.String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	return &raw{Conn: c, t: t, in: bufio.NewReader(c)}
}

// ask requests a WebSocket, with additional headers, and returns the status of the response.
func (r *raw) ask(headers ...string) int {
	r.t.Helper()
	request := "GET " + websocket.DefaultPath + " HTTP/1.1\r\nHost: " + r.RemoteAddr().String() +
		"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
	for _, h := range headers {
		request += h + "\r\n"
	}
	_, err := io.WriteString(r, request+"\r\n")
	require.NoError(r.t, err)
	answer, err := http.ReadResponse(r.in, nil)
	require.NoError(r.t, err)
	_ = answer.Body.Close()
	return answer.StatusCode
}

// dialRaw opens a WebSocket.
func dialRaw(t testing.TB, addr netip.AddrPort) *raw {
	t.Helper()
	r := connect(t, addr)
	require.Equal(t, http.StatusSwitchingProtocols, r.ask())
	return r
}

// head returns the header of a client's frame with a zero mask, which leaves bytes
// unchanged.
func head(last bool, opcode byte, length uint64) []byte {
	b := []byte{opcode, 0x80 | 127}
	if last {
		b[0] |= 0x80
	}
	b = binary.BigEndian.AppendUint64(b, length)
	return append(b, 0, 0, 0, 0)
}

func frame(opcode byte, payload string) []byte {
	return append(head(true, opcode, uint64(len(payload))), payload...)
}

// write returns false if the other side has closed the connection.
func (r *raw) write(b []byte) bool {
	_, err := r.Write(b)
	return err == nil
}

// next reads one frame from the server. On an error it returns the opcode 0xff.
func (r *raw) next() (opcode byte, payload []byte) {
	var b [2]byte
	if _, err := io.ReadFull(r.in, b[:]); err != nil {
		return 0xff, []byte(err.Error())
	}
	length := int(b[1])
	if length == 126 {
		var l [2]byte
		_, _ = io.ReadFull(r.in, l[:])
		length = int(binary.BigEndian.Uint16(l[:]))
	}
	payload = make([]byte, length)
	_, _ = io.ReadFull(r.in, payload)
	return b[0] & 0x0f, payload
}

// closed reads until the server closes the connection. It returns the status of the close frame,
// and counts the frames before it by opcode.
func (r *raw) closed() (status int, before map[byte]int) {
	r.t.Helper()
	before = map[byte]int{}
	for {
		switch opcode, payload := r.next(); {
		case opcode == opClose && len(payload) >= 2:
			return int(binary.BigEndian.Uint16(payload)), before
		case opcode == 0xff:
			return 0, before
		default:
			before[opcode]++
		}
	}
}

// listen opens a server that is closed with the test.
func listen(t testing.TB, l transport.Listener) *websocket.Conn {
	t.Helper()
	c, err := l.Listen()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c.(*websocket.Conn)
}

// loopback is a listener at a free port.
func loopback() websocket.Listener { return websocket.Listener{Addr: "127.0.0.1:0"} }

func dial(t testing.TB, d websocket.Dialer, server netip.AddrPort) transport.Conn {
	t.Helper()
	c, err := d.Dial(server)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// eventually polls in the goroutine of the test until ok.
func eventually(t testing.TB, ok func() bool, what ...any) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(100 * time.Microsecond) {
		require.True(t, time.Now().Before(deadline), what...)
	}
}

// hear returns the next datagram.
func hear(t testing.TB, c transport.Conn) (string, netip.AddrPort) {
	t.Helper()
	buf := make([]byte, entangle.MaxDatagram)
	var n int
	var from netip.AddrPort
	eventually(t, func() (ok bool) {
		var err error
		n, from, err = c.Receive(buf)
		if err != nil {
			require.ErrorIs(t, err, transport.ErrEmpty)
		}
		return err == nil
	}, "no datagram came")
	return string(buf[:n]), from
}

// meet admits the sender of the next datagram.
func meet(t testing.TB, server *websocket.Conn, client *raw) netip.AddrPort {
	t.Helper()
	require.True(t, client.write(frame(opBinary, "hello")))
	text, from := hear(t, server)
	require.Equal(t, "hello", text)
	server.Admit(from)
	return from
}

func send(t testing.TB, c transport.Conn, to netip.AddrPort, text string) int {
	t.Helper()
	sent, err := c.Send([]transport.Datagram{{Addr: to, Data: []byte(text)}})
	require.NoError(t, err)
	return sent
}

// broken waits until Receive fails at a client's end, and returns the error.
func broken(t testing.TB, c transport.Conn) (err error) {
	t.Helper()
	eventually(t, func() bool {
		_, _, err = c.Receive(make([]byte, entangle.MaxDatagram))
		return err != nil && err != transport.ErrEmpty //nolint:errorlint // it is not wrapped
	}, "the client's end does not break")
	return err
}

func numbered(i int) string { return fmt.Sprintf("datagram %d", i) }

// welcome is the answer to a request for a WebSocket, RFC 6455, section 1.3.
func welcome(r *http.Request) string {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // the RFC asks for it
	return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: " +
		base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n"
}
