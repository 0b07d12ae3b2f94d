package session

import "encoding/binary"

// keepAlive is the body of a keep-alive packet.
type keepAlive struct {
	index, maxClients uint32
}

func (k keepAlive) encode(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, k.index)
	binary.LittleEndian.PutUint32(b[4:], k.maxClients)
	return b[:keepAliveSize]
}

func decodeKeepAlive(b []byte) keepAlive {
	return keepAlive{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])}
}

// answer is the body of a challenge: a challenge token and the sequence with which it was sealed.
// The client returns it unread as the body of its response.
type answer struct {
	sequence uint64
	sealed   [challengeSize]byte
}

func (a *answer) encode(b []byte) []byte {
	binary.LittleEndian.PutUint64(b, a.sequence)
	copy(b[8:answerSize], a.sealed[:])
	return b[:answerSize]
}

func decodeAnswer(b []byte, a *answer) {
	a.sequence = binary.LittleEndian.Uint64(b)
	copy(a.sealed[:], b[8:answerSize])
}
