package message

import (
	"errors"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

const (
	// maxReads bounds the references that a client reads in a frame, beyond those of one
	// packet: some milliseconds.
	maxReads = 16 * MaxRefs

	// maxRequests bounds the requests that a server accepts from one client in one frame, beyond
	// those of one packet.
	maxRequests = 256

	// maxMessages bounds the messages of clients that wait in a server's queues, beyond those of
	// one packet and ownMessages of each client, so that no client pushes out the messages of
	// others.
	maxMessages = event.MaxMessageEvents / 2

	// ownMessages is how many messages of a client may wait in a server's queues, whatever the
	// others send.
	ownMessages = 256

	// packetMessages is the largest number of messages in a packet, with one byte of body each.
	packetMessages = entangle.MaxPayload / 3
)

var (
	errMessage     = errors.New("message: malformed message")
	errWrongWay    = errors.New("message: message against its direction")
	errWrongPlace  = errors.New("message: message on another channel than its own")
	errNoSuchThing = errors.New("message: message of a type that is not registered")
)

// Inbox receives the messages of one peer. A client holds those that refer to entities which have not
// arrived yet, and those that are delivered when their tick is shown. On an ordered channel, later
// messages wait behind a held one.
type Inbox struct {
	post   *Post
	from   entangle.ClientID
	slotOf func(repl.ID) (repl.Slot, bool) // finds entities of the peer

	Peer      *peer.Peer    // on a server the client that sends the messages; on a client the server
	Resources *ResourceCopy // nil: the peer may send none
	// EndedBy reports whether the last group of the peer under a handle ended at a tick or later; nil:
	// it is not known.
	EndedBy func(repl.Handle, entangle.Tick) bool

	held      heldMessages
	Quota     quotaFunc    // the work quota of a server's client; nil: there is none
	spent     uint64       // units of work that its messages cost, beyond the cost of their frames
	Waiting   waiting      // messages of the peer that wait in queues
	asked     int          // requests in this frame
	reads     uint64       // references that were read so far
	readsTurn uint64       // the value of reads at the beginning of this frame
	late      repl.ID      // the first missing entity of the current message that may still arrive
	Entities  []ecs.Entity // the entities of the current message
	names     []repl.ID    // by entity: its network id, if the sender issued that id; otherwise noName
	R         bits.Reader
}

// quotaFunc returns the units of work that a client may still cause in this frame, and how many of
// them may be spent on other clients.
type quotaFunc func() (left, forOthers int)

// Costs of clients' messages, in units of work. A unit is about a tenth of a microsecond.
const (
	// refWork is the cost of an entity that a message refers to, and noRefsPerUnit the number of
	// references to no entity that cost one unit.
	refWork       = 1
	noRefsPerUnit = 16
	// messageWork is the cost of a message in addition to its frames: it is decoded, and raised for
	// its readers. requestWork is the additional cost of a request, and of the game's work to
	// answer it.
	messageWork = 1
	requestWork = 5
	// copyWork is the cost of a relayed message for each recipient, and copyBytesPerUnit the number
	// of its bytes that cost one more unit.
	copyWork         = 4
	copyBytesPerUnit = 64
	// valueBytesPerUnit is the number of bytes, by which a value is larger in memory than on the
	// wire, that cost one unit.
	valueBytesPerUnit = 8
)

// NewInbox returns the inbox of a peer. slotOf may be nil if the peer does not replicate.
func (p *Post) NewInbox(from entangle.ClientID, slotOf func(repl.ID) (repl.Slot, bool)) *Inbox {
	return &Inbox{post: p, from: from, slotOf: slotOf}
}

// Work returns the units of work that the peer's messages caused at this end, beyond the cost of
// their frames.
func (m *Inbox) Work() uint64 { return m.spent }

// me returns the recipient of the messages: the id of this client, or Nobody for a server.
func (m *Inbox) me() entangle.ClientID {
	if m.post.server || m.Peer == nil {
		return entangle.Nobody
	}
	return m.Peer.ClientID()
}

// Ready reports whether more data of the peer is accepted in this frame. The rest is treated as
// lost in transit, or waits behind the accepted data.
func (m *Inbox) Ready() bool {
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

// waiting counts messages in queues. A queue drops a message at the second Age after its arrival:
// now counts the messages since the last Age, and before those between the last two.
type waiting struct{ now, before int }

func (w *waiting) sum() int { return w.now + w.before }

// Age ages the counts with the queues, at the beginning of a frame that follows one in which a tick
// ran.
func (w *waiting) Age() { *w = waiting{before: w.now} }

// MessagesOf returns the largest number of messages that can wait in the queues of a server with that
// many clients.
func MessagesOf(clients int) int {
	return event.MaxMessageEvents + clients*(ownMessages+packetMessages)
}

// HandleMessage implements peer.Inbox.
func (m *Inbox) HandleMessage(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error {
	m.spent += messageWork
	if ch != peer.Requests {
		m.Waiting.now++
		m.post.Waiting.now++
	}
	if ch == peer.Resources {
		return m.resource(body)
	}
	h := heldMessage{ch: ch, tick: tick, came: now}
	if !m.post.unordered[ch] && m.held.byChannel[ch] > 0 || m.whenShown(ch, body) {
		return m.hold(h, body)
	}
	if waits, err := m.deliver(&h, body, false, false); err != nil || !waits {
		return err
	}
	return m.hold(h, body)
}

// resource applies the value of a resource, which does not wait for entities.
func (m *Inbox) resource(body []byte) error {
	if m.Resources == nil {
		return errWrongWay
	}
	return m.Resources.handle(m, body)
}

// Advance begins a frame of a server. On a client it runs after the entities of this frame are shown. It delivers the
// held messages that wait for nothing any more.
func (m *Inbox) Advance(now time.Time) error {
	defer func() { m.readsTurn, m.asked = m.reads, 0 }()
	if m.Resources != nil {
		if err := m.Resources.decodeAgain(m); err != nil {
			return err
		}
	}
	return m.deliverHeld(now)
}

// deliver raises a message, unless it has to wait: then h says for what. lacking means that it does not wait for
// entities that have not arrived, and early that it does not wait until its tick is shown.
func (m *Inbox) deliver(h *heldMessage, body []byte, lacking, early bool) (waits bool, err error) {
	m.R.Reset(body)
	if h.ch == peer.Requests {
		h.sent = h.tick
		late, err := m.deliverRequest(h.sent, lacking)
		return late > 0 && m.awaitEntity(h), err
	}
	info, err := m.readType(h.ch)
	if err != nil {
		return false, err
	}
	shownLater := info.WhenShown && !m.post.server
	if h.sent = h.tick; shownLater {
		h.sent = m.readSentTick(h.tick)
	}
	from, to, err := m.readHead(info.Relay)
	if err != nil {
		return false, err
	}
	m.Entities, m.names = m.Entities[:0], m.names[:0]
	missing, late := 0, 0
	if info.Plan.HasRefs() {
		if missing, late, err = m.table(info.Plan, h.sent, lacking); late > 0 || err != nil {
			return err == nil && m.awaitEntity(h), err
		}
	}
	if shownLater && m.awaitTick(h) {
		if !early {
			return true, nil
		}
		m.post.Stat.Early++
	}
	m.countMissing(missing)
	return false, m.Open(info.Number, from, to, h.sent)
}

// readType reads the type of a message, which must be one that the peer may send on that channel.
func (m *Inbox) readType(ch channel.ID) (*registry.Message, error) {
	number := m.R.Uvarint()
	if m.R.Err() != nil || number >= uint64(len(m.post.messages)) {
		return nil, errNoSuchThing
	}
	info := m.post.messages[number]
	if messageChannel(info) != ch {
		return nil, errWrongPlace
	}
	if !info.Direction.SentBy(!m.post.server) {
		return nil, errWrongWay
	}
	return info, nil
}

// table reads the table of entities of a message. missing is the number of entities that do not exist here, and late the
// number of entities that the message waits for. If lacking is set, late is 0.
func (m *Inbox) table(plan *wire.Plan, sent entangle.Tick, lacking bool) (missing, late int, err error) {
	missing, late, ok := m.readRefs(&m.R, plan, sent)
	switch {
	case !ok:
		return 0, 0, errMessage
	case lacking:
		return missing, 0, nil
	}
	return missing, late, nil
}

// countMissing counts a message that is delivered without some of its entities.
func (m *Inbox) countMissing(missing int) {
	if missing > 0 {
		m.post.Stat.Dangling++
	}
}

// readHead reads the sender of a message or, on a server, its recipients.
func (m *Inbox) readHead(relay bool) (from entangle.ClientID, to audience, err error) {
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

// Open decodes a message for its readers, and relays it to other clients. A relayed message was
// validated here: a client cannot make the server send malformed bytes to another client.
func (m *Inbox) Open(number int, from entangle.ClientID, to audience, tick entangle.Tick) error {
	p := m.post
	p.Stat.Received++
	body := m.R
	if p.server && (to.except || len(to.ids) > 0) {
		check := body
		if err := p.messages[number].Plan.Discard(&check, m); err != nil {
			return err
		}
		width := body.RemainingBits() - check.RemainingBits()
		m.relay(Outgoing{Number: number, From: from, Ids: to, width: width}, body, m.Entities)
	}
	return p.Events[number].Receive(event.Head{From: from, To: m.me(), Tick: tick}, &m.R, m)
}

// Expanded charges for a decoded value that is larger in memory than on the wire. The plan of the
// value calls it.
func (m *Inbox) Expanded(bytes int) { m.spent += uint64(bytes) / valueBytesPerUnit }

// relay queues a client's message for others, as far as the client's quota has room for it. The
// client's other traffic is read in any case, however much it relays.
func (m *Inbox) relay(l Outgoing, body bits.Reader, entities []ecs.Entity) {
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

// affords reports whether a client may cause that much work for others.
func (m *Inbox) affords(work int) bool {
	if m.Quota == nil {
		return true
	}
	_, forOthers := m.Quota()
	return work <= forOthers
}

// keepsOrder reports whether messages of a mode are delivered in the order in which they were sent.
func keepsOrder(m channel.Mode) bool {
	return m != channel.UnorderedReliable && m != channel.UnorderedUnreliable
}
