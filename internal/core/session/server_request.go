package session

import (
	"errors"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// handleRequest checks a connection request. A failure is not answered: an answer would inform
// strangers about the server, and could be directed at a third party.
func (s *Server) handleRequest(from Addr, b []byte) {
	r, ok := readRequest(b)
	if !ok {
		s.countDrop(DropRequestForm)
		return
	}
	if drop := s.checkClear(&r); drop != dropNone {
		s.countDrop(drop)
		return
	}
	id := r.id() // opening overwrites it
	var private token.Private
	if drop := s.checkSealed(&r, &private); drop != dropNone {
		s.countDrop(drop)
		return
	}
	if drop := s.checkUse(&r, &private, id, from); drop != dropNone {
		s.countDrop(drop)
		return
	}
	s.challengeClient(from, id, &private)
}

// checkClear checks the unencrypted part, which is cheap, before anything is decrypted.
func (s *Server) checkClear(r *request) Drop {
	life := uint64(s.config.TokenLife / time.Second)
	switch {
	case r.protocolID != s.config.ProtocolID:
		return DropProtocol
	case r.expires <= s.clock.wall:
		return DropTokenExpired
	case r.expires-s.clock.wall > life:
		return DropTokenNotYetValid
	}
	return dropNone
}

// checkSealed opens and reads the sealed part. Only then it compares the token's time with the
// start of the server: for a token of another key, that result would be random, and the advice to
// mint another token would not help.
func (s *Server) checkSealed(r *request, private *token.Private) Drop {
	switch err := s.handshakes.opener.Open(r.expires, r.nonce, r.sealed, private); {
	case errors.Is(err, token.ErrForged):
		return DropTokenForged
	case err != nil || private.ClientID == entangle.Nobody:
		return DropTokenMalformed
	case r.expires < s.clock.startWall+uint64(s.config.TokenLife/time.Second):
		return DropTokenBeforeStart
	}
	return dropNone
}

// checkUse checks that the token is for this server and can still be used.
func (s *Server) checkUse(r *request, private *token.Private, id tokenID, from Addr) Drop {
	if _, ok := s.handshakes.own.indexIn(private.Servers); !ok {
		return DropWrongServer
	}
	if at, ok := s.byAddr[from]; ok && s.Connected(int(at)) {
		if s.slots[at].token == id {
			return DropRepeated // repeated before the answer arrived, which is common on slow connections
		}
		return DropAddressConnected
	}
	if s.hasClient(private.ClientID) {
		return DropClientConnected
	}
	return s.handshakes.history.admit(id, from, r.expires)
}

// challengeClient answers a valid request: with a challenge, or with a denial if there is no free
// slot.
func (s *Server) challengeClient(from Addr, id tokenID, private *token.Private) {
	p := s.handshakes.pending.unexpired(from, s.clock.now)
	if p == nil || p.token != id {
		var err error
		if p, err = s.handshakes.newPending(s.config.ProtocolID, from, id, private); err != nil {
			s.countDrop(DropTokenMalformed)
			return
		}
	}
	p.deadline = s.clock.now.Add(pendingLife)
	if len(s.free) == 0 && !s.endLongestLeaving() {
		s.countDrop(DropServerFull)
		s.replyDenied(p)
		return
	}
	if !s.handshakes.pending.add(p) {
		s.countDrop(DropPendingFull)
		return
	}
	h := &s.handshakes
	h.challenger.seal(&p.claim, &h.answer)
	s.stats.Challenges++
	s.replySealed(p, kindChallenge, h.answer.encode(h.body[:]))
}

func (s *Server) replyDenied(p *pending) {
	s.stats.Denials++
	s.replySealed(p, kindDenied, nil)
}
