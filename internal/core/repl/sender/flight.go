package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// flightLog remembers the groups of which each packet carried values, until it is acknowledged
// or lost. Its memory follows the number of packets in flight: the groups of all packets share one
// ring, and groups of whole runs are listed in the runs, which peers share.
type flightLog struct {
	packets ring[flight]
	groups  ring[repl.Handle]
	bases   ring[entangle.Tick] // of groups; empty where they do not count
	runs    ring[sentRun]
	moves   bool
}

// sentRun is a run and the baseline from which it was sent as an update.
type sentRun struct {
	*run
	base entangle.Tick
}

// flight lists the contents of a packet. Each group takes at least one bit of it, so 16 bits can
// count the groups.
type flight struct {
	tick   entangle.Tick
	groups uint16
	runs   uint16
	pkt    uint16
	done   bool
}

// ring is a queue that keeps its memory.
type ring[T any] struct {
	items   []T // a power of two
	head, n int
}

// minRing is the initial size of a ring; it doubles as needed. The number of packets in flight is
// bounded by the tracker.
const minRing = 64

func (r *ring[T]) at(i int) *T { return &r.items[(r.head+i)&(len(r.items)-1)] }

func (r *ring[T]) push(v T) {
	r.reserve(1)
	r.n++
	*r.at(r.n - 1) = v
}

// reserve makes room for n more items.
func (r *ring[T]) reserve(n int) {
	if r.n+n <= len(r.items) {
		return
	}
	size := max(minRing, len(r.items))
	for size < r.n+n {
		size *= 2
	}
	bigger := make([]T, size)
	for i := range r.n {
		bigger[i] = *r.at(i)
	}
	r.items, r.head = bigger, 0
}

// drop removes the n oldest items.
func (r *ring[T]) drop(n int) {
	r.head = (r.head + n) & max(0, len(r.items)-1)
	r.n -= n
}

func (f *flightLog) empty() bool { return f.packets.n == 0 }

// beginPacket opens the record of a packet.
func (f *flightLog) beginPacket(pkt uint16, tick entangle.Tick) {
	f.packets.push(flight{pkt: pkt, tick: tick})
}

func (f *flightLog) last() *flight { return f.packets.at(f.packets.n - 1) }

// fresh reports whether the newest record is still empty.
func (f *flightLog) fresh() bool { return f.last().groups == 0 && f.last().runs == 0 }

// cancel removes the newest record, which is empty.
func (f *flightLog) cancel() { f.packets.n-- }

// reserve makes room for n groups.
func (f *flightLog) reserve(n int) { f.groups.reserve(n) }

// provesNothing marks the handle of a group that had an unacknowledged action when an update of it
// was sent. Such an update may wait at the peer, which keeps a bounded number of them and drops
// those that a newer one replaces. Acknowledgement of its packet does not prove that the peer
// applied it, so it moves no baseline; once the action is acknowledged, the changes are sent again.
const provesNothing repl.Handle = 1 << 31

// addRecords notes the groups of some records of a space and their baselines. There must be room for them.
func (f *flightLog) addRecords(sp *space, records []planned) {
	r := &f.groups
	for i := range records {
		at := records[i].at
		h := sp.first + repl.Handle(at)
		if sp.pending.Has(int(at)) {
			h |= provesNothing
		}
		r.items[(r.head+r.n+i)&(len(r.items)-1)] = h
	}
	r.n += len(records)
	f.last().groups += uint16(len(records))
	for i := 0; f.moves && i < len(records); i++ {
		f.bases.push(records[i].base)
	}
}

// addRun notes all groups of a run, and the baseline of the update.
func (f *flightLog) addRun(r *run, base entangle.Tick) {
	f.runs.push(sentRun{r, base})
	f.last().runs++
}

// baseOf returns the baseline of the update sent for the group at a place. It is only called when
// differences are sent.
func (f *flightLog) baseOf(i int) entangle.Tick {
	if !f.moves {
		return 0
	}
	return *f.bases.at(i)
}

