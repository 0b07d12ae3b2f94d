//go:build !js && !wasip1

package websocket

import (
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/entangle-ecs/entangle"
)

// Reasons for which a server closes WebSockets that sent nothing invalid.
var (
	errGone    = violation{websocket.StatusNormalClosure, "the session is over"}
	errStopped = violation{websocket.StatusGoingAway, "the server stopped"}
	errLate    = violation{websocket.StatusPolicyViolation, "no connection was made in time"}
)

// peer is one WebSocket of a server. Two goroutines belong to it; when either fails the
// WebSocket is closed, which ends both.
type peer struct {
	conn *Conn
	pipe
	addr     netip.AddrPort // made up
	remote   netip.AddrPort
	stranger bool // not admitted yet; guarded by the Conn's lock
	deadline *time.Timer
	why      atomic.Pointer[violation] // set before closeAfterQueue closes the WebSocket
	written  chan struct{}             // closed when the writer ends

	step   step          // used by the reader only
	woken  chan struct{} // has capacity 1
	pinged atomic.Bool   // a ping has arrived since the last datagram
}

// start starts the goroutines; the caller holds the Conn's lock.
func (p *peer) start() {
	p.stranger = true
	p.deadline = time.AfterFunc(p.conn.patience.admit, p.expire)
	p.conn.running.Go(p.writeAll)
	p.conn.running.Go(p.readAll)
}

// expire closes a WebSocket that was not admitted in time.
func (p *peer) expire() {
	p.conn.mu.RLock() // so that p is not admitted meanwhile
	defer p.conn.mu.RUnlock()
	if p.stranger {
		p.conn.count.expired.Add(1)
		p.closeAfterQueue(errLate)
	}
}

// closeAfterQueue closes the WebSocket once its queue is written, within patience.goodbye.
func (p *peer) closeAfterQueue(why violation) {
	p.why.CompareAndSwap(nil, &why)
	p.out.finish() // first, so that the reader can see why it fails
	p.wire.setFinalDeadlines(p.conn.patience.goodbye, p.conn.patience.goodbye)
}

func (p *peer) writeAll() {
	defer close(p.written)
	if err := p.writeOutbox(); err != nil {
		p.close(err)
	} else if why := p.why.Load(); why != nil {
		p.close(*why)
	}
}

// readAll moves datagrams to the Conn's queue until the WebSocket is closed.
func (p *peer) readAll() {
	buf := make([]byte, entangle.MaxDatagram+1)
	datagram, err := p.readDatagram(buf)
	for ; err == nil; datagram, err = p.readDatagram(buf) {
		p.pinged.Store(false)
		p.arrive(datagram)
	}
	if p.out.isFinished() {
		<-p.written // the writer sends the close frame
	} else {
		p.conn.count.broken.Add(1)
		p.wire.setFinalDeadlines(p.conn.patience.goodbye, p.conn.patience.goodbye)
		p.out.finish()
	}
	p.close(err)
	p.conn.removePeer(p)
}

// arrive queues a datagram for Receive, unless the peer is being closed.
func (p *peer) arrive(datagram []byte) {
	if !p.conn.pace.await(p) || p.out.isFinished() {
		return
	}
	if p.conn.arrived.Push(p.addr, datagram) {
		p.conn.count.receivedBytes.Add(uint64(len(datagram)))
	}
}

// share returns how many datagrams of the peer may wait for Receive.
func (p *peer) share() int {
	select {
	case <-p.wire.admitted:
		return clientShare
	default:
		return strangerShare
	}
}

// wake makes the reader check again whether it may continue.
func (p *peer) wake() {
	select {
	case p.woken <- struct{}{}:
	default:
	}
}

// onPing answers one ping for every datagram: a browser sends no pings, a proxy few.
func (p *peer) onPing() bool { return p.pinged.CompareAndSwap(false, true) }
