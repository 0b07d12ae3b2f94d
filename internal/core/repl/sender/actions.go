package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// ActionsDue reports whether structure waits to be sent.
func (p *Peer) ActionsDue() bool { return !p.shapeDue.Empty() || !p.doubted.Empty() }

// AppendActions writes one message for a reliable channel that keeps no order:
// the tick, then records of the groups whose structure is due, as many as fit
// into room bytes; one that alone is larger goes alone. It returns dst as it was
// when nothing can be sent now. The caller sends the message and calls
// ActionsSent with the name that it will be acknowledged by.
func (p *Peer) AppendActions(dst []byte, room int) []byte {
	if p.world.held {
		return dst
	}
	p.answerDoubts()
	heads := repl.Heads{Tick: p.world.tick}
	p.w.Reset(dst)
	start := p.w.LenBits()
	p.w.Bits(uint64(p.world.tick), tickBits)
	p.actions.begin(p.world.tick)
	for g := p.shapeDue.Next(0); g >= 0; g = p.shapeDue.Next(g + 1) {
		if p.unacked[g]&windowFull != 0 {
			continue
		}
		rec, b, ok := p.action(g)
		if !ok {
			continue
		}
		if full := p.w.LenBits() - start + recordBits(&heads, &rec, b); full > room*8 && !p.actions.fresh() {
			break
		}
		p.appendAction(&heads, &rec, b)
	}
	if p.actions.fresh() {
		p.actions.cancel()
		return dst
	}
	heads.End(&p.w)
	return p.w.Finish()
}

// windowFull is the bit of the oldest action that may be under way. While it is,
// no further one is sent: the receiver could not tell their sequences apart.
const windowFull = 1 << (repl.MaxActionsInFlight - 1)

// action decides what a group's structure needs at this peer. It is not ok when
// nothing can be said: the bit then stays only if there will be something.
func (p *Peer) action(g int) (rec repl.Record, b *body, ok bool) {
	w := p.world
	rec = repl.Record{Kind: repl.Delta, Group: repl.Handle(g), Seq: p.seq[g].Next(), Tick: w.tick, Base: p.base[g]}
	switch {
	case p.phase[g] == ending, !w.groups[g].open && (p.phase[g] == unknown || w.groups[g].abandoned):
		p.shapeDue.Clear(g)
		p.doubted.Clear(g)
		return rec, nil, false
	case !w.groups[g].open:
		rec.Kind = repl.Gone
		return rec, &w.bodies.none, true
	case w.groups[g].tooLarge, w.groups[g].paused:
		return rec, nil, false
	case p.phase[g] == unknown:
		rec.Kind, rec.Seq = repl.Full, 0
	case p.sent[g] == w.tick:
		// The peer may hold this tick by now, and would drop another record of it.
		return rec, nil, false
	case p.doubted.Has(g):
		rec.Kind = repl.Full
	}
	b = w.body(rec.Group, bodyKey{kind: rec.Kind, base: p.keyBase(rec), shaped: p.keyShaped(rec, g)})
	if messageBits(&rec, b) > repl.MaxGroupBytes*8 {
		w.refuse(rec.Group)
		return rec, nil, false
	}
	return rec, b, true
}

// messageBits bounds an action message of that one record.
func messageBits(rec *repl.Record, b *body) int {
	return tickBits + recordBits(&repl.Heads{Tick: rec.Tick}, rec, b) + 7
}

// tickBits is the width of the tick that an action message begins with.
const tickBits = 32

// keyBase and keyShaped leave out of a body's key what its kind does not use,
// so that it is shared as widely as it can be.
func (p *Peer) keyBase(rec repl.Record) entangle.Tick {
	if rec.Kind == repl.Full {
		return 0
	}
	return rec.Base
}

func (p *Peer) keyShaped(rec repl.Record, g int) entangle.Tick {
	if rec.Kind == repl.Full {
		return 0
	}
	return p.shaped[g]
}

func (p *Peer) appendAction(heads *repl.Heads, rec *repl.Record, b *body) {
	g := rec.Group
	p.appendRecord(heads, rec, b)
	if p.phase[g] == unknown {
		p.world.groups[g].holders++
	}
	p.phase[g] = known
	if rec.Kind == repl.Gone {
		p.phase[g] = ending
	}
	p.seq[g] = rec.Seq
	p.base[g], p.sent[g], p.shaped[g] = p.world.tick, p.world.tick, p.world.tick
	p.unacked[g] = p.unacked[g]<<1 | 1
	p.shapeDue.Clear(int(g))
	p.due.Clear(int(g))
	p.doubted.Clear(int(g))
	p.actions.add(sentAction{rec.Group, rec.Seq})
	p.world.stats.Actions++
}

// ActionsSent names the message that AppendActions wrote last.
func (p *Peer) ActionsSent(message uint16) { p.actions.last().name = message }

// HandleDelivered takes the news that an action message was acknowledged.
func (p *Peer) HandleDelivered(message uint16) { p.actions.settle(message, p.onDelivered) }

// delivered frees the group's handle once nothing of its old life is under way:
// an end that the peer received may still wait there for an action before it.
func (p *Peer) delivered(a sentAction) {
	g := a.group
	p.unacked[g] &^= 1 << ((p.seq[g] - a.seq) % repl.SeqCycle)
	if p.phase[g] == ending && p.unacked[g] == 0 {
		p.phase[g] = unknown
		p.world.release(g)
	}
}

// sentAction is one record of an action message.
type sentAction struct {
	group repl.Handle
	seq   repl.Seq
}

// actionLog remembers the records of each action message until it is delivered.
type actionLog struct {
	messages []actionMessage
	spare    [][]sentAction
}

type actionMessage struct {
	name    uint16
	tick    entangle.Tick
	records []sentAction
}

func (a *actionLog) empty() bool { return len(a.messages) == 0 }

// begin opens the record of a message.
func (a *actionLog) begin(tick entangle.Tick) {
	var records []sentAction
	if n := len(a.spare); n > 0 {
		records, a.spare = a.spare[n-1], a.spare[:n-1]
	}
	a.messages = append(a.messages, actionMessage{tick: tick, records: records})
}

func (a *actionLog) last() *actionMessage { return &a.messages[len(a.messages)-1] }

func (a *actionLog) fresh() bool { return len(a.last().records) == 0 }

// cancel takes back the record that was begun last and stayed empty.
func (a *actionLog) cancel() {
	a.spare = append(a.spare, a.last().records)
	a.messages = a.messages[:len(a.messages)-1]
}

func (a *actionLog) add(rec sentAction) { a.last().records = append(a.last().records, rec) }

func (a *actionLog) settle(name uint16, each func(sentAction)) {
	for i := range a.messages {
		if a.messages[i].name != name {
			continue
		}
		records := a.messages[i].records
		for _, rec := range records {
			each(rec)
		}
		a.spare = append(a.spare, records[:0])
		a.messages = append(a.messages[:i], a.messages[i+1:]...)
		return
	}
}
