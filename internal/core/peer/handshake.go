package peer

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

// handshake is the exchange of hellos by which both sides find out whether their protocols are
// equal, and how the connection ended.
type handshake struct {
	phase     phase
	agreed    bool      // the peer's hello has arrived, and its hash equals ours
	confirmed bool      // our hello has arrived at the peer
	began     time.Time // zero before the first call
	client    entangle.ClientID
	outcome   string // the reason why the connection ended
	compared  uint64 // bytes of the peer's entries that this end has compared
}

type phase uint8

const (
	greeting phase = iota // hellos are in flight
	open                  // equal protocols, and both sides know it
	differs               // unequal protocols; entries are in flight
	ended
)

// helloTimeout is how long a connection waits for the peer's hello. The peer would resend its hello
// many times within this time, so a silent peer does not speak this protocol.
const helloTimeout = 10 * time.Second

// Open reports whether both sides know that their protocols are equal.
func (p *Peer) Open() bool { return p.handshake.phase == open }

// Ended returns the reason why the peer has ended the connection, or why this side must end it. ok
// is false as long as neither is the case.
func (p *Peer) Ended() (reason string, ok bool) {
	return p.handshake.outcome, p.handshake.phase == ended
}

// ClientID returns the id in the server's hello. On a server, it returns entangle.Nobody.
func (p *Peer) ClientID() entangle.ClientID { return p.handshake.client }

// endWith ends the connection for a reason.
func (h *handshake) endWith(reason string) { h.phase, h.outcome = ended, reason }

// timedOut reports whether the connection did not open in time.
func (h *handshake) timedOut(now time.Time) bool {
	return h.phase != open && h.phase != ended && now.Sub(h.began) > helloTimeout
}

// sendHello queues our hello as the first message, even before a reply to the peer's hello.
func (p *Peer) sendHello(now time.Time) error {
	if !p.handshake.began.IsZero() {
		return nil
	}
	p.handshake.began = now
	_, err := p.mux.Send(Control, appendHello(nil, p.cfg.Registry.Hash(), p.cfg.Client), 0, now)
	return err
}

// handleHello compares the protocols. If they differ, it sends our entries.
func (p *Peer) handleHello(body []byte, now time.Time) error {
	hash, id, err := parseHello(body)
	if err != nil {
		return err
	}
	p.handshake.client = id
	if hash != p.cfg.Registry.Hash() {
		p.handshake.phase = differs
		_, err := p.mux.Send(Control, p.cfg.Registry.AppendEntries([]byte{byte(entries)}), 0, now)
		return err
	}
	p.handshake.agreed = true
	p.tryOpen()
	return nil
}

// confirmHello records that the peer has received our hello. Either its acknowledgement has
// arrived, or a message that the peer sends only after our hello, in case the acknowledgement was
// lost.
func (p *Peer) confirmHello() {
	p.handshake.confirmed = true
	p.tryOpen()
}

// tryOpen opens the connection after the peer's hello has arrived and ours is acknowledged. So the
// peer knows that the protocols are equal before it receives anything else.
func (p *Peer) tryOpen() {
	if h := &p.handshake; h.phase != greeting || !h.agreed || !h.confirmed {
		return
	}
	p.handshake.phase = open
	if p.cfg.World != nil {
		p.replication = p.cfg.World.NewPeer()
		p.replication.Meter(p.cfg.Capped)
	}
}

// handleEntries ends a connection between unequal protocols. The reason describes the difference
// for developers.
func (p *Peer) handleEntries(body []byte) error {
	p.handshake.compared += uint64(1 + len(body))
	diff, err := p.cfg.Registry.Diff(body)
	if err != nil {
		return err
	}
	p.handshake.endWith("protocols differ: " + diff)
	return nil
}
