package channel

// pieceRef identifies one piece of a message.
type pieceRef struct {
	msg   *message
	index uint8
}

// refChunk holds some of the pieces that one packet carries.
type refChunk struct {
	refs [14]pieceRef
	n    int
	next *refChunk
}

// keptChunks is the most chunks that are kept for reuse: one for each packet of a second at 60 Hz.
const keptChunks = 64

type record struct {
	packet uint16
	used   bool
	chunks *refChunk
}

// records lists for each packet in flight the pieces of messages in it. The index is the packet id
// modulo the number of slots, which is a power of two.
type records struct {
	used  int // number of slots in use; most packets carry no message
	slots []record
	free  *refChunk
	kept  int // number of chunks in free
}

// conflict returns the record that must be removed before one for packet can be added: that of a
// packet maxRecords before it. It returns nil if there is none, and grows the slots if that is
// enough.
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

// addPiece records that packet carries one more piece. conflict must have returned nil.
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

// removePacket removes the record of packet and returns its chunks. Pass each to giveBack.
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

// giveBack keeps a chunk for reuse if fewer than keptChunks are kept, and returns the next chunk of
// its packet.
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
