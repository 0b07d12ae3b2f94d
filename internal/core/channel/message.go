package channel

import "time"

type pieceState uint8

const (
	unsent pieceState = iota
	flying
	overdue // its packet was lost: send it again now
	acknowledged
)

// piece is what travels in one frame: a whole message or one fragment of it.
type piece struct {
	at     time.Duration // when it was last packed
	packet uint16        // the packet of that
	state  pieceState
}

// message is an outgoing message. It lives until it has left its queue and no packet in flight
// refers to it.
type message struct {
	lane  *lane
	seq   MessageID
	wire  uint16
	body  []byte
	cost  int
	stamp Stamp   // when it was queued
	share uint8   // of its channel
	began float64 // where its first piece ended in its share

	pieces  []piece
	one     [1]piece // backs pieces of a message that is not fragmented
	unsent  int      // pieces never packed
	unacked int      // pieces not acknowledged
	refs    int      // packets in flight that carry a piece of it, by piece

	by     int32 // its sender, of SendShared, while it occupies its share; else own
	shared bool  // of SendShared
	begun  bool  // its first piece was packed
	done   bool  // reliable: acknowledged in full, or superseded
	gone   bool  // out of its queue
}

// keptMessages bounds the messages a pool keeps for reuse.
const keptMessages = 256

type messagePool struct{ free []*message }

// get returns a message for a body of n bytes.
func (p *messagePool) get(n int) *message {
	msg := p.take()
	fragments := fragmentCount(n)
	if fragments == 1 {
		msg.one[0] = piece{}
		msg.pieces = msg.one[:]
	} else {
		msg.pieces = make([]piece, fragments)
	}
	msg.unsent, msg.unacked = fragments, fragments
	return msg
}

func (p *messagePool) take() *message {
	if len(p.free) == 0 {
		return new(message)
	}
	msg := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return msg
}

func (p *messagePool) put(msg *message) {
	*msg = message{}
	if len(p.free) < keptMessages {
		p.free = append(p.free, msg)
	}
}

// tracked reports whether packets must remember that they carry the message.
func (msg *message) tracked() bool {
	return msg.lane.cfg.Mode.Reliable() || msg.lane.cfg.ReportDelivery
}

// frame returns the frame of piece index.
func (msg *message) frame(index uint8) frame {
	mode := msg.lane.cfg.Mode
	f := frame{id: msg.lane.cfg.ID, fragment: len(msg.pieces) > 1, message: msg.wire, body: msg.body}
	f.hasID = mode.carriesID(f.fragment)
	if f.fragment {
		f.index, f.final = index, uint8(len(msg.pieces)-1)
		from := int(index) * FragmentSize
		f.body = msg.body[from:min(from+FragmentSize, len(msg.body))]
	}
	return f
}

// dequeue removes a message from its queue; it must have begun, if it is reliable.
func (m *Mux) dequeue(msg *message) {
	l := msg.lane
	l.queue.remove(msg.seq)
	m.count--
	msg.gone = true
	if l.cfg.Mode.Reliable() {
		m.window -= msg.cost
	} else {
		l.cost -= msg.cost
		m.dropBody(msg)
	}
	m.recycle(msg)
}

// dropBody frees the bytes of a message that will not be resent.
func (m *Mux) dropBody(msg *message) {
	m.leaveShare(msg)
	if msg.shared && msg.lane.cfg.Mode.Reliable() {
		m.sharedQueued -= msg.cost
	}
	msg.lane.backlog -= len(msg.body)
	msg.lane.unsent -= msg.unsentBytes()
	msg.mine().waiting -= msg.unsent
	msg.lane.waiting--
	m.pool.put(msg.body)
	msg.body = nil
}

// leaveShare releases a message's part of the share for relayed messages.
func (m *Mux) leaveShare(msg *message) {
	if msg.by != own {
		m.shared -= msg.cost
		m.sharedBy[msg.by] -= msg.cost
		msg.by = own
	}
}

// unsentBytes returns the bytes of the pieces that were never packed.
func (msg *message) unsentBytes() (n int) {
	if msg.unsent == 0 {
		return 0
	}
	for i := range msg.pieces {
		if msg.pieces[i].state == unsent {
			n += msg.pieceBytes(i)
		}
	}
	return n
}

func (msg *message) pieceBytes(index int) int {
	if len(msg.pieces) == 1 {
		return len(msg.body)
	}
	return min(FragmentSize, len(msg.body)-index*FragmentSize)
}

func (m *Mux) recycle(msg *message) {
	if msg.gone && msg.refs == 0 {
		m.messages.put(msg)
	}
}
