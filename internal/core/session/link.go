package session

import (
	"github.com/entangle-ecs/entangle/internal/core/replay"
	"github.com/entangle-ecs/entangle/transport/token"
)

// link seals and opens the packets of one connection, and refuses repeated ones.
type link struct {
	send     sealer
	sequence uint64 // of the next packet to send; it never restarts
	receive  sealer
	replay   replay.Window
}

func newLink(protocolID uint64, send, receive token.Key, maker aeadMaker) (l link, err error) {
	if l.send, err = newSealer(protocolID, send, maker); err != nil {
		return link{}, err
	}
	l.receive, err = newSealer(protocolID, receive, maker)
	return l, err
}

// sealPacket appends the next packet to dst.
func (l *link) sealPacket(dst []byte, k kind, body []byte) []byte {
	dst = l.send.seal(dst, k, l.sequence, body)
	l.sequence++
	return dst
}

// openPacket opens a packet. The order of the checks is that of the standard: first the replay
// check, then the decryption, and only after that the update of the window, and the size. Handshake
// packets may be repeated.
func (l *link) openPacket(h header, b []byte) (body []byte, _ Drop) {
	protected := h.kind.replayProtected()
	if protected && !l.replay.Fresh(h.sequence) {
		return nil, DropReplayed
	}
	body, ok := l.receive.decrypt(h, b)
	if !ok {
		return nil, DropForged
	}
	if protected {
		l.replay.Mark(h.sequence)
	}
	if !h.kind.sizeFits(len(body)) {
		return nil, DropBodySize
	}
	return body, dropNone
}
