package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// minRoom is the space, in bytes, below which an updates frame is not begun: the
// smallest record with its head.
const minRoom = 16

// AppendUpdates writes an updates frame for the packet pkt: of the groups whose
// values are due, as many as fit into room bytes. It returns dst as it was when
// there is nothing to send. Groups take turns: the next frame goes on where this
// one ended.
func (p *Peer) AppendUpdates(dst []byte, room int, pkt uint16) []byte {
	if room < minRoom || p.world.held {
		return dst
	}
	g := p.nextDue()
	if g < 0 {
		return dst
	}
	heads := repl.Heads{Tick: p.world.tick, Updates: true}
	p.w.Reset(dst)
	start, left := p.w.LenBits(), room*8
	p.flights.begin(pkt, p.world.tick)
	for ; g >= 0 && heads.Rises(repl.Handle(g)); g = p.nextDue() {
		rec := repl.Record{Kind: repl.Update, Group: repl.Handle(g), Seq: p.seq[g], Base: p.base[g]}
		b := p.world.body(rec.Group, bodyKey{kind: repl.Update, base: rec.Base})
		if need := recordBits(&heads, &rec, b); need > left-(p.w.LenBits()-start) {
			if need > repl.MaxUpdateBytes*8 {
				p.promote(g)
				continue
			}
			break
		}
		p.appendUpdate(&heads, &rec, b)
	}
	if p.flights.fresh() {
		p.flights.cancel()
		return dst
	}
	heads.End(&p.w)
	return p.w.Finish()
}

// nextDue returns the next group that has values to send, from the cursor on
// and around, or -1. What turns out to be acknowledged is struck off; a paused
// group is due again when it resumes.
func (p *Peer) nextDue() int {
	for range 2 {
		for g := p.due.Next(p.cursor); g >= 0; g = p.due.Next(g + 1) {
			p.cursor = g
			if p.wantsUpdate(g) {
				return g
			}
			p.due.Clear(g)
		}
		p.cursor = 0
	}
	return -1
}

// wantsUpdate reports whether values alone can be sent of a group: the peer has
// its present structure, and lacks a change. While structure waits the action
// will carry the values too, so that the peer never holds one tick's values in
// another tick's structure.
func (p *Peer) wantsUpdate(g int) bool {
	gr := &p.world.groups[g]
	return p.phase[g] == known && !p.shapeDue.Has(g) && !gr.paused && p.base[g].Before(gr.changed)
}

func (p *Peer) appendUpdate(heads *repl.Heads, rec *repl.Record, b *body) {
	p.appendRecord(heads, rec, b)
	p.due.Clear(int(rec.Group))
	p.sent[rec.Group] = p.world.tick
	p.flights.add(rec.Group)
	p.world.stats.Updates++
}

// promote sends what no packet can hold as an action: those travel in fragments
// that are resent until the whole is there.
func (p *Peer) promote(g int) {
	p.due.Clear(g)
	p.shapeDue.Set(g)
}
