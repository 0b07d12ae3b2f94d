package sender

import (
	"fmt"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Differences are written with codes that fit the game's values better the more the source has
// learned from them. Learned codes are sent to each peer in tables, version after version. A peer's
// updates use the newest version as soon as the peer has acknowledged it, and until then the
// built-in codes. So there are at most two forms in one tick, which peers share like any body.

// codes is the newest version of the learned codes.
type codes struct {
	version uint32 // 0: none yet
	tick    entangle.Tick
	whole   []byte // its table
	over    []byte // table for a peer that has the previous version
}

// learns reports whether a source learns codes.
func learns(src Source) bool {
	learner, ok := src.(Learner)
	return ok && learner.Learns()
}

// newRun returns the start of a frame of the present tick.
func (w *World) newRun() repl.Run { return repl.Run{Tick: w.tick, Coded: w.coded} }

// Learn switches the source to new codes where From.Codes is not 0: whole is the complete table,
// over the changes since the previous version. Both are copied, and take repl.MaxTableBytes at
// most. Call it after Commit, and no sooner than repl.HistoryTicks after the last call: so no
// difference starts from a value written with a version that a newer one has replaced.
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

// toldCodes is the state of learned codes at a peer.
type toldCodes struct {
	known uint32 // newest acknowledged version
	sent  uint32 // version in flight,
	pkt   uint16 // in this packet; only one is in flight at a time
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

// choosesCodes selects the codes of this tick's updates.
func (p *Peer) choosesCodes() {
	at := uint8(0)
	if version := p.world.codes.version; version > 0 && p.told.known == version {
		at = repl.CodesAt(version)
	}
	p.public.codes, p.private.codes = at, at
}

// lacksCodes reports whether the newest version must be sent to the peer.
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

// tableBytes returns the size of the table to be sent in this tick.
func (p *Peer) tableBytes() int {
	if !p.plan.tells {
		return 0
	}
	head, _ := p.table()
	return repl.MaxTableHead + head.Bytes
}

// tableRoom returns the bits of a limit that are reserved for the table: none where the limit is
// too small for it, and the table has to wait.
func (p *Peer) tableRoom() int {
	if bytes := p.tableBytes(); bytes <= p.plan.short.left {
		return bytes * 8
	}
	return 0
}

// appendTable writes the table if it is due in this tick and fits into room bits of the frame.
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
