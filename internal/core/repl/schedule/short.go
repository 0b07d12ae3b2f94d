package schedule

import (
	"math"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/encode"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// A peer is short in a tick in which its limit has less room than is planned. The most urgent
// records are sent then, the rest stays due. Predicted groups go first, and together.

// short is what a peer may write of updates in one tick.
type short struct {
	cut  bool // the plan was cut down to the limit
	left int  // bytes that may be written yet; math.MaxInt without a limit

	wanted int // what WantedBytes found, 1 more; 0: it was not asked
}

// Meter sets whether waiting times are kept. They are for a peer with a byte cap, and for a peer
// that once had no room in its packets for groups that may have bounds.
func (p *Planner) Meter(on bool) {
	if p.Metered == on {
		return
	}
	p.Metered = on
	for _, sp := range p.groups.Spaces() {
		sp.SetMetered(on, p.state.Tick)
	}
}

// meterLate starts keeping waiting times for a peer without a byte cap that has no room in its
// packets for all groups, because these may have bounds. Planned groups that found no room have waited
// since that tick.
func (p *Planner) meterLate(left []Step) {
	if p.Metered || len(left) == 0 || len(p.state.Rates.Requested) == 0 {
		return
	}
	p.Meter(true)
	for sp, i := range p.groupsOf(left) {
		sp.WaitingSince[i] = group.DueSince(p.tick)
	}
}

// Limit bounds the bytes of this tick: see Limit of sender.Peer.
func (p *Planner) Limit(bytes int) {
	if !p.prepared() {
		return
	}
	if p.short.left = bytes; bytes < 0 {
		p.short.left = math.MaxInt
	}
	if p.later && !p.isShort() {
		p.planOthers(false)
	}
	if p.limited = p.isShort(); p.limited {
		p.Meter(true)
		if !p.later {
			p.planOthers(true)
		}
		p.shorten()
	}
}

// isShort reports whether the limit has no room for the planned updates.
func (p *Planner) isShort() bool { return p.short.left < p.WantedBytes() }

func (p *Planner) prepared() bool { return p.made && !p.enc.Held }

// RoomLeft returns the room for the next frame.
func (p *Planner) RoomLeft(room int) int { return min(room, p.short.left) }

// Spend takes a frame off the limit.
func (p *Planner) Spend(bits int) { p.short.left -= (bits + 7) / 8 }

// WantedBytes returns about how many bytes of updates are planned for this tick: see WantedBytes of sender.Peer.
func (p *Planner) WantedBytes() int {
	if !p.prepared() {
		return 0
	}
	if p.short.wanted == 0 {
		p.short.wanted = 1 + p.countWanted()
	}
	return p.short.wanted - 1
}

func (p *Planner) countWanted() int {
	bits := p.stepsBits(p.Steps)
	if bits == 0 {
		return 0
	}
	if !p.later {
		n := 0
		for range p.groupsOf(p.Steps) {
			n++
		}
		p.choice.noteSize(bits, n)
	}
	return (withPackets(bits+p.markBits()) + 7) / 8
}

// withPackets adds to a number of bits of records the cost of dividing them among packets, which
// are at least half full: each begins a new run, behind a part of a mark.
func withPackets(bits int) int {
	const full, half = repl.MaxUpdateBytes * 8, repl.MaxUpdateBytes * 4
	return bits + bits/half*(full-encode.MaxRecordBits+MarkBits)
}

// stepsBits bounds what steps take, in one packet. For updates that are not encoded it is an estimate.
func (p *Planner) stepsBits(steps []Step) (bits int) {
	for i := range steps {
		switch s := &steps[i]; {
		case s.Run != nil:
			bits += repl.MaxRunHead*8 + s.Made.Bytes*8
		case p.Records[s.From].Chunk < 0:
			bits += repl.MaxRunHead*8 + repl.EndBits + (s.To-s.From)*p.choice.size
		default:
			bits += p.enc.RunBits(s.Space, p.Records[s.From:s.To])
		}
	}
	return bits
}

// markBits bounds the mark behind the predicted groups.
func (p *Planner) markBits() int {
	if len(p.Predicted) == 0 {
		return 0
	}
	needs := 0
	for k := range p.Predicted {
		f := &p.Predicted[k]
		sp, i := p.groups.LocateHandle(f.Group)
		if p.MayLack(f, sp, i) {
			needs++
		}
	}
	return MarkBits + repl.NeedsBits(needs)
}
