package endpoint

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// batch holds payloads that arrived in one frame, to be handled in the order in which they were sent. Of two updates of an
// entity the older one counts for nothing if it is handled last, and the screen shows neither of them before the end of the
// frame.
type batch struct {
	bytes    []byte
	payloads []payload
	next     int    // the first that is not handled yet
	handled  uint16 // id of the newest that was
}

// payload is a part of batch.bytes.
type payload struct {
	id       uint16
	from, to int
}

// maxBatch is the most payloads that are held at a time.
const maxBatch = 256

func (b *batch) isFull() bool { return len(b.payloads) == maxBatch }

// add adds a payload. A goodbye and an acknowledgement alone have the id of the packet before them, and are handled after
// that. A payload without a valid header is handled before all later packets.
func (b *batch) add(bytes []byte) {
	p := payload{id: b.handled, from: len(b.bytes)}
	if h, _, err := packet.ParseHeader(bytes); err == nil {
		if p.id = h.ID; h.Kind != packet.Data {
			p.id++
		}
	}
	b.bytes = append(b.bytes, bytes...)
	p.to = len(b.bytes)
	b.payloads = append(b.payloads, p)
}

// emptied returns an empty batch with the buffers of b.
func (b *batch) emptied() batch { return batch{bytes: b.bytes[:0], payloads: b.payloads[:0]} }

// sort puts the payloads that were added into the order in which they were sent.
func (b *batch) sort() {
	slices.SortStableFunc(b.payloads[b.next:], func(x, y payload) int { return int(int16(x.id-b.handled)) - int(int16(y.id-b.handled)) })
}

// take returns the next payload, which is valid until add; nil if there is none.
func (b *batch) take() []byte {
	if b.next == len(b.payloads) {
		b.bytes, b.payloads, b.next = b.bytes[:0], b.payloads[:0], 0
		return nil
	}
	p := &b.payloads[b.next]
	b.next++
	if int16(p.id-b.handled) > 0 {
		b.handled = p.id
	}
	return b.bytes[p.from:p.to]
}
