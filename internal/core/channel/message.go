package channel

import "time"

type pieceState uint8

const (
	unsent pieceState = iota
	inFlight
	overdue // its packet was lost: send it again now
	acknowledged
)

// piece is the part of a message that one frame carries: the whole message or one fragment.
type piece struct {
	at     time.Duration // when it was last packed
	packet uint16        // id of the packet into which it was last packed
	state  pieceState
}

// message is an outgoing message. Its memory is reused after it has left its queue and no packet in
// flight refers to it.
type message struct {
	channel  *outChannel
	seq      MessageID
	wire     uint16 // id on the wire
	body     []byte
	cost     int
	share    uint8   // index of its share among those of its channel
	shareEnd float64 // position of its share after its first piece

	pieces  []piece
	one     [1]piece // backs pieces of a message that is not fragmented
	unsent  int      // number of pieces never packed
	unacked int      // number of pieces not acknowledged
	refs    int      // number of times that a packet in flight carries one of its pieces

	source  int32 // the source of a relayed message that is not sent in full yet; otherwise own
	relayed bool  // queued by SendRelayed
	begun   bool  // its first piece was packed
	done    bool  // reliable, and acknowledged in full or superseded
	gone    bool  // removed from its queue
}

// keptMessages is the most messages that a pool keeps for reuse.
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

// tracked reports whether the mux records which packets carry the message.
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

// dequeue removes a message from its queue. A reliable message must have begun.
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
