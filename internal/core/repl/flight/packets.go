package flight

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// Packets records the groups of which each packet carried updates, until the packet is acknowledged or lost. The
// groups of all packets share one queue. A whole run that was copied into a packet takes one entry: the run, which
// peers share, lists its groups. The caller bounds the number of packets in flight, and with it the memory.
// Baselines have a queue of their own, which is empty if no component needs them: with them in the queue of groups the
// case memory/group takes 4 % more.
type Packets struct {
	packets   ring.Queue[packet]
	groups    ring.Queue[repl.Handle]
	baselines ring.Queue[entangle.Tick] // by index in groups, if KeepBaselines is set
	runs      ring.Queue[SentRun]
	newest    uint16 // the newest number that is known to have arrived

	// KeepBaselines makes Sent.Base the baseline of the update; otherwise it is 0. Set it before the first packet.
	KeepBaselines bool
}

// SharedRun is a list of public groups. Their updates are encoded once, and copied to many peers.
type SharedRun struct {
	Tick   entangle.Tick
	Groups []repl.Handle // rising
	Dense  bool          // the handles have no gaps
}

// Last returns the last handle.
func (r *SharedRun) Last() repl.Handle { return r.Groups[len(r.Groups)-1] }

// SentRun is a run that a packet carried, and the baseline of its updates.
type SentRun struct {
	*SharedRun
	Base      entangle.Tick
	Overtaken bool // see Sent.Overtaken
}

// Sent is an update of one group that a packet carried.
type Sent struct {
	Tick  entangle.Tick
	Group repl.Handle
	// Unproven means that the acknowledgement of the packet does not prove that the peer applied the update. An action
	// of the group was in flight, for which the update may have had to wait at the peer. The peer keeps a bounded
	// number of waiting updates, and drops those that a newer one replaces.
	Unproven bool
	// Overtaken means that a packet which was sent later may have arrived earlier. If that carried a newer update of the
	// group, the peer has dropped this one.
	Overtaken bool
	Base      entangle.Tick // baseline of the update
}

// packet is the record of one packet. A group takes at least one bit of a packet, so 16 bits can count its groups.
type packet struct {
	tick     entangle.Tick
	groups   uint16 // entries in Packets.groups
	runs     uint16 // entries in Packets.runs
	number   uint16
	together bool // acknowledged by a call of Acknowledge that had several packets
	done     bool // acknowledged or lost
}

// unprovenBit marks the handles of unproven updates in Packets.groups.
const unprovenBit repl.Handle = 1 << 31

// Len returns the number of records: from the oldest packet in flight to the newest one that was sent.
func (f *Packets) Len() int { return f.packets.Len() }

// Begin records a new packet, to which AddGroup and AddRun add updates.
func (f *Packets) Begin(number uint16, tick entangle.Tick) {
	f.packets.Push(packet{number: number, tick: tick})
	if int16(f.newest-number) >= 0 { // the numbers have gone once around since
		f.newest = number - 1
	}
}

func (f *Packets) last() *packet { return f.packets.At(f.packets.Len() - 1) }

// LastIsEmpty reports whether the newest record has neither groups nor runs.
func (f *Packets) LastIsEmpty() bool { return f.last().groups == 0 && f.last().runs == 0 }

// Cancel removes the newest record, which must be empty.
func (f *Packets) Cancel() { f.packets.Pop() }

// Reserve prepares the newest packet for n calls of AddGroup, which must follow.
func (f *Packets) Reserve(n int) {
	f.groups.Reserve(n)
	f.last().groups += uint16(n)
	if f.KeepBaselines {
		f.baselines.Reserve(n)
	}
}

// AddGroup adds an update of a group to the newest packet. For unproven see Sent.Unproven.
func (f *Packets) AddGroup(h repl.Handle, unproven bool, base entangle.Tick) {
	if unproven {
		h |= unprovenBit
	}
	f.groups.Put(h)
	if f.KeepBaselines {
		f.baselines.Put(base)
	}
}

// AddRun adds a whole run to the newest packet, and the baseline of its updates.
func (f *Packets) AddRun(r *SharedRun, base entangle.Tick) {
	f.runs.Push(SentRun{SharedRun: r, Base: base})
	f.last().runs++
}

// Acknowledge removes packets that arrived, and sorts their numbers. For each packet it calls arrived, one for each of its
// groups, and run for each of its runs. Packets without a record are ignored.
func (f *Packets) Acknowledge(numbers []uint16, arrived func(number uint16), one func(Sent), run func(SentRun)) {
	if len(numbers) > 1 {
		slices.SortFunc(numbers, func(a, b uint16) int { return int(int16(a - b)) })
		var at position
		for _, number := range numbers {
			if p := f.seek(number, &at); p != nil {
				p.together = true
			}
		}
	}
	if n := len(numbers); n > 0 && int16(numbers[n-1]-f.newest) > 0 {
		f.newest = numbers[n-1]
	}
	f.remove(numbers, arrived, one, run)
}

// Lose removes a packet that is presumed lost, as Acknowledge does.
func (f *Packets) Lose(number uint16, one func(Sent), run func(SentRun)) {
	f.remove([]uint16{number}, func(uint16) {}, one, run)
}

// remove removes packets, which are in sending order.
func (f *Packets) remove(numbers []uint16, each func(number uint16), one func(Sent), run func(SentRun)) {
	var at position
	for _, number := range numbers {
		p := f.seek(number, &at)
		if p == nil {
			continue
		}
		each(number)
		overtaken := f.isOvertaken(at.packet)
		for k := at.group; k < at.group+int(p.groups); k++ {
			s := f.sent(p.tick, k)
			s.Overtaken = overtaken
			one(s)
		}
		for k := range int(p.runs) {
			r := *f.runs.At(at.run + k)
			r.Overtaken = overtaken
			run(r)
		}
		p.done = true
	}
	f.trim()
}

// isOvertaken implements Sent.Overtaken for the packet at an index. Of the later packets, those that are acknowledged in
// the same call do not count: a newer update in one of them becomes the baseline in any case, unless it is overtaken.
func (f *Packets) isOvertaken(i int) bool {
	for i++; i < f.packets.Len(); i++ {
		if p := f.packets.At(i); int16(f.newest-p.number) < 0 {
			return false
		} else if p.done || !p.together {
			return true
		}
	}
	return false
}

func (f *Packets) sent(tick entangle.Tick, i int) Sent {
	h := *f.groups.At(i)
	s := Sent{Tick: tick, Group: h &^ unprovenBit, Unproven: h&unprovenBit != 0}
	if f.KeepBaselines {
		s.Base = *f.baselines.At(i)
	}
	return s
}

// position is the index of a packet, and those of its first group and run.
type position struct{ packet, group, run int }

// seek moves a position forward to a packet and returns its record. It returns nil if there is none from the position
// on. Records are in sending order.
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

// trim removes the oldest records, up to the first packet in flight.
func (f *Packets) trim() {
	for f.packets.Len() > 0 && f.packets.At(0).done {
		p := f.packets.At(0)
		f.groups.Drop(int(p.groups))
		if f.KeepBaselines {
			f.baselines.Drop(int(p.groups))
		}
		f.runs.Drop(int(p.runs))
		f.packets.Drop(1)
	}
}

// OldestTick returns the tick of the oldest packet in flight, or now if none is in flight.
func (f *Packets) OldestTick(now entangle.Tick) entangle.Tick {
	if f.packets.Len() == 0 {
		return now
	}
	return f.packets.At(0).tick
}
