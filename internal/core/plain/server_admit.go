package plain

import (
	"encoding/binary"
	"net/netip"

	"github.com/entangle-ecs/entangle/connection"
)

// handleStranger handles a hello or an answer to a challenge.
func (s *Server) handleStranger(from netip.AddrPort, b []byte) (e connection.Event, reply []byte, d drop) {
	h, ok := readHello(b)
	answer := kind(b[0]) == kindAnswer
	switch {
	case !ok || answer && len(b) != answerSize || !answer && len(b) != helloSize:
		return e, nil, dropHello
	case h.protocolID != s.config.ProtocolID:
		return e, s.deny(&h, deniedGame), dropGame
	}
	if at, ok := s.byAddr[from]; ok {
		return s.handleAgain(int(at), &h)
	}
	if !answer {
		reply = appendID(s.reply[:0], kindChallenge, h.mine)
		return e, binary.LittleEndian.AppendUint64(reply, s.number(from, &h, 0)), dropNone
	}
	return s.handleAnswer(from, &h, binary.LittleEndian.Uint64(b[helloSize:]))
}

// handleAgain handles a hello or answer from the address of a connected client. The client itself
// repeats it until it knows that it is connected; another client at the same address is refused.
func (s *Server) handleAgain(at int, h *hello) (e connection.Event, reply []byte, d drop) {
	if c := &s.slots[at]; c.client == h.client && c.theirs == h.mine {
		return e, s.AppendKeepAlive(s.reply[:0], at, s.now), dropNone
	}
	return e, s.deny(h, deniedConnected), dropConnected
}

func (s *Server) handleAnswer(from netip.AddrPort, h *hello, number uint64) (e connection.Event, reply []byte, d drop) {
	if number != s.number(from, h, 0) && number != s.number(from, h, epoch) {
		return e, nil, dropAnswer
	}
	_, connected := s.byClient[h.client]
	switch {
	case s.ended.has(number):
		return e, nil, dropEnded
	case connected:
		return e, s.deny(h, deniedConnected), dropConnected
	case len(s.free) == 0:
		return e, s.deny(h, deniedFull), dropFull
	case s.ended.full(s.now):
		return e, nil, dropEndedFull
	}
	at := s.admit(from, h, number)
	e = connection.Event{
		Kind: connection.Connected, Slot: at, Client: h.client, Addr: from, Name: from.String(), UserData: h.userData,
	}
	return e, s.AppendKeepAlive(s.reply[:0], at, s.now), dropNone
}

// admit assigns the lowest free slot to a client.
func (s *Server) admit(from netip.AddrPort, h *hello, number uint64) int {
	last := len(s.free) - 1
	at := s.free[last]
	s.free = s.free[:last]
	s.slots[at] = slot{connected: true, addr: from, client: h.client, ours: number, theirs: h.mine, lastReceived: s.now, sent: s.now}
	s.byAddr[from], s.byClient[h.client] = at, at
	return int(at)
}

func (s *Server) deny(h *hello, why denial) []byte {
	return append(appendID(s.reply[:0], kindDenied, h.mine), byte(why))
}
