package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// phase is how far a group has come at a peer.
type phase uint8

const (
	unknown phase = iota // never sent, or its end acknowledged
	known                // its full was sent
	ending               // its end was sent
)

// Peer is what one peer was sent of the world, and what it acknowledged. The
// state by group is columns: what touches every group reads only what it needs.
type Peer struct {
	world *World

	phase   []phase
	base    []entangle.Tick // newest tick that the peer holds before anything later applies
	sent    []entangle.Tick // last tick of which anything was sent
	shaped  []entangle.Tick // last tick of which structure was sent
	seq     []repl.Seq      // of the last action
	unacked []uint8         // bit i: the action i before the last one is under way

	due      repl.Bitset // has values to send
	shapeDue repl.Bitset // has structure to send
	doubted  repl.Bitset // the peer asked for it in full
	cursor   int         // where the next updates frame goes on

	answered entangle.Tick // the last tick in which doubts were answered
	doubts   int           // where the next tick's answers go on

	flights flightLog
	actions actionLog
	w       bits.Writer

	// The methods as values, made once: a method value made per call allocates.
	onAcked, onLost func(repl.Handle, entangle.Tick)
	onDelivered     func(sentAction)
}

// NewPeer takes a peer in: all that is replicated becomes due for it.
func (w *World) NewPeer() *Peer {
	p := &Peer{world: w}
	p.onAcked, p.onLost, p.onDelivered = p.acked, p.lost, p.delivered
	p.grow(len(w.groups))
	w.peers = append(w.peers, p)
	for g := range w.groups {
		if w.groups[g].open {
			p.shapeDue.Set(g)
		}
	}
	return p
}

// Close lets a peer go: it holds no group any more.
func (p *Peer) Close() {
	for g, ph := range p.phase {
		if ph != unknown {
			p.world.release(repl.Handle(g))
		}
	}
	for i, other := range p.world.peers {
		if other == p {
			p.world.peers = append(p.world.peers[:i], p.world.peers[i+1:]...)
			break
		}
	}
	*p = Peer{}
}

func (p *Peer) grow(groups int) {
	for len(p.phase) < groups {
		p.phase = append(p.phase, unknown)
		p.base = append(p.base, 0)
		p.sent = append(p.sent, 0)
		p.shaped = append(p.shaped, 0)
		p.seq = append(p.seq, 0)
		p.unacked = append(p.unacked, 0)
	}
	p.due.Grow(groups)
	p.shapeDue.Grow(groups)
	p.doubted.Grow(groups)
}

// Base returns the base of a group at this peer, for tests and inspection; ok is
// false while the peer was not sent the group.
func (p *Peer) Base(g repl.Handle) (base entangle.Tick, ok bool) {
	if int(g) >= len(p.phase) || p.phase[g] != known {
		return 0, false
	}
	return p.base[g], true
}

// Idle reports whether the peer was sent and acknowledged all there is.
func (p *Peer) Idle() bool {
	return p.due.Empty() && p.shapeDue.Empty() && p.doubted.Empty() && p.flights.empty() && p.actions.empty()
}

// HandleResync answers a peer that lost the thread of a group: it is sent again
// in full. Groups that the peer was never sent are ignored.
func (p *Peer) HandleResync(g repl.Handle) {
	if int(g) >= len(p.phase) || p.phase[g] != known || p.doubted.Has(int(g)) {
		return
	}
	p.world.stats.Resyncs++
	p.doubted.Set(int(g))
}

// MaxFullsPerTick bounds the groups that a peer is sent again in a tick because it
// asked. Asking for everything all the time then costs a server 64 small groups per
// tick; a peer that lost 4,000 groups at once has them back after a second.
const MaxFullsPerTick = 64

// answerDoubts makes the next groups due that the peer has asked for.
func (p *Peer) answerDoubts() {
	if p.answered == p.world.tick {
		return
	}
	p.answered = p.world.tick
	for left, wrapped := MaxFullsPerTick, false; left > 0; left-- {
		g := p.doubted.Next(p.doubts)
		if g < 0 && (wrapped || p.doubts == 0) {
			return
		} else if g < 0 {
			wrapped, p.doubts = true, 0
			continue
		}
		p.doubts = g + 1
		p.shapeDue.Set(g)
	}
}

// appendRecord writes a head, the references and a body.
func (p *Peer) appendRecord(heads *repl.Heads, rec *repl.Record, b *body) {
	heads.Append(&p.w, rec)
	if !rec.Kind.HasBody() {
		return
	}
	p.appendRefs(p.world.bodies.slotsOf(b))
	p.w.Copy(p.world.bodies.bytes(b), b.width)
}

func (p *Peer) appendRefs(slots []repl.Slot) {
	p.w.Bool(len(slots) > 0)
	if len(slots) == 0 {
		return
	}
	p.w.Uvarint(uint64(len(slots)))
	for _, s := range slots {
		id, _ := p.world.ID(s)
		repl.AppendRef(&p.w, repl.Ref{ID: id})
	}
}

// recordBits bounds the size of a record with that body, and the end of a frame
// after it.
func recordBits(heads *repl.Heads, rec *repl.Record, b *body) int {
	return heads.Width(rec) + 1 + repl.MaxRefBits*(b.nrefs+1) + b.width + 1
}
