package systems

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// envelope writes a letter as it travels: what it is, whom it is for or from, the
// entities that it refers to, and its body. It is for one client, or for all who may
// have it if to is the zero Recipient. The bytes are valid until the next.
func (p *Post) envelope(l *letter, to Recipient) []byte {
	w := &p.w
	w.Reset(p.wrap[:0])
	if l.kind == message {
		p.appendMessageHead(w, l)
	} else {
		appendRequestHead(w, l)
	}
	if p.hasRefs(l) {
		p.appendEntities(w, l, to)
	}
	w.Copy(p.heap[l.body:], l.width)
	p.wrap = w.Finish()
	return p.wrap
}

// appendEntities writes the table of entities. Before it names anybody a client says which is the
// newest tick of the server that it has: in time names are given to others, and what it writes now
// may be under way for longer.
func (p *Post) appendEntities(w *bits.Writer, l *letter, to Recipient) {
	w.Uvarint(uint64(l.nrefs))
	if !p.server && l.nrefs > 0 {
		w.Bits(uint64(p.heard), heardBits)
	}
	appendNames(w, p.entities(l), func(e ecs.Entity) (repl.Ref, bool) { return p.refOf(to, e) })
}

// heardBits is how wide a tick is that a client has heard of: whole, so that none is taken for
// another, however late.
const heardBits = 32

func (p *Post) appendMessageHead(w *bits.Writer, l *letter) {
	w.Uvarint(uint64(l.number))
	if !p.messages[l.number].Relay {
		return
	}
	if !p.server {
		appendAudience(w, p.audienceOf(l))
		return
	}
	w.Bool(l.from != entangle.Nobody)
	if l.from != entangle.Nobody {
		w.Bits(uint64(l.from), 64)
	}
}

func (p *Post) audienceOf(l *letter) audience {
	if l.one != entangle.Nobody {
		return audience{ids: []entangle.ClientID{l.one}}
	}
	if l.target == 0 { // of a client, the default is the server alone
		return audience{}
	}
	ids, except := p.targets.Clients(l.target)
	return audience{ids: ids, except: except}
}

// shared reports whether a letter is the same for everybody: all clients see whom it
// refers to, and call them the same.
func (p *Post) shared(l *letter) bool {
	if p.publisher == nil {
		return true
	}
	for _, e := range p.entities(l) {
		if s, ok := p.publisher.Slot(e); ok && !p.publisher.common(s) {
			return false
		}
	}
	return true
}

// refOf returns what the other side calls an entity. One that it can't know, or does
// not see, is none: a letter is not held back for it.
func (p *Post) refOf(to Recipient, e ecs.Entity) (ref repl.Ref, known bool) {
	if p.publisher != nil {
		if s, ok := p.publisher.Slot(e); ok {
			if to != (Recipient{}) && !p.publisher.visible(to, s) {
				return ref, false
			}
			return p.publisher.name(to.Updates, e)
		}
	}
	if p.copy != nil {
		ref.ID, known = p.copy.ID(e)
		ref.Yours = true
	}
	return ref, known
}

// noName is no entity's id.
var noName = repl.ID{Member: repl.MaxMembers}

// readRefs reads the table of a value with a plan and resolves it. missing is how many entities
// are not here, and late how many of them may yet come. A table has no more of them than the
// value can hold: they are read before it is.
func (m *Mailbox) readRefs(r *bits.Reader, plan *protocol.Plan) (missing, late int, ok bool) {
	m.entities, m.names = m.entities[:0], m.names[:0]
	n := r.Uvarint()
	if n > uint64(min(repl.MaxRefs, plan.MaxRefs())) || n > uint64(r.RemainingBits()) {
		return 0, 0, false
	}
	if m.post.server && n > 0 {
		m.had = entangle.Tick(r.Bits(heardBits))
	}
	m.reads += n
	some := uint64(0)
	for range n {
		var e ecs.Entity
		name := noName
		if r.Bool() {
			some++
			ref, ok := repl.ReadRef(r)
			if !ok {
				return 0, 0, false
			}
			var here bool
			if e, here = m.resolve(ref); !here {
				missing++
			}
			if !here && m.mayCome(ref) {
				if late++; late == 1 {
					m.late = ref.ID
				}
			}
			if !ref.Yours {
				name = ref.ID
			}
		}
		m.entities, m.names = append(m.entities, e), append(m.names, name)
	}
	m.spent += some*refWork + (n-some)/noRefsPerUnit
	return missing, late, r.Err() == nil
}

// At implements protocol.RefReader.
func (m *Mailbox) At(index uint32) (ecs.Entity, bool) {
	if index == 0 || int64(index) > int64(len(m.entities)) {
		return ecs.Entity{}, index == 0
	}
	return m.entities[index-1], true
}

// mayCome reports whether an entity that is not here can be under way: only what
// the other side replicates. One of this side's own that is not there is gone, and
// a message about it is not held back.
func (m *Mailbox) mayCome(ref repl.Ref) bool { return !ref.Yours && m.slotOf != nil }

// resolve finds the entity that the other side means, or meant when it wrote the message.
func (m *Mailbox) resolve(ref repl.Ref) (ecs.Entity, bool) {
	p := m.post
	switch {
	case ref.Yours && p.publisher != nil:
		return p.publisher.meant(m.peer, ref.ID, m.had)
	case !ref.Yours && m.slotOf != nil:
		s, ok := m.slotOf(ref.ID)
		return p.copy.Entity(s), ok
	}
	return ecs.Entity{}, false
}

func (p *Post) hasRefs(l *letter) bool {
	switch {
	case l.kind == message:
		return p.messages[l.number].Plan.HasRefs()
	case l.kind == request:
		return p.requests[l.number].Question.HasRefs()
	default:
		return !l.failed && p.requests[l.number].Answer.HasRefs()
	}
}

// channel returns the channel that a letter goes by.
func (p *Post) channel(l *letter) channel.ID {
	if l.kind != message {
		return peer.Requests
	}
	return messageChannel(p.messages[l.number])
}

// priority returns what a letter counts for among those of its channel.
func (p *Post) priority(l *letter) float32 {
	if l.kind != message {
		return 1
	}
	return p.messages[l.number].Priority
}

// messageChannel returns the channel that messages of a type go by: their own, or
// the default one of their mode.
func messageChannel(info *protocol.MessageInfo) channel.ID {
	if info.Channel != nil {
		return peer.FirstUser + channel.ID(info.Channel.Number)
	}
	return peer.FirstMessages + channel.ID(info.Mode)
}
