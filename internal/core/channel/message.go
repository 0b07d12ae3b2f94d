package channel

import "time"

type pieceState uint8

const (
	unsent pieceState = iota
	inFlight
	overdue // its packet was lost: send it again now
	acknowledged
)

// piece is what travels in one frame: a whole message or one fragment of it.
type piece struct {
	at     time.Duration // when it was last packed
	packet uint16        // that it was packed into
	state  pieceState
}

// message is an outgoing message. It lives until it has left its queue and no packet in flight
// refers to it.
type message struct {
	channel  *outChannel
	seq      MessageID
	wire     uint16
	body     []byte
	cost     int
	stamp    Stamp   // when it was queued
	share    uint8   // of its channel
	shareEnd float64 // where its first piece ended in its share

	pieces  []piece
	one     [1]piece // backs pieces of a message that is not fragmented
	unsent  int      // pieces never packed
	unacked int      // pieces not acknowledged
	refs    int      // packets in flight that carry a piece of it, by piece

	source  int32 // if relayed and not sent in full: its source; else own
	relayed bool  // by SendRelayed
	begun   bool  // its first piece was packed
	done    bool  // reliable: acknowledged in full, or superseded
	gone    bool  // out of its queue
}

// keptMessages bounds the messages a pool keeps for reuse.
const keptMessages = 256

type messagePool struct{ free []*message }

// get returns a message for a body of n bytes.
func (p *messagePool) get(n int) *message {
	var msg *message
	if last := len(p.free) - 1; last >= 0 {
		msg, p.free = p.free[last], p.free[:last]
	} else {
		msg = new(message)
	}
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

func (p *messagePool) giveBack(msg *message) {
	*msg = message{}
	if len(p.free) < keptMessages {
		p.free = append(p.free, msg)
	}
}

// tracked reports whether packets must remember that they carry the message.
func (msg *message) tracked() bool {
	return msg.channel.cfg.Mode.Reliable() || msg.channel.cfg.ReportDelivery
}

// frameOf returns the frame of a piece.
func (msg *message) frameOf(index uint8) frame {
	mode := msg.channel.cfg.Mode
	f := frame{id: msg.channel.cfg.ID, fragment: len(msg.pieces) > 1, message: msg.wire, body: msg.body}
	f.hasID = mode.carriesID(f.fragment)
	if f.fragment {
		f.index, f.final = index, uint8(len(msg.pieces)-1)
		from := int(index) * FragmentSize
		f.body = msg.body[from:min(from+FragmentSize, len(msg.body))]
	}
	return f
}

// dequeue removes a message from its queue; it must have begun, if it is reliable.
func (s *sender) dequeue(msg *message) {
	ch := msg.channel
	ch.queue.removeMessage(msg.seq)
	s.count--
	msg.gone = true
	if ch.cfg.Mode.Reliable() {
		s.window -= msg.cost
	} else {
		ch.cost -= msg.cost
		s.dropBody(msg)
	}
	s.recycle(msg)
}

// dropBody frees the bytes of a message that will not be resent.
func (s *sender) dropBody(msg *message) {
	s.relayed.removeQueued(msg)
	ch := msg.channel
	ch.backlog -= len(msg.body)
	ch.unsent -= msg.unsentBytes()
	ch.waiting--
	msg.shareOf().waiting -= msg.unsent
	s.pool.giveBack(msg.body)
	msg.body = nil
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

// recycle frees a message that is not needed any more.
func (s *sender) recycle(msg *message) {
	if msg.gone && msg.refs == 0 {
		s.messages.giveBack(msg)
	}
}
