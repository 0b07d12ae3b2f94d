package session

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/replay"
)

var serverReads = setOf(kindResponse, kindKeepAlive, kindPayload, kindDisconnect)

// HandleDatagram handles one datagram, decrypting it in place. ok is true only for a payload of a connected client; the
// payload aliases b and has 1 to MaxForeignPayload bytes. Other datagrams cause events, replies or a counted drop.
func (s *Server) HandleDatagram(from Addr, b []byte, now time.Time) (slot int, payload []byte, ok bool) {
	from = from.canonical()
	s.setNow(now)
	s.stats.Received++
	if s.stopped {
		s.drop(DropStopped)
		return 0, nil, false
	}
	if len(b) >= minPacket && b[0] == byte(kindRequest) {
		s.handleRequest(from, b)
		return 0, nil, false
	}
	h, drop := readHeader(b, serverReads)
	if drop != dropNone {
		s.drop(drop)
		return 0, nil, false
	}
	at, known := s.byAddr[from]
	if !known || h.kind == kindResponse && s.Leaving(int(at)) {
		s.handleResponse(from, h, b)
		return 0, nil, false
	}
	payload, drop = s.handleConnected(int(at), h, b)
	if drop != dropNone {
		s.drop(drop)
	}
	return int(at), payload, payload != nil
}

// handleConnected opens a packet of a connected or leaving client.
func (s *Server) handleConnected(slot int, h header, b []byte) (payload []byte, _ Drop) {
	c := &s.slots[slot]
	switch {
	case !h.kind.replayProtected(): // a late response; keep-alives notify the client
		return nil, DropRepeated
	case c.alive(h.kind, s.now):
		return nil, DropAlive
	}
	body, drop := openProtected(&c.receive, &c.replay, h, b)
	if drop != dropNone {
		return nil, drop
	}
	c.lastReceived = s.now
	switch h.kind {
	case kindDisconnect:
		s.leave(slot)
		return nil, dropNone
	case kindPayload:
		payload = body
		s.stats.Payloads++
	}
	c.confirmed = true
	return payload, dropNone
}

// openProtected reads a sealed packet in the order of the standard: the replay check, the decryption, and only then the
// update of the window, and the size.
func openProtected(s *sealer, seen *replay.Window, h header, b []byte) (body []byte, _ Drop) {
	if !seen.Fresh(h.sequence) {
		return nil, DropReplayed
	}
	body, ok := s.open(h, b)
	if !ok {
		return nil, DropForged
	}
	seen.Mark(h.sequence)
	if !h.kind.sizeFits(len(body)) {
		return nil, DropBodySize
	}
	return body, dropNone
}

// handleResponse handles a packet of a client that is not connected: a valid response to the challenge, or nothing.
func (s *Server) handleResponse(from Addr, h header, b []byte) {
	p := s.pending.at(from, s.now)
	if p == nil || h.kind != kindResponse {
		s.drop(DropNoConnection)
		return
	}
	body, ok := p.receive.open(h, b)
	switch {
	case !ok:
		s.drop(DropForged)
	case !h.kind.sizeFits(len(body)):
		s.drop(DropBodySize)
	case !s.answers(body, &p.claim):
		s.drop(DropBody)
	case s.isConnected(p.claim.client):
		s.drop(DropClientConnected)
	case len(s.free) == 0:
		s.drop(DropServerFull)
		if !s.freeLeaving() { // otherwise the next response, 100 ms later, finds a slot
			s.deny(p)
		}
	default:
		s.admit(p)
	}
}

// answers reports whether a response carries a challenge token that this server
// made for the same client with the same token.
func (s *Server) answers(body []byte, claim *challenge) bool {
	decodeAnswer(body, &s.answer)
	var answered challenge
	return s.challenger.open(&s.answer, &answered) && answered == *claim
}

func (s *Server) isConnected(client entangle.ClientID) bool {
	_, ok := s.byClient[client]
	return ok
}

// admit assigns a slot to the client and consumes its token. A session of the same client or address that is still leaving
// ends first.
func (s *Server) admit(p *pending) {
	s.endLeaving(func(c *slot) bool { return c.addr == p.from || c.client == p.claim.client })
	last := len(s.free) - 1
	slot := s.free[last]
	s.free = s.free[:last]
	c := &s.slots[slot]
	c.occupy(p, s.now)
	s.history.consume(p.token)
	s.pending.remove(p.from)
	s.byAddr[c.addr] = slot
	s.byClient[c.client] = slot
	s.clients++
	s.stats.Connects++
	s.event(Event{Kind: Connected, Slot: int(slot)})
	s.replyKeepAlive(int(slot))
}
