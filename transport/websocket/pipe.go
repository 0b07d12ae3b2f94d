//go:build !js && !wasip1

package websocket

import (
	"context"
	"errors"
	"io"
	"strconv"

	"github.com/coder/websocket"

	"github.com/entangle-ecs/entangle"
)

// violation is a reason to close a WebSocket, which is sent to the peer.
type violation struct {
	code websocket.StatusCode
	text string
}

// Error implements error.
func (v violation) Error() string { return v.text }

var (
	errNotBinary = violation{websocket.StatusUnsupportedData, "a datagram is a binary message"}
	errEmptyOne  = violation{websocket.StatusPolicyViolation, "a datagram is not empty"}
	errTooLarge  = violation{websocket.StatusMessageTooBig, "a datagram is at most " + strconv.Itoa(entangle.MaxDatagram) + " bytes"}
)

// forever is the context of every call: the wire enforces deadlines, because a context with
// a deadline costs a timer per message.
var forever = context.Background()

// pipe is one WebSocket that carries datagrams.
type pipe struct {
	ws   *websocket.Conn
	wire *wire
	out  *outbox
}

func newPipe(ws *websocket.Conn, w *wire, out *outbox) pipe {
	ws.SetReadLimit(entangle.MaxDatagram)
	return pipe{ws, w, out}
}

// writeOutbox writes datagrams of the outbox until that is finished. An error means that the
// WebSocket is broken.
func (p *pipe) writeOutbox() error {
	buf := make([]byte, entangle.MaxDatagram)
	for {
		datagram, ok := p.out.waitDatagram(buf)
		if !ok {
			return nil
		}
		if err := p.ws.Write(forever, websocket.MessageBinary, datagram); err != nil {
			return err
		}
	}
}

// readDatagram waits for the next datagram and copies it into buf, which is one byte longer than
// the largest datagram. After any error, including a violation, the caller has to close the
// WebSocket.
func (p *pipe) readDatagram(buf []byte) ([]byte, error) {
	kind, r, err := p.ws.Reader(forever)
	switch {
	case err != nil:
		return nil, err
	case kind != websocket.MessageBinary:
		return nil, errNotBinary
	}
	for n := 0; ; {
		m, err := r.Read(buf[n:])
		n += m
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return nil, errEmptyOne
		case errors.Is(err, io.EOF):
			p.wire.noise.Store(0)
			return buf[:n], nil
		case err != nil && errors.Is(err, websocket.ErrMessageTooBig), n == len(buf):
			return nil, errTooLarge
		case err != nil:
			return nil, err
		}
	}
}

// close closes the WebSocket with a reason. The peer has until the wire's deadlines to
// answer the close frame.
func (p *pipe) close(why error) {
	var v violation
	if errors.As(why, &v) {
		_ = p.ws.Close(v.code, v.text)
		return
	}
	p.wire.cut()
	_ = p.ws.CloseNow()
}
