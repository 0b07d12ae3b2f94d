package session

import "time"

var serverReads = setOf(kindResponse, kindKeepAlive, kindPayload, kindDisconnect)

// HandleDatagram handles one datagram and decrypts it in place. ok is true only for a payload of a
// connected or leaving client; the payload aliases b and has 1 to MaxForeignPayload bytes. Other
// datagrams cause events, replies, or a counted drop.
func (s *Server) HandleDatagram(from Addr, b []byte, now time.Time) (slot int, payload []byte, ok bool) {
	from = from.canonical()
	s.clock.setNow(now)
	s.stats.Received++
	if s.stopped {
		s.countDrop(DropStopped)
		return 0, nil, false
	}
	if len(b) >= minPacket && b[0] == byte(kindRequest) {
		s.handleRequest(from, b)
		return 0, nil, false
	}
	h, drop := readHeader(b, serverReads)
	if drop != dropNone {
		s.countDrop(drop)
		return 0, nil, false
	}
	at, known := s.byAddr[from]
	if !known || h.kind == kindResponse && s.Leaving(int(at)) {
		s.handleResponse(from, h, b)
		return 0, nil, false
	}
	payload, drop = s.handleConnected(int(at), h, b)
	if drop != dropNone {
		s.countDrop(drop)
	}
	return int(at), payload, payload != nil
}

// handleConnected opens a packet of a connected or leaving client.
func (s *Server) handleConnected(slot int, h header, b []byte) (payload []byte, _ Drop) {
	c := &s.slots[slot]
	switch {
	case !h.kind.replayProtected(): // a late response, to which the client gets an answer by keep-alives
		return nil, DropRepeated
	case c.needless(h.kind, s.clock.now):
		return nil, DropAlive
	}
	body, drop := c.openPacket(h, b)
	if drop != dropNone {
		return nil, drop
	}
	c.lastReceived = s.clock.now
	switch h.kind {
	case kindDisconnect:
		s.startLeaving(slot, s.clock.now)
		return nil, dropNone
	case kindPayload:
		payload = body
		s.stats.Payloads++
	}
	c.confirmed = true
	return payload, dropNone
}

// handleResponse handles a packet from an address that is not connected. Only a valid response to
// the challenge has an effect.
func (s *Server) handleResponse(from Addr, h header, b []byte) {
	p := s.handshakes.pending.unexpired(from, s.clock.now)
	if p == nil || h.kind != kindResponse {
		s.countDrop(DropNoConnection)
		return
	}
	body, drop := p.link.openPacket(h, b)
	switch {
	case drop != dropNone:
		s.countDrop(drop)
	case !s.handshakes.answers(body, &p.claim):
		s.countDrop(DropBody)
	case s.hasClient(p.claim.client):
		s.countDrop(DropClientConnected)
	case len(s.free) == 0:
		s.countDrop(DropServerFull)
		if !s.endLongestLeaving() { // otherwise there is a slot for the next response, 100 ms later
			s.replyDenied(p)
		}
	default:
		s.connectClient(p)
	}
}

// connectClient assigns a slot to the client and consumes its token. First it ends a session of the
// same client or address that is still leaving.
func (s *Server) connectClient(p *pending) {
	s.endLeaving(func(c *slot) bool { return c.addr == p.from || c.client == p.claim.client })
	slot := s.assignSlot(p, s.clock.now)
	s.handshakes.history.consume(p.token)
	s.handshakes.pending.remove(p.from)
	s.stats.Connects++
	s.addEvent(Event{Kind: Connected, Slot: slot})
	s.replyKeepAlive(slot)
}
