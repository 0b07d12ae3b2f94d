package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// HandlePayload handles one payload of the session. An error means that the peer broke the protocol
// and must be disconnected. A goodbye of the peer is no error; Ended reports it.
func (p *Peer) HandlePayload(b []byte, now time.Time) error {
	if p.phase == ended {
		return nil
	}
	if err := p.greet(now); err != nil {
		return err
	}
	if err := p.Deliver(now); err != nil {
		return err
	}
	if !p.ready() {
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
	p.settle(now)
	if !fresh {
		return nil
	}
	if !p.heard || p.tick.Before(h.Tick) {
		p.tick, p.heard = h.Tick, true
	}
	if p.cfg.OnPacket != nil && p.phase == open {
		p.cfg.OnPacket(h.Tick, now)
	}
	if err := p.mux.HandleFrames(body, now); err != nil {
		return err
	}
	return p.deliver(h.Tick, now)
}

func (p *Peer) handleGoodbye(body []byte) error {
	reason, err := packet.ParseReason(body)
	if err != nil {
		return err
	}
	p.end(reason)
	return nil
}

func (p *Peer) end(reason string) { p.phase, p.outcome = ended, reason }

// settle reports each packet as acknowledged or lost to every part that sent something in it.
func (p *Peer) settle(now time.Time) {
	if acked := p.tracker.TakeAcked(); len(acked) > 0 {
		p.handleAcked(acked)
	}
	for pkt, ok := p.tracker.PollLost(now); ok; pkt, ok = p.tracker.PollLost(now) {
		p.mux.HandleLost(pkt)
		if p.updates != nil {
			p.updates.HandleLost(pkt)
		}
		p.streams.handleLost(pkt)
	}
	for ch, message, ok := p.mux.PollDelivered(); ok; ch, message, ok = p.mux.PollDelivered() {
		p.delivered(ch, message)
	}
}

func (p *Peer) handleAcked(pkts []uint16) {
	if p.updates != nil {
		p.updates.HandleAcked(pkts...)
	}
	for _, pkt := range pkts {
		p.mux.HandleAcked(pkt)
		p.streams.handleAcked(pkt)
	}
}

func (p *Peer) delivered(ch channel.ID, message channel.MessageID) {
	switch {
	case ch == Control && message == 0:
		p.greeted = true
		p.tryOpen()
	case ch == Actions && p.updates != nil:
		p.updates.HandleDelivered(uint16(message))
	case ch == Resources && p.cfg.OnResource != nil:
		p.cfg.OnResource(message)
	}
}

// Deliver delivers received messages that waited until this end is Ready. Call it once per frame,
// before the first HandlePayload.
func (p *Peer) Deliver(now time.Time) error {
	if !p.mux.Waits() || p.phase == ended {
		return nil
	}
	return p.deliver(p.tick, now)
}

// Waits reports whether something waits for Deliver.
func (p *Peer) Waits() bool { return p.mux.Waits() }

// deliver delivers the messages of a packet. All of them must be polled, also after an error. The
// packet may have closed a gap that many messages waited for; those are delivered while this end is
// Ready.
func (p *Peer) deliver(tick entangle.Tick, now time.Time) (err error) {
	for !p.mux.Polled() || err == nil && p.mux.Waits() && p.ready() {
		ch, body, _ := p.mux.Poll()
		if err == nil && p.phase != ended {
			err = p.dispatch(ch, body, tick, now)
		}
	}
	return err
}

func (p *Peer) ready() bool { return p.cfg.Ready == nil || p.cfg.Ready() }

func (p *Peer) dispatch(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error {
	if ch == Control {
		return p.handleControl(body, now)
	}
	if !p.agreed {
		// A peer sends nothing else before its own hello is acknowledged.
		return fmt.Errorf("%w: channel %d before a hello", ErrControl, ch)
	}
	p.heardHello()
	switch {
	case ch == Clock || ch == Inputs:
		return p.handleStream(ch, body, tick, now)
	case ch > Updates && p.cfg.Inbox != nil:
		return p.cfg.Inbox.HandleMessage(ch, body, tick, now)
	case p.cfg.Copy == nil:
		return fmt.Errorf("peer: replication that nobody asked for, on channel %d", ch)
	case ch == Actions:
		return p.cfg.Copy.HandleActions(body)
	default:
		return p.cfg.Copy.HandleUpdates(tick, body)
	}
}

// heardHello notes that the peer has our hello: it sends nothing else before, so this is known even
// if the acknowledgement was lost.
func (p *Peer) heardHello() {
	p.greeted = true
	p.tryOpen()
}

// handleControl handles a control message. An error names the message, so that a server's log shows
// the one for which a client was disconnected.
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
	case kind == hello && p.phase == greeting && !p.agreed:
		return p.handleHello(body, now)
	case kind == entries && p.phase == differs:
		p.compared += uint64(len(body))
		return p.handleEntries(body[1:])
	case kind == resync && p.agreed && p.cfg.World != nil:
		return parseResync(body, p.onResync)
	case (kind == nowJoining || kind == allJoined) && p.agreed && p.cfg.Copy != nil:
		p.heardHello()
		return p.handleJoining(kind, body[1:])
	}
	return fmt.Errorf("%w: out of place", ErrControl)
}

func (p *Peer) handleHello(body []byte, now time.Time) error {
	hash, id, err := parseHello(body)
	if err != nil {
		return err
	}
	p.id = id
	if hash != p.cfg.Registry.Hash() {
		p.phase = differs
		_, err := p.mux.Send(Control, p.cfg.Registry.AppendEntries([]byte{byte(entries)}), 0, now)
		return err
	}
	p.agreed = true
	p.tryOpen()
	return nil
}

// tryOpen opens the connection once the peer's hello has arrived and ours is acknowledged: the peer
// then knows that the protocols are equal before it receives anything else.
func (p *Peer) tryOpen() {
	if p.phase != greeting || !p.agreed || !p.greeted {
		return
	}
	p.phase = open
	if p.cfg.World != nil {
		p.updates = p.cfg.World.NewPeer()
		p.updates.Meter(p.cfg.Capped)
	}
}

// handleEntries ends a connection between unequal protocols, with a reason for the developers of
// both sides.
func (p *Peer) handleEntries(body []byte) error {
	diff, err := p.cfg.Registry.Diff(body)
	if err != nil {
		return err
	}
	p.end("protocols differ: " + diff)
	return nil
}

func (p *Peer) handleResync(g repl.Handle) {
	p.resyncs++
	if p.updates != nil {
		p.updates.HandleResync(g)
	}
}
