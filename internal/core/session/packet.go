package session

// kind is the type of a packet: the low four bits of its first byte.
type kind uint8

const (
	kindRequest kind = iota
	kindDenied
	kindChallenge
	kindResponse
	kindKeepAlive
	kindPayload
	kindDisconnect
	kinds
)

// kindSet is a set of packet types, such as those that a side reads in its present state.
type kindSet uint8

func setOf(list ...kind) (s kindSet) {
	for _, k := range list {
		s |= 1 << k
	}
	return s
}

func (s kindSet) has(k kind) bool { return s>>k&1 != 0 }

// replayProtected reports whether each packet of this kind is sent once, with a unique number.
// Other packets may be repeated.
func (k kind) replayProtected() bool { return k >= kindKeepAlive }

// sizeFits reports whether a packet of this kind may have a body of n bytes.
func (k kind) sizeFits(n int) bool {
	switch k {
	case kindChallenge, kindResponse:
		return n == answerSize
	case kindKeepAlive:
		return n == keepAliveSize
	case kindPayload:
		return n >= 1 && n <= MaxForeignPayload
	default:
		return n == 0
	}
}

// header is the unencrypted part before a sealed body. It consists of the prefix byte (number of
// sequence bytes in the high four bits, kind in the low four) and the sequence, little-endian, in
// as few bytes as possible.
type header struct {
	kind     kind
	size     int
	sequence uint64
}

func appendHeader(dst []byte, k kind, sequence uint64) []byte {
	at := len(dst)
	dst = append(dst, 0)
	for {
		dst = append(dst, byte(sequence))
		sequence >>= 8
		if sequence == 0 {
			break
		}
	}
	dst[at] = byte(len(dst)-at-1)<<4 | byte(k)
	return dst
}

// readHeader parses the unencrypted part of a sealed packet. The order of the checks is that of the
// standard.
func readHeader(b []byte, accepted kindSet) (header, Drop) {
	if len(b) < minPacket {
		return header{}, DropTooShort
	}
	if len(b) > maxPacket {
		return header{}, DropTooLong
	}
	h := header{kind: kind(b[0] & 15), size: 1 + int(b[0]>>4)}
	if h.kind >= kinds {
		return header{}, DropUnknownKind
	}
	if !accepted.has(h.kind) {
		return header{}, DropUnwantedKind
	}
	if h.size < 2 || h.size > maxPrefixed || len(b) < h.size+tagSize {
		return header{}, DropSequenceSize
	}
	for i := h.size - 1; i >= 1; i-- {
		h.sequence = h.sequence<<8 | uint64(b[i])
	}
	return h, dropNone
}
