package channel

// ExternalOverhead is the largest overhead of framing for an external body, in bytes.
const ExternalOverhead = 1 + maxLengthSize

// Mark is a frame that was begun.
type Mark struct{ at int }

// BeginFrame appends the head of a frame of an External channel to dst. Append the body and call
// EndFrame; or cut dst back to its length before BeginFrame to undo it. It panics if the channel is
// not External or only receives.
func (m *Mux) BeginFrame(dst []byte, id ID) ([]byte, Mark) {
	if id > MaxID || m.external>>id&1 == 0 {
		panic("channel: BeginFrame needs an External channel that this end may send on: check the channel's Mode and Direction")
	}
	mark := Mark{at: len(dst)}
	return append(dst, byte(id), 0, 0), mark
}

// EndFrame fills in the length of the frame that began at mark. Bodies below 128
// bytes move down by the byte that their length does not need. It panics if the
// body is longer than a packet could ever be.
func (m *Mux) EndFrame(dst []byte, mark Mark) []byte {
	head := mark.at + 1
	n := len(dst) - head - maxLengthSize
	if n > maxLength {
		panic("channel: EndFrame after a body of more than 16 KiB: a frame must fit into its packet")
	}
	m.stats.Frames++
	if n >= 0x80 {
		dst[head], dst[head+1] = byte(n)|0x80, byte(n>>7)
	} else {
		dst[head] = byte(n)
		dst = append(dst[:head+1], dst[head+maxLengthSize:]...)
	}
	m.last, m.lastBody = span{mark.at, len(dst)}, n
	return dst
}

// Finish takes the length out of the packet's last frame, which saves one or two
// bytes: its body runs to the end. Call it once per packet, after the last frame.
// A packet that does not end with a frame of this mux stays as it is, and one that
// is sent without Finish is valid too.
func (m *Mux) Finish(dst []byte) []byte {
	at, body := m.last, m.lastBody
	m.last, m.lastBody = span{}, 0
	if at.to == 0 || at.to != len(dst) {
		return dst
	}
	if body > 0 { // an external frame, which has nothing but the length before its body
		dst[at.from] |= flagLast
		return append(dst[:at.from+1], dst[at.to-body:]...)
	}
	f, rest, err := m.parseFrame(dst[at.from:])
	if err != nil || len(rest) != 0 || f.last || !f.hasLength() {
		return dst
	}
	dst[at.from] |= flagLast
	end := len(dst) - len(f.body)
	return append(dst[:end-lengthSize(len(f.body))], f.body...)
}
