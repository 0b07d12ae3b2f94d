package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// flightLog remembers which groups each packet carried values of, until the
// packet's fate is known. Its memory follows what is in flight: the groups of
// all packets stand in one ring.
type flightLog struct {
	packets []flight // ring, oldest at head
	head, n int
	groups  []repl.Handle // ring
	ghead   int
	gn      int
}

type flight struct {
	pkt    uint16
	tick   entangle.Tick
	groups int
	done   bool
}

// minFlights is the first size of the rings; both double as needed, bounded by
// the packets that a tracker lets be in flight.
const minFlights = 64

func (f *flightLog) empty() bool { return f.n == 0 }

// begin opens the record of a packet.
func (f *flightLog) begin(pkt uint16, tick entangle.Tick) {
	if f.n == len(f.packets) {
		f.packets, f.head = regrow(f.packets, f.head, f.n), 0
	}
	f.packets[(f.head+f.n)&(len(f.packets)-1)] = flight{pkt: pkt, tick: tick}
	f.n++
}

func (f *flightLog) last() *flight {
	return &f.packets[(f.head+f.n-1)&(len(f.packets)-1)]
}

// fresh reports whether the record that was begun last is still empty.
func (f *flightLog) fresh() bool { return f.last().groups == 0 }

// cancel takes the empty record back that was begun last.
func (f *flightLog) cancel() { f.n-- }

// add notes a group in the record that was begun last.
func (f *flightLog) add(g repl.Handle) {
	if f.gn == len(f.groups) {
		f.groups, f.ghead = regrow(f.groups, f.ghead, f.gn), 0
	}
	f.groups[(f.ghead+f.gn)&(len(f.groups)-1)] = g
	f.gn++
	f.last().groups++
}

// settle finds a packet whose fate became known and calls each for its groups.
// Packets that carried none are not here.
func (f *flightLog) settle(pkt uint16, each func(g repl.Handle, tick entangle.Tick)) {
	at := f.ghead
	for i := range f.n {
		fl := &f.packets[(f.head+i)&(len(f.packets)-1)]
		if fl.pkt == pkt && !fl.done {
			for k := range fl.groups {
				each(f.groups[(at+k)&(len(f.groups)-1)], fl.tick)
			}
			fl.done = true
			break
		}
		at += fl.groups
	}
	f.trim()
}

// trim frees the oldest records whose fate is known.
func (f *flightLog) trim() {
	for f.n > 0 && f.packets[f.head].done {
		f.ghead = (f.ghead + f.packets[f.head].groups) & (len(f.groups) - 1)
		f.gn -= f.packets[f.head].groups
		f.head = (f.head + 1) & (len(f.packets) - 1)
		f.n--
	}
}

// regrow doubles a ring and lays it out from its start.
func regrow[T any](ring []T, head, n int) []T {
	bigger := make([]T, max(minFlights, 2*len(ring)))
	for i := range n {
		bigger[i] = ring[(head+i)&(len(ring)-1)]
	}
	return bigger
}

// HandleAcked takes the news that a packet arrived: the peer holds the groups
// that it carried at that packet's tick, or will before anything later applies.
func (p *Peer) HandleAcked(pkt uint16) { p.flights.settle(pkt, p.onAcked) }

// HandleLost takes the news that a packet is presumed lost: what it carried is
// due again, unless it was sent anew or acknowledged meanwhile.
func (p *Peer) HandleLost(pkt uint16) { p.flights.settle(pkt, p.onLost) }

func (p *Peer) acked(g repl.Handle, tick entangle.Tick) {
	if p.phase[g] == known && p.base[g].Before(tick) {
		p.base[g] = tick
	}
}

func (p *Peer) lost(g repl.Handle, tick entangle.Tick) {
	if p.phase[g] == known && p.base[g].Before(tick) && p.sent[g] == tick {
		p.due.Set(int(g))
		p.world.stats.Resent++
	}
}
