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

// connectAndRead connects, and then writes and reads until the WebSocket or the Conn is closed.
func (c *ClientConn) connectAndRead() {
	p, ok := c.connect()
	if !ok {
		return
	}
	c.running.Go(func() {
		c.readPipe(&p)
		c.out.finish()
	})
	err := p.writeOutbox()
	if err == nil {
		err = errLeft
	}
	p.close(err) // the reader reports the error
}

// errLeft is the reason that a client sends in the close frame when it closes its end.
var errLeft = violation{websocket.StatusNormalClosure, ""}

// readPipe moves datagrams to the queue until the WebSocket fails.
func (c *ClientConn) readPipe(p *pipe) {
	buf := make([]byte, entangle.MaxDatagram+1)
	datagram, err := p.readDatagram(buf)
	for ; err == nil; datagram, err = p.readDatagram(buf) {
		c.received.Store(true)
		c.arrived.Push(c.server, datagram)
	}
	if c.out.isFinished() {
		return // this end closes: the writer sends the close frame
	}
	c.fail(c.lost(p, err))
	p.wire.setFinalDeadlines(c.dialer.patience.goodbye, c.dialer.patience.goodbye)
	p.close(err)
}

// lost describes how a WebSocket ended, for the player to read.
func (c *ClientConn) lost(p *pipe, err error) error {
	var closing websocket.CloseError
	switch {
	case p.wire.stalled.Load():
		return fmt.Errorf("websocket: %s does not read", c.dialer.URL)
	case errors.As(err, &closing):
		return fmt.Errorf("websocket: %s closed the connection: %v %q", c.dialer.URL, closing.Code, closing.Reason)
	}
	return fmt.Errorf("websocket: the connection to %s broke: %w", c.dialer.URL, err)
}

// connect tries until it succeeds, or until another attempt cannot succeed.
func (c *ClientConn) connect() (p pipe, ok bool) {
	for {
		p, again, err := c.attempt()
		if err == nil {
			return p, c.setPipe(&p)
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

// setPipe stores an open WebSocket in the Conn, unless the Conn is closed already.
func (c *ClientConn) setPipe(p *pipe) bool {
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

// attempt dials once. again reports that another attempt may succeed.
func (c *ClientConn) attempt() (p pipe, again bool, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.dialer.patience.dial)
	defer cancel()
	trip := &roundTripper{tls: c.dialer.TLS, patience: c.dialer.patience}
	//nolint:bodyclose // Dial documents that the body never needs closing
	ws, response, err := websocket.Dial(ctx, c.dialer.URL, &websocket.DialOptions{
		HTTPClient:      &http.Client{Transport: trip, CheckRedirect: noRedirect},
		CompressionMode: websocket.CompressionDisabled, // sealed bytes do not shrink
	})
	if err != nil {
		return p, mayPass(response, err), err
	}
	return newPipe(ws, trip.wire, c.out), false, nil
}

// noRedirect refuses redirects to another server.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// mayPass reports whether another attempt may succeed. It cannot if the certificate is invalid, or
// if the server's answer will not change.
func mayPass(response *http.Response, err error) bool {
	if response == nil {
		var wrong *tls.CertificateVerificationError
		return !errors.As(err, &wrong)
	}
	return response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests
}
