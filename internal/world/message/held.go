package message

import (
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

const (
	// MaxHeld bounds the messages of one peer that wait: for an entity, until their tick is shown, or
	// behind such a message. Beyond it the oldest is delivered as it is.
	MaxHeld = 1 << 10

	// maxHeldBytes bounds the bodies of held messages: four of the longest.
	maxHeldBytes = 256 << 10

	// maxHeldFor bounds how long a message waits for entities. A spawn that was lost several times on
	// a bad link has arrived by then, and an entity that has not arrived will not come.
	maxHeldFor = 2 * time.Second

	// maxShownTicks bounds how long a message waits until its tick is shown, in ticks. Changes of
	// entities wait no longer either (package sink).
	maxShownTicks = 512

	// maxHeldReads bounds the references of held messages that are read in a frame, beyond those of
	// one message. The rest waits for the next frame.
	maxHeldReads = MaxRefs
)

// heldMessage is a message that waits.
type heldMessage struct {
	ch   channel.ID
	why  waitReason
	done bool
	tick entangle.Tick // of the packet that it arrived in
	came time.Time
	// sent is the tick that it was sent in, and entity what it waits for; noName: no entity. They are
	// known once it has been read.
	sent      entangle.Tick
	entity    repl.ID
	at, width int // its body in heldMessages.bodies
}

type waitReason uint8

const (
	notRead     waitReason = iota // it was not read yet
	lacksEntity                   // an entity has not arrived
	beforeTick                    // its tick is not shown yet
)

// heldMessages are the messages that wait, in the order in which they arrived. Delivered ones are removed
// together, so that each message is moved a few times at most.
type heldMessages struct {
	list      []heldMessage
	bodies    []byte
	oldest    int // index in list: those before it are done
	n         int // number of messages that wait
	bytes     int // sum of their bodies
	byChannel [channel.MaxID + 1]int
}

// Held returns the number of messages that wait.
func (m *Inbox) Held() int { return m.held.n }

func (l *heldMessages) add(h heldMessage, body []byte) {
	h.at, h.width = len(l.bodies), len(body)
	l.bodies = append(l.bodies, body...)
	l.list = append(l.list, h)
	l.n, l.bytes = l.n+1, l.bytes+len(body)
	l.byChannel[h.ch]++
}

func (l *heldMessages) body(h *heldMessage) []byte { return l.bodies[h.at : h.at+h.width] }

// remove marks a message as delivered.
func (l *heldMessages) remove(i int) {
	h := &l.list[i]
	h.done = true
	l.n, l.bytes = l.n-1, l.bytes-h.width
	l.byChannel[h.ch]--
	for l.oldest < len(l.list) && l.list[l.oldest].done {
		l.oldest++
	}
}

// compact removes the delivered messages once they are more than the others, or have many bytes.
func (l *heldMessages) compact() {
	if l.n > len(l.list)/2 && len(l.bodies) <= 2*maxHeldBytes {
		return
	}
	end := 0
	l.list = slices.DeleteFunc(l.list, func(h heldMessage) bool { return h.done })
	for i := range l.list {
		h := &l.list[i]
		copy(l.bodies[end:], l.body(h))
		h.at, end = end, end+h.width
	}
	l.bodies, l.oldest = l.bodies[:end], 0
}

// hold makes a message wait. Where there is no room, the oldest ones are delivered.
func (m *Inbox) hold(h heldMessage, body []byte) error {
	for m.held.n == MaxHeld || m.held.bytes > maxHeldBytes-len(body) {
		i := m.held.oldest
		oldest := m.held.list[i]
		m.held.remove(i)
		if _, err := m.deliver(&oldest, m.held.body(&oldest), true, true); err != nil {
			return err
		}
	}
	m.held.compact()
	m.held.add(h, body)
	return nil
}

// Overdue returns the number of messages that wait for their tick although it is shown and nothing before them waits: in
// AfterReceive, none. It is for tests.
func (m *Inbox) Overdue() (n int) {
	blocked := [channel.MaxID + 1]bool{}
	for i := range m.held.list {
		h := &m.held.list[i]
		if h.done || blocked[h.ch] {
			continue
		}
		if h.why == beforeTick && m.showsTick(h) {
			n++
		}
		blocked[h.ch] = !m.post.unordered[h.ch]
	}
	return n
}

// deliverHeld delivers the held messages that wait for nothing any more.
func (m *Inbox) deliverHeld(now time.Time) error {
	blocked := [channel.MaxID + 1]bool{}
	before := m.reads
	for i := m.held.oldest; i < len(m.held.list) && m.reads-before <= maxHeldReads; i++ {
		h := &m.held.list[i]
		if h.done || blocked[h.ch] {
			continue
		}
		waits, err := m.retry(h, now)
		if err != nil {
			return err
		}
		if waits {
			blocked[h.ch] = !m.post.unordered[h.ch]
		} else {
			m.held.remove(i)
		}
	}
	m.held.compact()
	return nil
}

// retry delivers a held message if it waits for nothing any more. It is only read if that can be so.
func (m *Inbox) retry(h *heldMessage, now time.Time) (waits bool, err error) {
	lacking, early := now.Sub(h.came) >= maxHeldFor, now.Sub(h.came) >= m.post.maxShown
	switch h.why {
	case lacksEntity:
		if _, here := m.find(h.entity); !here && !lacking && m.mayCome(h.entity, h.sent) {
			return true, nil
		}
	case beforeTick:
		if !early && !m.showsTick(h) {
			return true, nil
		}
	}
	return m.deliver(h, m.held.body(h), lacking, early)
}

// awaitEntity makes the current message wait for the first of its entities that is missing.
func (m *Inbox) awaitEntity(h *heldMessage) bool {
	if h.why != lacksEntity {
		m.post.Stat.Waited++
	}
	h.why, h.entity = lacksEntity, m.late
	return true
}

// awaitTick makes the current message wait until its tick is shown, and reports whether it has to: until one of its
// entities is shown as of that tick or, if it refers to none, what has no send interval of its own.
func (m *Inbox) awaitTick(h *heldMessage) bool {
	refers := false
	h.why = beforeTick
	for i, e := range m.Entities {
		if e.IsZero() {
			continue
		}
		refers, h.entity = true, m.names[i]
		if !m.showsTick(h) {
			return true
		}
	}
	h.entity = noName
	return !refers && !m.showsTick(h)
}

// showsTick reports whether the tick of a message is shown.
func (m *Inbox) showsTick(h *heldMessage) bool {
	a := m.post.applier
	if h.entity == noName {
		return a.ShowsTick(h.sent)
	}
	s, here := m.find(h.entity)
	return !here || a.ShowsReplica(s, h.sent)
}

// whenShown reports whether a client delivers a message when its tick is shown.
func (m *Inbox) whenShown(ch channel.ID, body []byte) bool {
	if m.post.server || ch == peer.Requests {
		return false
	}
	m.R.Reset(body)
	number := m.R.Uvarint()
	return number < uint64(len(m.post.messages)) && m.post.messages[number].WhenShown
}