// settle finds packets that were acknowledged or lost, and calls each for their groups and all for
// their runs. Packets without groups or runs are not in the log. If the packets come in sending
// order, the records are scanned once.
func (f *flightLog) settle(pkts []uint16, each func(*flight, repl.Handle, entangle.Tick), all func(*flight, sentRun)) {
	var at place
	for i, pkt := range pkts {
		if i > 0 && int16(pkt-pkts[i-1]) < 0 {
			at = place{}
		}
		if fl := f.seekPacket(pkt, &at); fl != nil {
			for k := range int(fl.groups) {
				each(fl, *f.groups.at(at.group + k), f.baseOf(at.group+k))
			}
			for k := range int(fl.runs) {
				all(fl, *f.runs.at(at.run + k))
			}
			fl.done = true
		}
	}
	f.trim()
}

// place is the position of a packet's record, and of its groups and runs.
type place struct{ packet, group, run int }

// seekPacket advances to the record of a packet and returns it, or nil if there is none from that place
// on. Records stand in the order in which their packets were sent.
func (f *flightLog) seekPacket(pkt uint16, at *place) *flight {
	for ; at.packet < f.packets.n; at.packet++ {
		fl := f.packets.at(at.packet)
		if behind := int16(pkt - fl.pkt); behind == 0 && !fl.done {
			return fl
		} else if behind < 0 {
			return nil
		}
		at.group += int(fl.groups)
		at.run += int(fl.runs)
	}
	return nil
}

// trim frees the oldest records of packets that were acknowledged or lost.
func (f *flightLog) trim() {
	for f.packets.n > 0 && f.packets.at(0).done {
		fl := f.packets.at(0)
		f.groups.drop(int(fl.groups))
		if f.moves {
			f.bases.drop(int(fl.groups))
		}
		f.runs.drop(int(fl.runs))
		f.packets.drop(1)
	}
}

// oldest returns the tick of the oldest packet in flight, or now if there is none.
func (f *flightLog) oldest(now entangle.Tick) entangle.Tick {
	if f.packets.n == 0 {
		return now
	}
	return f.packets.at(0).tick
}

// HandleLost handles a packet that is presumed lost: its contents are due again, unless they were
// resent or acknowledged meanwhile.
func (p *Peer) HandleLost(pkt uint16) {
	p.losses, p.lastLoss = true, p.world.tick
	p.flights.settle([]uint16{pkt}, p.onLost, p.onRunLost)
}

func (p *Peer) lost(fl *flight, h repl.Handle, _ entangle.Tick) {
	h &^= provesNothing
	sp, i := p.spaceOf(h)
	if sp.phase[i] != known || sp.retained.Has(i) || !sp.base[i].Before(fl.tick) || fl.tick.Before(sp.sent[i]) {
		return
	}
	if sp == &p.public && p.flights.ranSince(fl.tick, h, h) {
		return
	}
	sp.await(i, p.world.tick)
	sp.sendAgain(i)
	p.stats.Resent++
}

// ranSince reports whether a run that holds all handles from first to last was sent
// after a tick.
func (f *flightLog) ranSince(tick entangle.Tick, first, last repl.Handle) bool {
	ran, ok := f.lastRun(tick, first, last)
	return ok && tick.Before(ran)
}

// lastRun returns the tick of the newest run in flight that holds all handles from first to last,
// searching no further back than a tick.
func (f *flightLog) lastRun(from entangle.Tick, first, last repl.Handle) (tick entangle.Tick, ok bool) {
	for i := f.runs.n - 1; i >= 0; i-- {
		r := f.runs.at(i)
		if r.tick.Before(from) {
			return 0, false
		}
		if r.holds(first, last) {
			return r.tick, true
		}
	}
	return 0, false
}

// holds reports whether a run has all handles from first to last.
func (r *run) holds(first, last repl.Handle) bool {
	if first < r.groups[0] || last > r.groups[len(r.groups)-1] {
		return false
	}
	if r.dense {
		return true
	}
	_, there := slices.BinarySearch(r.groups, first)
	return there && first == last
}

func (p *Peer) runLost(fl *flight, r sentRun) {
	if r.dense && p.flights.ranSince(fl.tick, r.groups[0], r.groups[len(r.groups)-1]) {
		return
	}
	for _, h := range r.groups {
		p.lost(fl, h, r.base)
	}
}
