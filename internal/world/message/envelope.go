package message

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Envelope encodes a message for the wire: its type, sender or recipients, the entities that it
// refers to, and its body. It is for one client, or for all clients that may receive it if to is
// the zero Recipient. The bytes are valid until the next call.
func (p *Post) Envelope(l *Outgoing, to source.Recipient) []byte {
	w := &p.w
	w.Reset(p.wrap[:0])
	if l.Kind == Message {
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

// appendEntities writes the table of entities.
func (p *Post) appendEntities(w *bits.Writer, l *Outgoing, to source.Recipient) {
	w.Uvarint(uint64(l.nrefs))
	source.AppendNames(w, p.Entities(l), func(e ecs.Entity) (repl.Ref, bool) { return p.refOf(to, e) })
}

// sentTickBits is the size of the tick that a message was sent in: its low bits. The tick is at most so far behind
// that of the packet in which the message arrives.
const sentTickBits = 16

// readSentTick reads the tick that a message was sent in.
func (m *Inbox) readSentTick(packet entangle.Tick) entangle.Tick {
	low := entangle.Tick(m.R.Bits(sentTickBits))
	return packet - (packet-low)&(1<<sentTickBits-1)
}

func (p *Post) appendMessageHead(w *bits.Writer, l *Outgoing) {
	w.Uvarint(uint64(l.Number))
	if p.server && p.messages[l.Number].WhenShown {
		w.Bits(uint64(p.tick)&(1<<sentTickBits-1), sentTickBits)
	}
	if !p.messages[l.Number].Relay {
		return
	}
	if !p.server {
		appendAudience(w, p.AudienceOf(l))
		return
	}
	w.Bool(l.From != entangle.Nobody)
	if l.From != entangle.Nobody {
		w.Bits(uint64(l.From), 64)
	}
}

func (p *Post) AudienceOf(l *Outgoing) audience {
	if l.one != entangle.Nobody {
		return audience{ids: []entangle.ClientID{l.one}}
	}
	if l.target == 0 { // the default target of a client's message is the server alone
		return audience{}
	}
	ids, except := p.targets.Clients(l.target)
	return audience{ids: ids, except: except}
}

// Shared reports whether the bytes of a message are the same for every client: all of them see the
// entities that it refers to, under the same network ids.
func (p *Post) Shared(l *Outgoing) bool {
	if p.collector == nil {
		return true
	}
	for _, e := range p.Entities(l) {
		if s, ok := p.collector.Slot(e); ok && !p.collector.Common(s) {
			return false
		}
	}
	return true
}

// refOf returns the reference by which the other side knows an entity. An entity that it cannot
// know, or does not see, is written as none: the message is not held back for it.
func (p *Post) refOf(to source.Recipient, e ecs.Entity) (ref repl.Ref, known bool) {
	if p.collector != nil {
		if s, ok := p.collector.Slot(e); ok {
			if to != (source.Recipient{}) && !p.collector.Visible(to, s) {
				return ref, false
			}
			return p.collector.Name(to.Replication, e)
		}
	}
	if p.applier != nil {
		ref.ID, known = p.applier.Replicas.ID(e)
		ref.Yours = true
	}
	return ref, known
}

// noName is no entity's id.
var noName = repl.ID{Member: repl.MaxMembers}

// readRefs reads the reference table of a value with a plan and resolves it. missing is the number
// of entities that do not exist here, and late the number of those that may still arrive: they existed
// in the tick sent. The table is read before the value, and has no more references than the value can
// hold.
func (m *Inbox) readRefs(r *bits.Reader, plan *wire.Plan, sent entangle.Tick) (missing, late int, ok bool) {
	m.Entities, m.names = m.Entities[:0], m.names[:0]
	n := r.Uvarint()
	if n > uint64(min(MaxRefs, plan.MaxRefs())) || n > uint64(r.RemainingBits()) {
		return 0, 0, false
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
			if !here && !ref.Yours && m.mayCome(ref.ID, sent) {
				if late++; late == 1 {
					m.late = ref.ID
				}
			}
			if !ref.Yours {
				name = ref.ID
			}
		}
		m.Entities, m.names = append(m.Entities, e), append(m.names, name)
	}
	m.spent += some*refWork + (n-some)/noRefsPerUnit
	return missing, late, r.Err() == nil
}

// At implements wire.RefReader.
func (m *Inbox) At(index uint32) (ecs.Entity, bool) {
	if index == 0 || int64(index) > int64(len(m.Entities)) {
		return ecs.Entity{}, index == 0
	}
	return m.Entities[index-1], true
}

// mayCome reports whether a missing entity of the other side, which existed there in a tick, can be in
// flight. It can't if its group has ended since. A missing entity of this side has despawned, and a
// message about it is not held back.
func (m *Inbox) mayCome(id repl.ID, sent entangle.Tick) bool {
	return m.slotOf != nil && (m.EndedBy == nil || !m.EndedBy(id.Group, sent))
}

// resolve finds the entity that the other side referred to when it wrote the message.
func (m *Inbox) resolve(ref repl.Ref) (ecs.Entity, bool) {
	p := m.post
	switch {
	case ref.Yours && p.collector != nil:
		return p.collector.Named(m.Peer, ref.ID)
	case !ref.Yours && m.slotOf != nil:
		s, ok := m.find(ref.ID)
		return p.applier.Replicas.Entity(s), ok
	}
	return ecs.Entity{}, false
}

// find returns the replica of an entity of the other side. One that has ended is found as long as it is shown.
func (m *Inbox) find(id repl.ID) (repl.Slot, bool) {
	if s, ok := m.slotOf(id); ok {
		return s, ok
	}
	return m.post.applier.Leaving(id)
}

func (p *Post) hasRefs(l *Outgoing) bool {
	switch {
	case l.Kind == Message:
		return p.messages[l.Number].Plan.HasRefs()
	case l.Kind == Request:
		return p.requests[l.Number].Question.HasRefs()
	default:
		return !l.Failed && p.requests[l.Number].Answer.HasRefs()
	}
}

// Channel returns the channel that carries a message.
func (p *Post) Channel(l *Outgoing) channel.ID {
	if l.Kind != Message {
		return peer.Requests
	}
	return messageChannel(p.messages[l.Number])
}

// Priority returns the priority of a message among those of its channel.
func (p *Post) Priority(l *Outgoing) float32 {
	if l.Kind != Message {
		return 1
	}
	return p.messages[l.Number].Priority
}

// messageChannel returns the channel of a message type: its own, or the default one of its mode.
func messageChannel(info *registry.Message) channel.ID {
	if info.Channel != nil {
		return peer.FirstUser + channel.ID(info.Channel.Number)
	}
	return peer.FirstMessages + channel.ID(info.Mode)
}
