package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A peer with a byte cap is short when the cap has less room than is planned. What is
// most urgent goes then, and the rest stays due.

// short is what a peer may write of updates in one tick.
type short struct {
	on   bool // there is a limit in this tick
	left int  // bytes that may be written yet
}

// Meter says whether the peer has a byte cap. Of such a peer it is known since when
// each group waits to be sent.
func (p *Peer) Meter(on bool) { p.metered = on }

// WantedBytes returns, after Prepare, about how many bytes of updates are planned for
// this tick. It is never less than what AppendUpdates writes into packets that hold
// nothing else.
func (p *Peer) WantedBytes() int {
	if p.world.held || !p.plan.made || p.plan.tick != p.world.tick {
		return 0
	}
	bits := 0
	for i := p.plan.next; i < len(p.plan.steps); i++ {
		bits += p.wantedBits(&p.plan.steps[i])
	}
	if bits == 0 {
		return 0
	}
	bits += p.wantedMarkBits()
	const full = repl.MaxUpdateBytes*8 - maxRecordBits // a packet may end where a record finds no room
	packets := 1 + bits/(repl.MaxUpdateBytes*8)
	return (bits + packets*(full+7) + 7) / 8
}

// wantedBits bounds what a step takes.
func (p *Peer) wantedBits(s *step) int {
	if s.run != nil {
		return repl.MaxRunHead*8 + s.made.bytes*8
	}
	bits := repl.MaxRunHead*8 + repl.EndBits
	wire := repl.Run{Tick: p.world.tick}
	for i := s.from; i < s.to; i++ {
		rec := &p.plan.records[i]
		h := s.space.first + repl.Handle(rec.at)
		bits += wire.Width(h, rec.start()) + p.recordBits(rec)
		wire.Enter(h, rec.start())
	}
	return bits
}

// wantedMarkBits bounds the mark behind the predicted groups.
func (p *Peer) wantedMarkBits() int {
	if len(p.predicted) == 0 {
		return 0
	}
	needs := 0
	for _, h := range p.predicted {
		sp, i := p.spaceOf(h)
		if sp.unacked[i] != 0 || sp.base[i].Before(p.lastSent(sp, i)) {
			needs++
		}
	}
	return markBits + repl.NeedsBits(needs)
}

// Limit lets AppendUpdates write no more than so many bytes in this tick; less than 0
// is no limit. Call it after Prepare and before AppendUpdates.
func (p *Peer) Limit(bytes int) {
	if p.plan.made && p.plan.tick == p.world.tick {
		p.plan.short = short{on: bytes >= 0, left: bytes}
	}
}

// limited returns the room for the next frame.
func (p *Peer) limited(room int) int {
	if !p.plan.short.on {
		return room
	}
	return min(room, p.plan.short.left)
}

// spend takes a frame off the limit.
func (p *Peer) spend(bits int) { p.plan.short.left -= (bits + 7) / 8 }
