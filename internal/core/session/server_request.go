package session

import (
	"errors"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport/token"
)

// handleRequest checks a connection request. Every failure is silent: an answer would inform strangers about the server, and
// could be directed at a third party.
func (s *Server) handleRequest(from Addr, b []byte) {
	r, ok := readRequest(b)
	if !ok {
		s.drop(DropRequestForm)
		return
	}
	if drop := s.checkClear(&r); drop != dropNone {
		s.drop(drop)
		return
	}
	id := r.id() // opening overwrites it
	var private token.Private
	if drop := s.checkSealed(&r, &private); drop != dropNone {
		s.drop(drop)
		return
	}
	if drop := s.checkUse(&r, &private, id, from); drop != dropNone {
		s.drop(drop)
		return
	}
	s.challengeClient(from, id, &private)
}

// checkClear checks the unencrypted part, before the cost of any decryption.
func (s *Server) checkClear(r *request) Drop {
	life := uint64(s.config.TokenLife / time.Second)
	switch {
	case r.protocolID != s.config.ProtocolID:
		return DropProtocol
	case r.expires <= s.wall:
		return DropTokenExpired
	case r.expires-s.wall > life:
		return DropTokenNotYetValid
	}
	return dropNone
}

// checkSealed opens and reads the private half. The start of the server is compared after
// that: a token of another key is old or new by chance, and an operator who is told to mint
// another would do so for ever.
func (s *Server) checkSealed(r *request, private *token.Private) Drop {
	switch err := s.opener.Open(r.expires, r.nonce, r.sealed, private); {
	case errors.Is(err, token.ErrForged):
		return DropTokenForged
	case err != nil || private.ClientID == entangle.Nobody:
		return DropTokenMalformed
	case r.expires < s.startWall+uint64(s.config.TokenLife/time.Second):
		return DropTokenBeforeStart
	}
	return dropNone
}

// checkUse checks that the token is for this server and can still be used.
func (s *Server) checkUse(r *request, private *token.Private, id tokenID, from Addr) Drop {
	if _, ok := s.own.place(private.Servers); !ok {
		return DropWrongServer
	}
	if at, ok := s.byAddr[from]; ok && s.Connected(int(at)) {
		if s.slots[at].token == id {
			return DropRepeated // repeated before the answer arrived: slow lines have many
		}
		return DropAddressConnected
	}
	if s.isConnected(private.ClientID) {
		return DropClientConnected
	}
	return s.history.admit(id, from, r.expires)
}

// challengeClient answers a valid request: with a challenge, or with a denial if
// there is no free slot.
func (s *Server) challengeClient(from Addr, id tokenID, private *token.Private) {
	p := s.pending.at(from, s.now)
	if p == nil || p.token != id {
		var err error
		if p, err = s.newPending(from, id, private); err != nil {
			s.drop(DropTokenMalformed)
			return
		}
	}
	p.deadline = s.now.Add(pendingLife)
	if len(s.free) == 0 && !s.freeLeaving() {
		s.drop(DropServerFull)
		s.deny(p)
		return
	}
	if !s.pending.add(p) {
		s.drop(DropPendingFull)
		return
	}
	s.challenger.seal(&p.claim, &s.answer)
	s.stats.Challenges++
	s.replySealed(p, kindChallenge, s.answer.encode(s.body[:]))
}

func (s *Server) newPending(from Addr, id tokenID, private *token.Private) (*pending, error) {
	place, _ := s.own.place(private.Servers)
	p := &pending{
		from:    from,
		first:   firstOfSlot(place),
		token:   id,
		claim:   challenge{client: private.ClientID, userData: private.UserData},
		timeout: private.Timeout,
	}
	var err error
	if p.send, err = newSealer(s.config.ProtocolID, private.ServerToClient, s.maker); err != nil {
		return nil, err
	}
	p.receive, err = newSealer(s.config.ProtocolID, private.ClientToServer, s.maker)
	return p, err
}

func (s *Server) deny(p *pending) {
	s.stats.Denials++
	s.replySealed(p, kindDenied, nil)
}
