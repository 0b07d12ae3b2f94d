package channel

// pieceRef is one piece of a message in a packet.
type pieceRef struct {
	msg   *message
	index uint8
}

// refChunk holds some refs of one packet.
type refChunk struct {
	refs [14]pieceRef
	n    int
	next *refChunk
}

// keptChunks bounds the chunks kept for reuse: a second of packets at 60 Hz.
const keptChunks = 64

type record struct {
	packet uint16
	used   bool
	chunks *refChunk
}

// records remember the messages in in-flight packets, by packet id modulo the number of slots, a
// power of two.
type records struct {
	used  int // slots; most packets carry no message
	slots []record
	free  *refChunk
	kept  int
}

// conflict returns the record that must be resolved before packet can have one: that of a packet
// maxRecords before it, or nil.
func (r *records) conflict(packet uint16) *record {
	for {
		if len(r.slots) > 0 {
			s := r.slot(packet)
			if !s.used || s.packet == packet {
				return nil
			}
			if len(r.slots) == maxRecords {
				return s
			}
		}
		r.grow()
	}
}

func (r *records) slot(packet uint16) *record {
	return &r.slots[int(packet)&(len(r.slots)-1)]
}

func (r *records) grow() {
	old := r.slots
	r.slots = make([]record, max(32, 2*len(old)))
	for _, s := range old {
		if s.used {
			*r.slot(s.packet) = s
		}
	}
}

// addPiece records one more piece of packet; conflict must be nil.
func (r *records) addPiece(packet uint16, one pieceRef) {
	s := r.slot(packet)
	if !s.used {
		*s = record{packet: packet, used: true}
		r.used++
	}
	c := s.chunks
	if c == nil || c.n == len(c.refs) {
		c = r.newChunk()
		c.next, s.chunks = s.chunks, c
	}
	c.refs[c.n] = one
	c.n++
}

// removePacket removes and returns the refs of packet; give the chunks back one by one.
func (r *records) removePacket(packet uint16) *refChunk {
	if r.used == 0 {
		return nil
	}
	s := r.slot(packet)
	if !s.used || s.packet != packet {
		return nil
	}
	chunks := s.chunks
	*s = record{}
	r.used--
	return chunks
}

func (r *records) newChunk() *refChunk {
	if r.free == nil {
		return new(refChunk)
	}
	c := r.free
	r.free = c.next
	r.kept--
	c.next = nil
	return c
}

// giveBack keeps or drops one chunk and returns the one after it.
func (r *records) giveBack(c *refChunk) (next *refChunk) {
	next = c.next
	if r.kept >= keptChunks {
		return next
	}
	*c = refChunk{next: r.free}
	r.free = c
	r.kept++
	return next
}
