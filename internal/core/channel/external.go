package channel

// ExternalOverhead is the most bytes that framing adds to an external body.
const ExternalOverhead = 1 + maxLengthSize

// Mark identifies a frame that was begun with BeginFrame.
type Mark struct{ at int }

// lastFrame is the last frame of the packet that is being built.
type lastFrame struct {
	from, to int // its position in the packet
	body     int // length of its body; negative if the frame has no length that Finish could remove
}

// BeginFrame appends the head of a frame of an External channel to dst. Append the body and call
// EndFrame; or cut dst back to its length before BeginFrame to undo it. It panics if the channel is
// not External or only receives.
func (s *sender) BeginFrame(dst []byte, id ID) ([]byte, Mark) {
	if id > MaxID || s.external>>id&1 == 0 {
		panic("channel: BeginFrame needs an External channel that this end may send on: check the channel's Mode and Direction")
	}
	mark := Mark{at: len(dst)}
	return append(dst, byte(id), 0, 0), mark
}

// EndFrame fills in the length of the frame that began at mark. BeginFrame reserves two bytes for
// the length; if the body is shorter than 128 bytes, EndFrame moves it down by the unneeded byte.
// It panics if the body is longer than 16 KiB, which is more than any packet holds.
func (s *sender) EndFrame(dst []byte, mark Mark) []byte {
	head := mark.at + 1
	n := len(dst) - head - maxLengthSize
	if n > maxLength {
		panic("channel: EndFrame after a body of more than 16 KiB: a frame must fit into its packet")
	}
	s.stats.Frames++
	if n >= 0x80 {
		dst[head], dst[head+1] = byte(n)|0x80, byte(n>>7)
	} else {
		dst[head] = byte(n)
		dst = append(dst[:head+1], dst[head+maxLengthSize:]...)
	}
	s.last = lastFrame{from: mark.at, to: len(dst), body: n}
	return dst
}

// Finish removes the length from the packet's last frame, which saves one or two bytes: the body of
// that frame extends to the end of the packet. Call it once per packet, after the last frame. It
// changes nothing if something else follows that frame in the packet. A packet that is sent without
// Finish is valid too.
func (s *sender) Finish(dst []byte) []byte {
	last := s.last
	s.last = lastFrame{}
	if last.to == 0 || last.to != len(dst) || last.body < 0 {
		return dst
	}
	dst[last.from] |= flagLast
	body := last.to - last.body
	return append(dst[:body-lengthSize(last.body)], dst[body:]...)
}
