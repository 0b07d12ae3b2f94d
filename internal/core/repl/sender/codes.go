package sender

import (
	"fmt"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Differences are written with codes that fit them better as more is learned of them. What is
// learned is told to each peer in tables, version after version, and a peer's updates are
// written with the newest as soon as it has acknowledged that. Until then they are written
// with the codes that are always there, so that there are two forms at most in one tick,
// which peers share as ever.

// codes is the newest version of what was learned.
type codes struct {
	version uint32 // 0: none yet
	tick    entangle.Tick
	whole   []byte // its table
	over    []byte // that for who holds the version before
}

// learns reports whether a source learns codes.
func learns(src Source) bool {
	learner, ok := src.(Learner)
	return ok && learner.Learns()
}

// newRun returns what a frame of the present tick begins with.
func (w *World) newRun() repl.Run { return repl.Run{Tick: w.tick, Coded: w.coded} }

// Learn says that the source encodes with new codes from now on where From.Codes is not 0:
// whole is the table of all, over of what is not as in the version before. Both are copied,
// and take repl.MaxTableBytes at most. Call it after Commit, and no sooner than
// repl.HistoryTicks after the last time: so no difference starts from what was written with a
// version whose place others have got.
func (w *World) Learn(whole, over []byte) {
	c := &w.codes
	if c.version > 0 && w.tick.Sub(c.tick) < repl.HistoryTicks {
		panic(fmt.Sprintf("sender: new codes %d ticks after the last: wait for %d", w.tick.Sub(c.tick), repl.HistoryTicks))
	}
	c.version++
	c.tick = w.tick
	c.whole, c.over = append(c.whole[:0], whole...), append(c.over[:0], over...)
	for _, p := range w.peers {
		p.public.codes, p.private.codes = 0, 0
	}
}

// toldCodes is what a peer was told of codes.
type toldCodes struct {
	known uint32 // newest version that it acknowledged
	sent  uint32 // the one that is under way,
	pkt   uint16 // in this packet; no other is waited for
	away  bool
}

func (t *toldCodes) acked(pkts []uint16) {
	if t.away && slices.Contains(pkts, t.pkt) {
		t.known, t.away = t.sent, false
	}
}

func (t *toldCodes) lost(pkt uint16) {
	if t.away && t.pkt == pkt {
		t.away = false
	}
}

// choosesCodes chooses what this tick's updates are written with.
func (p *Peer) choosesCodes() {
	at := uint8(0)
	if version := p.world.codes.version; version > 0 && p.told.known == version {
		at = repl.CodesAt(version)
	}
	p.public.codes, p.private.codes = at, at
}

// lacksCodes reports whether the peer is to be told of the newest version.
func (p *Peer) lacksCodes() bool {
	version, t := p.world.codes.version, &p.told
	return t.known != version && !(t.away && t.sent == version)
}

// table returns the table that the peer needs.
func (p *Peer) table() (head repl.Table, body []byte) {
	c := &p.world.codes
	head, body = repl.Table{Version: c.version}, c.whole
	if p.told.known > 0 && p.told.known == c.version-1 {
		head.Over, body = true, c.over
	}
	head.Bytes = len(body)
	return head, body
}

// tableBytes is what the table takes that is to go along in this tick.
func (p *Peer) tableBytes() int {
	if !p.plan.tells {
		return 0
	}
	head, _ := p.table()
	return repl.MaxTableHead + head.Bytes
}

// tableRoom is how many bits of a limit are kept for the table: none where that is too short
// for it, and it has to wait.
func (p *Peer) tableRoom() int {
	if bytes := p.tableBytes(); bytes <= p.plan.short.left {
		return bytes * 8
	}
	return 0
}

// appendTable writes the table if it is to go along, and there are so many bits for the frame.
func (p *Peer) appendTable(room int, pkt uint16) bool {
	if !p.plan.tells || p.w.LenBits()+p.tableBytes()*8 > room {
		return false
	}
	head, body := p.table()
	head.Append(&p.w)
	p.w.Raw(body)
	p.plan.tells = false
	p.told = toldCodes{known: p.told.known, sent: head.Version, pkt: pkt, away: true}
	return true
}
