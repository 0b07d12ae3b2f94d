//go:build !js && !wasip1

package websocket

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/entangle-ecs/entangle"
)

// run connects, and then writes and reads until the WebSocket or the Conn is closed.
func (c *ClientConn) run() {
	p, ok := c.connect()
	if !ok {
		return
	}
	c.running.Go(func() {
		c.read(&p)
		c.out.finish()
	})
	err := p.write()
	if err == nil {
		err = errLeft
	}
	p.close(err) // what broke is for the reader to tell
}

// errLeft is told to the server when a client closes its end.
var errLeft = violation{websocket.StatusNormalClosure, ""}

// read moves datagrams to the queue until the WebSocket fails.
func (c *ClientConn) read(p *pipe) {
	buf := make([]byte, entangle.MaxDatagram+1)
	datagram, err := p.read(buf)
	for ; err == nil; datagram, err = p.read(buf) {
		c.heard.Store(true)
		c.arrived.Push(c.server, datagram)
	}
	if c.out.isFinished() {
		return // this end closes: the writer has a goodbye to write
	}
	c.fail(c.lost(p, err))
	p.wire.end(c.dialer.patience.goodbye, c.dialer.patience.goodbye)
	p.close(err)
}

// lost says how a WebSocket ended, for the player to read.
func (c *ClientConn) lost(p *pipe, err error) error {
	var told websocket.CloseError
	switch {
	case p.wire.stalled.Load():
		return fmt.Errorf("websocket: %s takes nothing in", c.dialer.URL)
	case errors.As(err, &told):
		return fmt.Errorf("websocket: %s closed the connection: %v %q", c.dialer.URL, told.Code, told.Reason)
	}
	return fmt.Errorf("websocket: the connection to %s broke: %w", c.dialer.URL, err)
}

// connect tries until it succeeds, or it makes no sense to try again.
func (c *ClientConn) connect() (p pipe, ok bool) {
	for {
		p, again, err := c.attempt()
		if err == nil {
			return p, c.take(&p)
		}
		if !again {
			c.fail(fmt.Errorf("websocket: %s refuses: %w", c.dialer.URL, err))
			return p, false
		}
		c.dialer.Log.Debug("no WebSocket yet", "url", c.dialer.URL, "error", err)
		select {
		case <-c.ctx.Done():
			return p, false
		case <-time.After(c.dialer.patience.redial):
		}
	}
}

// take makes an open WebSocket the Conn's, unless that is closed by now.
func (c *ClientConn) take(p *pipe) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		p.wire.cut()
		_ = p.ws.CloseNow()
		return false
	}
	c.wire = p.wire
	return true
}

// attempt dials once. again says of an error that it may be gone the next time.
func (c *ClientConn) attempt() (p pipe, again bool, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.dialer.patience.dial)
	defer cancel()
	way := &way{tls: c.dialer.TLS, patience: c.dialer.patience}
	//nolint:bodyclose // Dial says that the body never needs closing
	ws, response, err := websocket.Dial(ctx, c.dialer.URL, &websocket.DialOptions{
		HTTPClient:      &http.Client{Transport: way, CheckRedirect: noRedirect},
		CompressionMode: websocket.CompressionDisabled, // sealed bytes do not shrink
	})
	if err != nil {
		return p, mayPass(response, err), err
	}
	return newPipe(ws, way.wire, c.out), false, nil
}

// noRedirect keeps a client with the server that it was told of.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// mayPass tells what another attempt can mend from what it can't: certificates that are
// wrong, and answers that will not change.
func mayPass(response *http.Response, err error) bool {
	if response == nil {
		var wrong *tls.CertificateVerificationError
		return !errors.As(err, &wrong)
	}
	return response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests
}
