package limits

import (
	"encoding/binary"
	mathbits "math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// InputLimit is the server's handling of inputs by hand, for one type that it knows and one input
// stream for each client. It reads the same packets and refuses malformed ones. It keeps a ring of
// inputs and one of screens per client, the packet in which each arrived, and the least margin, which it reports. It
// writes a column of components. It has no world, no second input stream per client, no despawns
// and no clock jumps.
type InputLimit struct {
	Tick    entangle.Tick // the last completed tick
	players []limitPlayer
	Sticks  []workload.Stick
	fresh   []bool
	reports []byte
}

// limitRing is the number of places in a ring: enough for more than a second of inputs ahead.
const limitRing = 128

type limitPlayer struct {
	ring     [limitRing]limitInput
	shown    [limitRing]limitScreen
	last     workload.Stick
	received uint64 // bits of received packets: the newest one, and those before it
	newest   uint16
	acked    uint16
	ackBits  uint32
	arrived  int // how many of the server's packets have arrived
	margin   int32
}

// limitScreen is what the screen showed, in 256ths of a tick, when the input of a tick was made.
type limitScreen struct {
	tick entangle.Tick
	base int64
}

// limitInput is an input and its tick.
type limitInput struct {
	tick  entangle.Tick
	stick workload.Stick
}

func NewInputLimit(clients int, tick entangle.Tick) *InputLimit {
	return &InputLimit{
		Tick: tick, players: make([]limitPlayer, clients), Sticks: make([]workload.Stick, clients),
		fresh: make([]bool, clients), reports: make([]byte, 0, 4*clients),
	}
}

// Run handles the packets received for a tick and runs it.
func (l *InputLimit) Run(ends []*workload.LayerEnd) bool {
	ok := true
	for i, e := range ends {
		for payload := range e.Arrived().Each {
			ok = l.players[i].readPacket(payload, l.Tick) && ok
		}
	}
	l.Tick++
	l.apply()
	return ok
}

// apply writes the inputs of a tick, or repeats the last ones, and every quarter of a second writes
// a report.
func (l *InputLimit) apply() {
	at := l.Tick % limitRing
	for i := range l.players {
		p := &l.players[i]
		if l.fresh[i] = p.ring[at].tick == l.Tick; l.fresh[i] {
			p.last = p.ring[at].stick
		} else {
			p.last.Fire = false
		}
		l.Sticks[i] = p.last
	}
	if l.Tick%(workload.TickRate/4) == 0 {
		l.reports = l.reports[:0]
		for i := range l.players {
			p := &l.players[i]
			l.reports = binary.LittleEndian.AppendUint32(l.reports, uint32(p.margin))
			p.margin = 0
		}
	}
}

// readPacket reads a packet.
func (p *limitPlayer) readPacket(payload []byte, now entangle.Tick) bool {
	h, frames, err := packet.ParseHeader(payload)
	if err != nil {
		return false
	}
	p.acknowledge(h.Ack, h.AckBits)
	if h.Kind != packet.Data || !p.isFresh(h.ID) {
		return true
	}
	for len(frames) > 0 {
		id, size := workload.FrameSize(frames)
		if id == peer.Inputs && !p.inputs(frames[1:size], frames[0]&workload.FrameLast != 0, h.Tick, now) {
			return false
		}
		frames = frames[size:]
	}
	return true
}

// acknowledge counts the server's packets that are newly acknowledged.
func (p *limitPlayer) acknowledge(ack uint16, ackBits uint32) {
	by := ack - p.acked
	switch {
	case by == 0:
		p.arrived += mathbits.OnesCount32(ackBits &^ p.ackBits)
	case by < 1<<15:
		old := uint64(p.ackBits)<<1 | 1
		p.arrived += 1 + mathbits.OnesCount32(ackBits&^uint32(old<<(by-1)))
	default:
		return
	}
	p.acked, p.ackBits = ack, ackBits
}

// isFresh records a packet, and reports whether it is the first with its id.
func (p *limitPlayer) isFresh(id uint16) bool {
	by := id - p.newest
	if by > 0 && by < 1<<15 {
		p.newest, p.received = id, p.received<<by|1
		return true
	}
	bit := uint64(1) << -by
	seen := -by >= 64 || p.received&bit != 0
	p.received |= bit
	return !seen
}

// inputs reads a frame of one input stream.
func (p *limitPlayer) inputs(body []byte, last bool, header, now entangle.Tick) bool {
	if !last {
		body = body[1+body[0]>>7:] // skips the length
	}
	var r bits.Reader
	r.Reset(body)
	if !p.screens(&r, header, now) || r.Uvarint() != 0 || !limitName(&r) {
		return false
	}
	r.Bits(3) // epoch
	newest := header + entangle.Tick(r.Varint())
	count := int(r.Uvarint()) + 1
	if r.Err() != nil || count > 64 {
		return false
	}
	for tick := newest; count > 0; {
		n := p.runs(&r, tick, count, now)
		if n == 0 {
			return false
		}
		tick -= entangle.Tick(n)
		count -= n
	}
	return !r.Bool() && r.End() == nil
}

// screens reads what the screen showed when the inputs were made. There are neither timelines nor late frames
// here, since nothing is interpolated.
func (p *limitPlayer) screens(r *bits.Reader, header, now entangle.Tick) bool {
	count := int(r.Uvarint())
	if count == 0 || count > 64 {
		return r.Err() == nil && count == 0
	}
	tick := header + entangle.Tick(r.Varint())
	base := int64(header-entangle.Tick(r.Varint()))<<8 | int64(r.Bits(8))
	if r.Uvarint() != 0 || r.Bool() {
		return false
	}
	p.screen(tick, base, now)
	for same := int64(1); count > 1 && r.Err() == nil; count-- {
		tick--
		if r.Bool() {
			base -= limitAdvance(r) + same<<8
			same = 0
		}
		same++
		p.screen(tick, base, now)
	}
	return r.Err() == nil
}

// screen keeps the first screen of a tick to come.
func (p *limitPlayer) screen(tick entangle.Tick, base int64, now entangle.Tick) {
	if at := &p.shown[tick%limitRing]; tick.Sub(now) > 0 && at.tick != tick {
		*at = limitScreen{tick, base}
	}
}

// limitAdvance reads by how much more than a tick for each input the screen advanced.
func limitAdvance(r *bits.Reader) int64 {
	switch {
	case !r.Bool():
		return int64(r.Bits(4)) - 8
	case !r.Bool():
		return int64(r.Bits(8)) - 96
	default:
		return r.Varint()
	}
}

// limitName skips the network id of an entity.
func limitName(r *bits.Reader) bool {
	r.Bits(2)
	r.Uvarint()
	if r.Bool() { // the generation
		r.Uvarint()
	}
	if r.Bool() { // the member
		r.Uvarint()
	}
	return r.Err() == nil
}

// runs reads an input and applies it to a number of ticks up to newest. It returns that number, at
// most rest, or 0 on an error.
func (p *limitPlayer) runs(r *bits.Reader, newest entangle.Tick, rest int, now entangle.Tick) int {
	if !r.Bool() {
		return 0 // every player has an input here
	}
	code := r.Bits(17)
	x, y := int(code&255), int(code>>8&255)
	n := limitRun(r, rest)
	if x > 200 || y > 200 || n > rest {
		return 0
	}
	stick := workload.Stick{X: float32(float64(x-100) * 0.01), Y: float32(float64(y-100) * 0.01), Fire: code>>16 != 0}
	for tick := newest; tick != newest-entangle.Tick(n) && tick.Sub(now) > 0; tick-- {
		at := &p.ring[tick%limitRing]
		if at.tick == tick {
			break // this tick and all before it are known
		}
		*at = limitInput{tick, stick}
		p.margin = min(p.margin, tick.Sub(now))
	}
	return n
}

// limitRun reads the length of a run, as docs/PROTOCOL.md describes.
func limitRun(r *bits.Reader, rest int) int {
	most := mathbits.Len(uint(rest)) - 1
	high := min(mathbits.TrailingZeros64(r.Peek()|1<<most), most)
	r.Skip(uint(min(high+1, most)))
	return 1<<high | int(r.Bits(uint(high)))
}
