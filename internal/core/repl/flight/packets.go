package flight

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// Packets remembers the groups of which each packet carried values, until it is acknowledged or lost.
// Its memory follows the number of packets in flight, which the caller bounds: the groups of all packets
// share one queue, and groups of whole runs are listed in the runs, which peers share.
type Packets struct {
	packets ring.Queue[packet]
	groups  ring.Queue[repl.Handle]
	bases   ring.Queue[entangle.Tick] // of groups, with KeepBases
	runs    ring.Queue[SentRun]

	// KeepBases: the baselines of updates are kept, and are 0 otherwise. Set it before the first packet.
	KeepBases bool
}

// Run is public groups whose updates are sent to many peers in the same bytes.
type Run struct {
	Tick   entangle.Tick
	Groups []repl.Handle // rising
	Dense  bool          // their handles have no gaps
}

// Holds reports whether a run has all handles from first to last.
func (r *Run) Holds(first, last repl.Handle) bool {
	if first < r.Groups[0] || last > r.Last() {
		return false
	}
	if r.Dense {
		return true
	}
	_, there := slices.BinarySearch(r.Groups, first)
	return there && first == last
}

// Last returns the last handle.
func (r *Run) Last() repl.Handle { return r.Groups[len(r.Groups)-1] }

// SentRun is a run, and the baseline from which it was sent as an update.
type SentRun struct {
	*Run
	Base entangle.Tick
}

// Sent is an update of a group that a packet carried.
type Sent struct {
	Tick  entangle.Tick
	Group repl.Handle
	// Unproven: the group had an action in flight. Such an update may wait at the peer, which keeps a
	// bounded number of them and drops those that a newer one replaces. So the acknowledgement of its
	// packet does not prove that the peer applied it.
	Unproven bool
	Base     entangle.Tick
}

// packet lists the contents of a packet. Each group takes at least one bit of it, so 16 bits can
// count the groups.
type packet struct {
	tick   entangle.Tick
	groups uint16
	runs   uint16
	number uint16
	done   bool
}

// unprovenBit marks the handle of a Sent.Unproven.
const unprovenBit repl.Handle = 1 << 31

// Len returns the number of packets with an unknown fate, and of later ones.
func (f *Packets) Len() int { return f.packets.Len() }

// Begin opens the record of a packet.
func (f *Packets) Begin(number uint16, tick entangle.Tick) {
	f.packets.Push(packet{number: number, tick: tick})
}

func (f *Packets) last() *packet { return f.packets.At(f.packets.Len() - 1) }

// LastIsEmpty reports whether the newest record has neither groups nor runs.
func (f *Packets) LastIsEmpty() bool { return f.last().groups == 0 && f.last().runs == 0 }

// Cancel removes the newest record, which is empty.
func (f *Packets) Cancel() { f.packets.Pop() }

// Reserve makes room for n updates in the newest packet, which AddGroup must add next.
func (f *Packets) Reserve(n int) {
	f.groups.Reserve(n)
	f.last().groups += uint16(n)
	if f.KeepBases {
		f.bases.Reserve(n)
	}
}

// AddGroup notes an update of the newest packet, from a baseline. unproven: see Sent.Unproven.
func (f *Packets) AddGroup(h repl.Handle, unproven bool, base entangle.Tick) {
	if unproven {
		h |= unprovenBit
	}
	f.groups.Put(h)
	if f.KeepBases {
		f.bases.Put(base)
	}
}

// AddRun notes all groups of a run, and the baseline of the update.
func (f *Packets) AddRun(r *Run, base entangle.Tick) {
	f.runs.Push(SentRun{r, base})
	f.last().runs++
}

// Remove removes packets that were acknowledged or lost, and calls one for their groups and run for
// their runs. It passes over packets without either. If the packets come in sending order, the records
// are scanned once.
func (f *Packets) Remove(numbers []uint16, one func(Sent), run func(entangle.Tick, SentRun)) {
	var at position
	for i, number := range numbers {
		if i > 0 && int16(number-numbers[i-1]) < 0 {
			at = position{}
		}
		p := f.seek(number, &at)
		if p == nil {
			continue
		}
		for k := at.group; k < at.group+int(p.groups); k++ {
			one(f.sent(p.tick, k))
		}
		for k := range int(p.runs) {
			run(p.tick, *f.runs.At(at.run + k))
		}
		p.done = true
	}
	f.trim()
}

func (f *Packets) sent(tick entangle.Tick, i int) Sent {
	h := *f.groups.At(i)
	s := Sent{Tick: tick, Group: h &^ unprovenBit, Unproven: h&unprovenBit != 0}
	if f.KeepBases {
		s.Base = *f.bases.At(i)
	}
	return s
}

// position is where a packet's record stands, and its groups and runs.
type position struct{ packet, group, run int }

// seek advances to the record of a packet and returns it, or nil if there is none from that position
// on. Records stand in the order in which their packets were sent.
func (f *Packets) seek(number uint16, at *position) *packet {
	for ; at.packet < f.packets.Len(); at.packet++ {
		p := f.packets.At(at.packet)
		if behind := int16(number - p.number); behind == 0 && !p.done {
			return p
		} else if behind < 0 {
			return nil
		}
		at.group += int(p.groups)
		at.run += int(p.runs)
	}
	return nil
}

// trim frees the oldest records of packets that were acknowledged or lost.
func (f *Packets) trim() {
	for f.packets.Len() > 0 && f.packets.At(0).done {
		p := f.packets.At(0)
		f.groups.Drop(int(p.groups))
		if f.KeepBases {
			f.bases.Drop(int(p.groups))
		}
		f.runs.Drop(int(p.runs))
		f.packets.Drop(1)
	}
}

// Oldest returns the tick of the oldest packet in flight, or now if there is none.
func (f *Packets) Oldest(now entangle.Tick) entangle.Tick {
	if f.packets.Len() == 0 {
		return now
	}
	return f.packets.At(0).tick
}

// RanSince reports whether a run that holds all handles from first to last was sent after a tick.
func (f *Packets) RanSince(tick entangle.Tick, first, last repl.Handle) bool {
	for i := f.runs.Len() - 1; i >= 0; i-- {
		r := f.runs.At(i)
		if !tick.Before(r.Tick) {
			return false
		}
		if r.Holds(first, last) {
			return true
		}
	}
	return false
}
