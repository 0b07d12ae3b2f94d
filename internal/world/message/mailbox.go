package message

import (
	"errors"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

const (
	// MaxHeld bounds the messages of one peer that wait for an entity. Beyond it
	// the oldest is delivered as it is.
	MaxHeld = 64

	// maxHeldBytes bounds their bodies: four of the longest.
	maxHeldBytes = 256 << 10

	// maxHeldFor bounds how long one waits: a spawn that was lost several times on
	// a bad link is here by then, and what is not here will not come.
	maxHeldFor = 2 * time.Second

	// maxHeldReads bounds the references that a frame reads of held messages, beyond those
	// of one message. What is left waits for the next frame.
	maxHeldReads = MaxRefs

	// maxReads bounds the references that a client reads in a frame, beyond those of one
	// packet: some milliseconds.
	maxReads = 16 * MaxRefs

	// maxRequests bounds the requests that a server takes from one client in one frame, beyond
	// those of one packet.
	maxRequests = 256

	// maxMessages bounds the messages of clients that wait in a server's queues, beyond those
	// of one packet and ownMessages of each client: so that nobody pushes out what others said.
	maxMessages = event.MaxMessageEvents / 2

	// ownMessages is how many messages of a client may wait in a server's queues, whatever the
	// others send.
	ownMessages = 256

	// packetMessages is the most messages that a packet brings, of a byte each.
	packetMessages = entangle.MaxPayload / 3
)

var (
	errMessage     = errors.New("message: malformed message")
	errWrongWay    = errors.New("message: message against its direction")
	errWrongPlace  = errors.New("message: message on another channel than its own")
	errNoSuchThing = errors.New("message: message of a type that is not registered")
)

// Mailbox takes what one peer sends, and keeps what refers to entities that are
// not here yet. On a channel that keeps order, what comes after it waits too.
type Mailbox struct {
	post   *Post
	from   entangle.ClientID
	slotOf func(repl.ID) (repl.Slot, bool) // finds entities of the peer

	Peer      *peer.Peer    // of a server's mailbox: who names its entities; of a client's, who it is
	Resources *ResourceCopy // nil: the peer may send none

	Held      []heldMessage
	heldBytes int
	Quota     quotaFunc     // of a server's client; nil: there is no bound
	spent     uint64        // units that its messages cost, beyond what their frames do
	Waiting   waiting       // of its messages, those that wait in queues
	asked     int           // requests in this frame
	reads     uint64        // references that were read
	readsTurn uint64        // and those before this frame
	late      repl.ID       // of the message at hand: the first that may yet come
	Entities  []ecs.Entity  // of the message at hand
	names     []repl.ID     // of those in the id space of its sender, noName for the others; and
	had       entangle.Tick // of a server's mailbox: the newest that its client had when it wrote it
	R         bits.Reader
}

// quotaFunc returns how many units of work a client may still cause in this frame, and how many
// of them may be for other clients.
type quotaFunc func() (left, forOthers int)

type heldMessage struct {
	ch    channel.ID
	body  []byte
	tick  entangle.Tick
	until time.Time
	// lacks is the first reference that was missing when the message was last read: it is
	// not read again before that one is here. unread: it came behind another.
	lacks  repl.ID
	unread bool
}

// What messages of clients cost, in units of work. A unit is about a tenth of a microsecond.
const (
	// refWork is what an entity costs that a message refers to, and noRefsPerUnit how many
	// references to none cost one.
	refWork       = 1
	noRefsPerUnit = 16
	// messageWork is what a message costs beside its frames: it is decoded, and raised for its
	// readers. requestWork is what a request costs beside that, and what the game does to answer it.
	messageWork = 1
	requestWork = 5
	// copyWork is what a message that is passed on costs for each client that it is for, and
	// copyBytesPerUnit how many of its bytes cost one more.
	copyWork         = 4
	copyBytesPerUnit = 64
	// valueBytesPerUnit is how many bytes cost one by which a value is larger in memory than on
	// the wire.
	valueBytesPerUnit = 8
)

// Mailbox returns the mailbox of a peer. slotOf may be nil where the peer does not
// replicate.
func (p *Post) Mailbox(from entangle.ClientID, slotOf func(repl.ID) (repl.Slot, bool)) *Mailbox {
	return &Mailbox{post: p, from: from, slotOf: slotOf}
}

// Work returns how much the peer's messages made this end do, in units, beyond what their frames
// cost.
func (m *Mailbox) Work() uint64 { return m.spent }

// me returns whom messages come to: the client that this is, Nobody for a server.
func (m *Mailbox) me() entangle.ClientID {
	if m.post.server || m.Peer == nil {
		return entangle.Nobody
	}
	return m.Peer.ClientID()
}

// Ready reports whether more of the peer is taken in this frame. What is not is as if the line had
// lost it, or waits behind what was.
func (m *Mailbox) Ready() bool {
	if m.post.server {
		if m.asked >= maxRequests || m.Waiting.sum() >= ownMessages && m.post.Waiting.sum() >= maxMessages {
			return false
		}
		if m.Quota == nil {
			return true
		}
		left, _ := m.Quota()
		return left > 0
	}
	return m.reads-m.readsTurn <= maxReads
}

// waiting counts messages that wait in queues: a message stays for the frame that brought it and
// those up to the first in which a tick ran, and for as many more.
type waiting struct{ now, before int }

func (w *waiting) sum() int { return w.now + w.before }

// Age follows the queues, at the beginning of a frame that follows one in which a tick ran.
func (w *waiting) Age() { *w = waiting{before: w.now} }

// MessagesOf returns how many messages of so many clients wait in a server's queues at most.
func MessagesOf(clients int) int {
	return event.MaxMessageEvents + clients*(ownMessages+packetMessages)
}

// HandleMessage implements peer.Inbox.
func (m *Mailbox) HandleMessage(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error {
	m.spent += messageWork
	if ch != peer.Requests {
		m.Waiting.now++
		m.post.Waiting.now++
	}
	if ch == peer.Resources {
		return m.resource(body)
	}
	if m.waits(ch) {
		return m.hold(heldMessage{ch: ch, tick: tick, until: now.Add(maxHeldFor), unread: true}, body)
	}
	missing, err := m.deliver(ch, body, tick, false)
	if err != nil || missing == 0 {
		return err
	}
	m.post.Stat.Waited++
	return m.hold(heldMessage{ch: ch, tick: tick, until: now.Add(maxHeldFor), lacks: m.late}, body)
}

// resource takes the value of a resource, which waits for nothing.
func (m *Mailbox) resource(body []byte) error {
	if m.Resources == nil {
		return errWrongWay
	}
	return m.Resources.handle(m, body)
}

// waits reports whether something on that channel is held, and order is kept
// there.
func (m *Mailbox) waits(ch channel.ID) bool {
	if m.post.unordered[ch] {
		return false
	}
	for i := range m.Held {
		if m.Held[i].ch == ch {
			return true
		}
	}
	return false
}

func (m *Mailbox) hold(h heldMessage, body []byte) error {
	for len(m.Held) == MaxHeld || m.heldBytes > maxHeldBytes-len(body) {
		if err := m.release(0); err != nil {
			return err
		}
	}
	m.heldBytes += len(body)
	h.body = append([]byte(nil), body...)
	m.Held = append(m.Held, h)
	return nil
}

// Advance begins a frame: it delivers what waited, once its entities are here or
// its time is up.
func (m *Mailbox) Advance(now time.Time) error {
	defer func() { m.readsTurn, m.asked = m.reads, 0 }()
	if m.Resources != nil {
		if err := m.Resources.advance(m); err != nil {
			return err
		}
	}
	if len(m.Held) == 0 {
		return nil
	}
	blocked := [channel.MaxID + 1]bool{}
	before := m.reads
	for i := 0; i < len(m.Held) && m.reads-before <= maxHeldReads; {
		h := &m.Held[i]
		if blocked[h.ch] {
			i++
			continue
		}
		came, err := m.retry(h, now)
		if err != nil {
			return err
		}
		if !came {
			blocked[h.ch] = !m.post.unordered[h.ch]
			i++
			continue
		}
		m.take(i)
	}
	return nil
}

// retry delivers a held message, if nothing that it refers to can yet come.
func (m *Mailbox) retry(h *heldMessage, now time.Time) (delivered bool, err error) {
	expired := !now.Before(h.until)
	if !h.unread && !expired {
		if _, here := m.slotOf(h.lacks); !here {
			return false, nil
		}
	}
	missing, err := m.deliver(h.ch, h.body, h.tick, expired)
	if err == nil && missing > 0 {
		h.lacks, h.unread = m.late, false
	}
	return missing == 0, err
}

// take takes a held message out.
func (m *Mailbox) take(i int) heldMessage {
	h := m.Held[i]
	m.Held = append(m.Held[:i], m.Held[i+1:]...)
	m.Held[:len(m.Held)+1][len(m.Held)] = heldMessage{} // lets go of the body
	m.heldBytes -= len(h.body)
	return h
}

// release delivers a held message as it is.
func (m *Mailbox) release(i int) error {
	h := m.take(i)
	_, err := m.deliver(h.ch, h.body, h.tick, true)
	return err
}

// deliver raises a message, unless entities are missing that it could wait for.
func (m *Mailbox) deliver(ch channel.ID, body []byte, tick entangle.Tick, anyway bool) (missing int, err error) {
	m.R.Reset(body)
	if ch == peer.Requests {
		return m.deliverRequest(anyway)
	}
	number := m.R.Uvarint()
	if m.R.Err() != nil || number >= uint64(len(m.post.messages)) {
		return 0, errNoSuchThing
	}
	info := m.post.messages[number]
	if messageChannel(info) != ch {
		return 0, errWrongPlace
	}
	if !mayCross(info.Direction, !m.post.server) {
		return 0, errWrongWay
	}
	from, to, err := m.readHead(info.Relay)
	if err != nil {
		return 0, err
	}
	if info.Plan.HasRefs() {
		if missing, err = m.table(info.Plan, anyway); missing > 0 || err != nil {
			return missing, err
		}
	}
	return 0, m.Open(int(number), from, to, tick)
}

// table reads the references. Without anyway, those that may yet come end the
// matter.
func (m *Mailbox) table(plan *wire.Plan, anyway bool) (late int, err error) {
	missing, late, ok := m.readRefs(&m.R, plan)
	switch {
	case !ok:
		return 0, errMessage
	case late > 0 && !anyway:
		return late, nil
	case missing > 0:
		m.post.Stat.Dangling++
	}
	return 0, nil
}

// readHead reads whom a message is from, or on a server whom it is for.
func (m *Mailbox) readHead(relay bool) (from entangle.ClientID, to audience, err error) {
	from = m.from
	if !relay {
		return from, to, nil
	}
	if m.post.server {
		var ok bool
		if to, ok = readAudience(&m.R); !ok {
			return from, to, errMessage
		}
	} else if m.R.Bool() {
		from = entangle.ClientID(m.R.Bits(64))
	}
	return from, to, nil
}

// Open decodes a message for its readers, and passes it on to other clients. What
// is passed on was checked here: no client can be made to send another one bytes
// that are malformed.
func (m *Mailbox) Open(number int, from entangle.ClientID, to audience, tick entangle.Tick) error {
	p := m.post
	p.Stat.Received++
	body := m.R
	if p.server && (to.except || len(to.ids) > 0) {
		check := body
		if err := p.messages[number].Plan.Discard(&check, m); err != nil {
			return err
		}
		width := body.RemainingBits() - check.RemainingBits()
		m.relay(Letter{Number: number, From: from, Ids: to, width: width}, body, m.Entities)
	}
	return p.Events[number].Receive(event.Head{From: from, To: m.me(), Tick: tick}, &m.R, m)
}

// Expanded charges for a value that was read: protocol calls it.
func (m *Mailbox) Expanded(bytes int) { m.spent += uint64(bytes) / valueBytesPerUnit }

// relay queues a client's message for others, as far as the client's quota has room for it. The
// rest of what a client sends is read in any case, however much it passes on.
func (m *Mailbox) relay(l Letter, body bits.Reader, entities []ecs.Entity) {
	p := m.post
	work := l.Ids.most(p.Clients()) * (copyWork + ((l.width+7)/8+8*len(entities))/copyBytesPerUnit)
	if p.full() || !m.affords(work) {
		p.Stat.Refused++
		return
	}
	m.spent += uint64(work)
	p.Forward(l, body, entities)
	p.Stat.Relayed++
}

// affords reports whether a client may cause so much work for others.
func (m *Mailbox) affords(work int) bool {
	if m.Quota == nil {
		return true
	}
	_, forOthers := m.Quota()
	return work <= forOthers
}

// keepsOrder reports whether messages of a mode are delivered in the order in which
// they were sent.
func keepsOrder(m channel.Mode) bool {
	return m != channel.UnorderedReliable && m != channel.UnorderedUnreliable
}
