package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// HandlePayload handles one payload of the session. After an error the peer must be disconnected,
// because it has violated the protocol. A goodbye from the peer is no error; Ended reports it.
func (p *Peer) HandlePayload(b []byte, now time.Time) error {
	if p.handshake.phase == ended {
		return nil
	}
	if err := p.sendHello(now); err != nil {
		return err
	}
	if err := p.Deliver(now); err != nil {
		return err
	}
	if !p.isReady() {
		p.stats.unready++
		return nil
	}
	p.stats.in++
	p.stats.bytesIn += uint64(len(b))
	h, body, err := packet.ParseHeader(b)
	if err != nil {
		return err
	}
	if h.Kind == packet.Goodbye {
		return p.handleGoodbye(body)
	}
	fresh, err := p.tracker.HandleHeader(h, now)
	if err != nil {
		return err
	}
	if fresh {
		err = p.handleBody(&h, body, now)
	}
	p.handleAcks(p.isInOrder(&h)) // after the body, which may report in which order these packets arrived
	return err
}

// isInOrder reports whether no header that the peer sent after this one has arrived before it.
func (p *Peer) isInOrder(h *packet.Header) bool {
	before := h.ID // the packet before the header
	if h.Kind == packet.Data {
		before--
	}
	inOrder := int16(h.ID-p.precedes) > 0
	if int16(before-p.precedes) > 0 {
		p.precedes = before
	}
	return inOrder
}

// handleBody handles the frames of a packet.
func (p *Peer) handleBody(h *packet.Header, body []byte, now time.Time) error {
	if !p.received || p.tick.Before(h.Tick) {
		p.tick, p.received = h.Tick, true
	}
	if p.cfg.OnPacket != nil && p.Open() {
		p.cfg.OnPacket(h.ID, h.Tick, now)
	}
	if err := p.mux.HandleFrames(body, now); err != nil {
		return err
	}
	return p.dispatchAll(h.Tick, now)
}

func (p *Peer) handleGoodbye(body []byte) error {
	reason, err := packet.ParseReason(body)
	if err != nil {
		return err
	}
	p.handshake.endWith(reason)
	return nil
}

// handleLost tells every part that sent data in a packet that it is lost. It is called when all packets of a frame
// were handled: after a frame that took long, the first of them acknowledges only some of what the others do, and the rest
// would count as lost.
func (p *Peer) handleLost(now time.Time) {
	for pkt, ok := p.tracker.PollLost(now); ok; pkt, ok = p.tracker.PollLost(now) {
		p.mux.HandleLost(pkt)
		if p.replication != nil {
			p.replication.HandleLost(pkt)
		}
		p.feeds.handleLost(pkt)
	}
}

// handleAcks tells every part that sent data in a packet that it is acknowledged. inOrder says that no header that the peer
// sent later was handled before.
func (p *Peer) handleAcks(inOrder bool) {
	acked := p.tracker.TakeAcked()
	if p.replication != nil && len(acked) > 0 {
		p.replication.HandleAcked(acked...)           // records for the updates with which packet they arrived; Arrived does for messages
		p.replication.Received().SortByArrival(acked) // a message has arrived with the last of its packets
	}
	for _, pkt := range acked {
		p.mux.HandleAcked(pkt)
		p.feeds.handleAcked(pkt)
		if p.replication != nil {
			p.replication.Received().Arrived(pkt)
			p.pollDelivered()
		}
	}
	p.pollDelivered()
	if p.replication != nil {
		p.replication.Received().AcksHandled(inOrder)
	}
}

func (p *Peer) pollDelivered() {
	for ch, message, ok := p.mux.PollDelivered(); ok; ch, message, ok = p.mux.PollDelivered() {
		p.handleDelivered(ch, message)
	}
}

func (p *Peer) handleDelivered(ch channel.ID, message channel.MessageID) {
	switch {
	case ch == Control && message == 0:
		p.confirmHello()
	case ch == Actions && p.replication != nil:
		p.replication.HandleDelivered(uint16(message))
	case ch == Resources && p.cfg.OnResource != nil:
		p.cfg.OnResource(message)
	}
}

// Deliver delivers the received messages that waited until this end was Ready. Call it once per
// frame, before the first HandlePayload.
func (p *Peer) Deliver(now time.Time) error {
	if !p.mux.Waits() || p.handshake.phase == ended {
		return nil
	}
	return p.dispatchAll(p.tick, now)
}

// Waits reports whether a received message waits for Deliver.
func (p *Peer) Waits() bool { return p.mux.Waits() }

// dispatchAll delivers the messages of a packet. All of them must be polled, even after an error.
// If the packet has closed a gap for which many messages waited, they are delivered too as long as
// this end is Ready.
func (p *Peer) dispatchAll(tick entangle.Tick, now time.Time) (err error) {
	for !p.mux.Polled() || err == nil && p.mux.Waits() && p.isReady() {
		ch, body, _ := p.mux.Poll()
		if err == nil && p.handshake.phase != ended {
			err = p.dispatch(ch, body, tick, now)
		}
	}
	if err == nil && p.cfg.Receiver != nil {
		err = p.cfg.Receiver.Continue()
	}
	return err
}

func (p *Peer) isReady() bool { return p.cfg.Ready == nil || p.cfg.Ready() }

func (p *Peer) dispatch(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error {
	if ch == Control {
		return p.handleControl(body, now)
	}
	if !p.handshake.agreed {
		// Before its own hello is acknowledged, an honest peer sends nothing else.
		return fmt.Errorf("%w: channel %d before a hello", ErrControl, ch)
	}
	p.confirmHello()
	switch {
	case ch == Clock || ch == Inputs:
		return p.handleFeed(ch, body, tick, now)
	case ch > Updates && p.cfg.Inbox != nil:
		return p.cfg.Inbox.HandleMessage(ch, body, tick, now)
	case p.cfg.Receiver == nil:
		return fmt.Errorf("peer: replication to an end that receives none, on channel %d", ch)
	case ch == Actions:
		return p.cfg.Receiver.HandleActions(body)
	case ch == Updates:
		return p.cfg.Receiver.HandleUpdates(tick, body)
	}
	return fmt.Errorf("peer: a message that this end does not read, on channel %d", ch)
}

// handleControl handles a control message. Its errors name the kind of the message, so that a
// server's log shows for which message a client was disconnected.
func (p *Peer) handleControl(body []byte, now time.Time) error {
	if len(body) == 0 {
		return fmt.Errorf("%w: an empty message", ErrControl)
	}
	kind := controlKind(body[0])
	err := p.handleKind(kind, body, now)
	if errors.Is(err, ErrControl) {
		return fmt.Errorf("%w: %v, %d bytes", err, kind, len(body))
	}
	return err
}

func (p *Peer) handleKind(kind controlKind, body []byte, now time.Time) error {
	switch {
	case kind == hello && p.handshake.phase == greeting && !p.handshake.agreed:
		return p.handleHello(body, now)
	case kind == entries && p.handshake.phase == differs:
		return p.handleEntries(body[1:])
	case (kind == nowJoining || kind == allJoined) && p.handshake.agreed && p.cfg.Receiver != nil:
		p.confirmHello()
		err := p.progress.handleControl(kind, body[1:])
		if err == nil && kind == nowJoining {
			p.cfg.Receiver.Reserve(p.progress.of)
		}
		return err
	}
	return fmt.Errorf("%w: out of place", ErrControl)
}
