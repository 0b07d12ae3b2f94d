package session

import (
	"errors"
	"time"
)

var (
	// ErrNotConnected is returned for packets to a client, or from one, that is not connected.
	ErrNotConnected = errors.New("session: not connected; send between the Connected and the Disconnected event")

	// ErrPayloadSize is returned for a payload that does not have 1 to entangle.MaxPayload bytes.
	ErrPayloadSize = errors.New("session: a payload has 1 to entangle.MaxPayload bytes; split larger messages")
)

// AppendPayload appends a sealed packet with the payload to dst. The packet is at most 25 bytes
// longer than the payload. payload must not overlap the free capacity of dst. On an error, which is
// ErrNotConnected or ErrPayloadSize, it returns dst unchanged.
func (s *Server) AppendPayload(dst []byte, slot int, payload []byte, now time.Time) ([]byte, error) {
	if len(payload) < 1 || len(payload) > maxOwnPayload {
		return dst, ErrPayloadSize
	}
	if !s.Connected(slot) {
		return dst, ErrNotConnected
	}
	return s.slots[slot].seal(dst, kindPayload, payload, now), nil
}

// KeepAliveFirst reports whether a packet of AppendKeepAlive must be sent before the next payload:
// a client that does not know yet that it is connected would drop the payload.
func (s *Server) KeepAliveFirst(slot int) bool {
	return s.Connected(slot) && !s.slots[slot].confirmed
}

// AppendKeepAlive appends a sealed keep-alive packet to dst. If the slot is not connected, it
// returns dst unchanged and ErrNotConnected.
func (s *Server) AppendKeepAlive(dst []byte, slot int, now time.Time) ([]byte, error) {
	if !s.Connected(slot) {
		return dst, ErrNotConnected
	}
	return s.appendKeepAlive(dst, slot, now), nil
}
