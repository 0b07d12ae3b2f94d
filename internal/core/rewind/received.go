package rewind

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// Times of arrival that are no time of a screen.
const (
	notYet = timesync.Shown(math.MaxInt64) // it is not known to have arrived
	inTime = timesync.Shown(math.MinInt64) // before any screen on which it makes a difference
)

const (
	tickRows   = 128  // ticks of which it is held whether their packets were late
	frameRows  = 128  // late frames
	packetRows = 1024 // packets of which the tick is held

	// heldPackets is of how many ticks a Record holds by which packets updates arrived. That matters if they were late, for
	// the four updates around the shown time. It is a power of two.
	heldPackets = 32

	keptChanges = 3 // changes of structure of a group of which it is held when they arrived
)

// Group is the place of a group at a client: its index in one of two spaces.
type Group struct {
	Private bool
	Index   int
}

// Record is what a client has received of one group.
type Record struct {
	mask    uint64              // bit k: the update of newest-k arrived
	newest  entangle.Tick       // of the updates that arrived
	blocked entangle.Tick       // newest update that may have waited for structure; farAhead while some is on the way
	since   entangle.Tick       // of the full by which the client got the group
	arrived arrival             // of the full
	changes [keptChanges]change // the newest changes of structure, the newest first
	unsure  entangle.Tick       // of the newest change that is no longer held although it was late, or on the way
	prior   entangle.Tick       // of the newest update that arrived before those of mask, or since
	parted  uint32              // number of the newest of the departures that refer to the record; 0: none does
	seen    [2]entangle.Tick    // when what the client may see of the group changed: last, and the time before
	packets [heldPackets]uint8  // of the newest updates, by tick: the number of the packet in the tick
}

// farAhead is by how many ticks a time is after all that is asked for.
const farAhead = 1 << 30

// arrival is the packet by which something arrived. The zero value is that of something that is not known to have
// arrived.
type arrival struct {
	tick   entangle.Tick
	id     uint16
	known  bool
	waited bool // it may have arrived before: with a packet after which the client waited for others, or one that was sent earlier
}

// wait records that something arrived with a packet, or waits at the client for what has not.
func (a *arrival) wait(with arrival) {
	if !a.known {
		*a = arrival{tick: with.tick, id: with.id, waited: true}
	}
}

// set records with which packet something arrived at the latest, which was sent in a tick. A packet of another tick has sent
// it again: the first one may have arrived too, if its acknowledgement was lost or came after it counted as lost.
func (a *arrival) set(with arrival, sent entangle.Tick) {
	if !a.known {
		with.waited = a.waited && a.id != with.id || with.tick != sent
		*a = with
	}
}

// change is a change of a group's structure. Later updates wait for it.
type change struct {
	tick    entangle.Tick
	after   entangle.Tick // of the change before: what joined the group since was sent with this one
	shows   bool          // the client may see since then what it might not see before
	arrived arrival
}

// receive records that an update arrived, with a packet of its tick. Acknowledgements come in any order.
func (r *Record) receive(tick entangle.Tick, packet uint8) {
	switch by := tick.Sub(r.newest); {
	case by <= -64:
		return
	case by <= 0:
		r.mask |= 1 << -by
	case by >= 64:
		r.newest, r.mask, r.prior = tick, 1, r.newest
	default:
		if lost := r.mask >> (64 - by); lost != 0 {
			r.prior = r.newest - entangle.Tick(64-int(by)+bits.TrailingZeros64(lost))
		}
		r.newest, r.mask = tick, r.mask<<by|1
	}
	if r.newest.Sub(tick) < heldPackets {
		r.packets[tick%heldPackets] = packet
	}
}

// Received is what one client has received, and the frames in which something was late. It may be nil in calls about packets
// (Sent, Arrived, AcksHandled, SortByArrival): then these are not recorded.
type Received struct {
	spaces     [2][]Record
	packets    [packetRows]packet    // by id
	with       arrival               // the packet that was acknowledged last
	number     uint8                 // of that packet in its tick
	ticks      [tickRows]tickPackets // by tick
	frames     [frameRows]lateFrame
	count      uint32        // number of late frames so far
	reports    uint32        // how often the client has reported its late frames
	reporting  bool          // the packet that is handled has a report
	overtaken  entangle.Tick // of the newest packet that was overtaken
	departures ring.Queue[departure]
	dropped    uint32 // number of the newest departure that was forgotten
}

// packet is a packet that was sent to the client.
type packet struct {
	id        uint16
	late      bool // it arrived in a late frame
	overtaken bool
	tick      entangle.Tick
	frame     uint32 // number of the late frame
	reports   uint32 // value of Received.reports when it was acknowledged
}

// lateFrame is a frame of a client in which something was late.
type lateFrame struct {
	screen timesync.Screen // before it
	newest uint16          // id of the newest packet that had arrived before
}

// tickPackets are the packets of a tick.
type tickPackets struct {
	tick    entangle.Tick
	first   uint16 // id
	known   bool
	late    bool   // one of them was late
	reports uint32 // value of Received.reports when one of them was acknowledged last
}

// Sent records the tick of a packet that the client is sent.
func (r *Received) Sent(id uint16, tick entangle.Tick) {
	if r == nil {
		return
	}
	r.packets[id%packetRows] = packet{id: id, tick: tick}
	if r.packetsOf(tick) == nil {
		r.ticks[uint32(tick)%tickRows] = tickPackets{tick: tick, first: id, known: true}
	}
}

// Arrived records that a packet was acknowledged. What Acknowledge and Deliver report next came with it.
func (r *Received) Arrived(id uint16) {
	if r == nil {
		return
	}
	r.with, r.number = arrival{id: id, known: true}, 0
	if p := r.packet(id); p != nil {
		r.with.tick, p.reports = p.tick, r.reports
		if t := r.packetsOf(p.tick); t != nil {
			r.number, t.reports = uint8(min(id-t.first, math.MaxUint8)), r.reports
		}
	}
}

func (r *Received) packet(id uint16) *packet {
	if p := &r.packets[id%packetRows]; p.id == id {
		return p
	}
	return nil
}

func (r *Received) packetsOf(tick entangle.Tick) *tickPackets {
	if t := &r.ticks[uint32(tick)%tickRows]; t.known && t.tick == tick {
		return t
	}
	return nil
}

// hasLate reports whether any packet of a tick was late, or may have been.
func (r *Received) hasLate(tick entangle.Tick) bool {
	t := r.packetsOf(tick)
	return t != nil && (t.late || t.reports == r.reports)
}

// LateFramesReported records a report: a packet of the client told of all late frames so far. The acknowledgements of the same
// packet come next.
func (r *Received) LateFramesReported() { r.reporting = true }

// AcksHandled records that all packets that a packet of the client acknowledges have arrived. If that did not report late
// frames, these may have arrived in a frame that it will report yet. So may packets that were acknowledged before, if it is not
// in order: the client has sent those acknowledgements later.
func (r *Received) AcksHandled(inOrder bool) {
	if r == nil {
		return
	}
	if r.reporting && inOrder {
		r.reports++
	}
	r.reporting = false
}

// LateFrame records a late frame. A frame may be recorded several times.
func (r *Received) LateFrame(f *timesync.LateFrame) {
	number := r.count
	for later := f.Later; later != 0; later &= later - 1 {
		r.noteLate(f, f.Newest+1+uint16(bits.TrailingZeros32(later)), number, false)
	}
	for overtaken := f.Overtaken; overtaken != 0; overtaken &= overtaken - 1 {
		r.noteLate(f, f.Newest-1-uint16(bits.TrailingZeros32(overtaken)), number, true)
	}
}

// noteLate records that a packet arrived in a late frame, as the frame with a number.
func (r *Received) noteLate(f *timesync.LateFrame, id uint16, number uint32, overtaken bool) {
	p := r.packet(id)
	if p == nil || p.late {
		return
	}
	p.late, p.overtaken, p.frame = true, overtaken, number
	if r.count == number {
		r.frames[number%frameRows] = lateFrame{f.Screen, f.Newest}
		r.count++
	}
	if t := r.packetsOf(p.tick); t != nil {
		t.late = true
	}
	if overtaken && r.overtaken.Before(p.tick) {
		r.overtaken = p.tick
	}
}

// SortByArrival sorts packets that were acknowledged together, from the one that was sent first. One of a late frame came after
// the newest that had arrived before the frame, and before those that were sent later and came in time.
func (r *Received) SortByArrival(ids []uint16) {
	if r == nil {
		return
	}
	arrived := func(id uint16) (after uint16, frame int) {
		p := r.packet(id)
		if f := r.frameOf(p); f != nil {
			return f.newest, int(p.frame) + 1
		}
		return id, 0
	}
	slices.SortStableFunc(ids, func(a, b uint16) int {
		after, frame := arrived(a)
		other, otherFrame := arrived(b)
		return cmp.Or(int(int16(after-other)), frame-otherFrame)
	})
}

// frameOf returns the late frame in which a packet arrived; nil if it was not late, or too long ago.
func (r *Received) frameOf(p *packet) *lateFrame {
	if p == nil || !p.late || r.count-p.frame > frameRows {
		return nil
	}
	return &r.frames[p.frame%frameRows]
}

// packetBy returns the packet by which the update of a tick of a group arrived; nil if it is not known. For old updates the
// first packet of the tick stands for all.
func (r *Received) packetBy(rec *Record, tick entangle.Tick) *packet {
	t := r.packetsOf(tick)
	if t == nil {
		return nil
	}
	id := t.first
	if by := rec.newest.Sub(tick); by >= 0 && by < heldPackets {
		id += uint16(rec.packets[tick%heldPackets])
	}
	if p := r.packet(id); p != nil && p.tick == tick {
		return p
	}
	return nil
}

// at returns what was on the screen when something arrived: entities with an interval were shown as of that time.
func (r *Received) at(a arrival, every int) timesync.Shown {
	if !a.known {
		return notYet
	}
	if p := r.packet(a.id); p != nil && p.tick == a.tick {
		return r.shownBefore(p, every)
	}
	return inTime
}

// isUnreported reports whether something has arrived of which it is not known yet in which frame: at may return a later time
// than that.
func (r *Received) isUnreported(a arrival) bool {
	p := r.packet(a.id)
	return a.known && p != nil && p.tick == a.tick && p.reports == r.reports && r.frameOf(p) == nil
}

// shownBefore returns what was on the screen when a packet arrived.
func (r *Received) shownBefore(p *packet, every int) timesync.Shown {
	switch f := r.frameOf(p); {
	case f != nil:
		return f.screen.At(every)
	case p != nil && p.reports == r.reports:
		return notYet
	}
	return inTime
}

// arrivedAt returns what was on the screen when the update of a tick of a group arrived, and the structure that it waits for.
func (r *Received) arrivedAt(rec *Record, tick entangle.Tick, every int) timesync.Shown {
	at := r.structureAt(rec, tick, every)
	if r.hasLate(tick) {
		at = max(at, r.shownBefore(r.packetBy(rec, tick), every))
	}
	return at
}

// wasIgnored reports whether the client ignored an update since a newer one of the group, of another tick, had arrived
// before it. A client handles the packets of one frame in the order in which they were sent.
func (r *Received) wasIgnored(rec *Record, tick, newer entangle.Tick) bool {
	if !r.hasLate(tick) {
		return false
	}
	p, by := r.packetBy(rec, tick), r.packetBy(rec, newer)
	if by == nil || p == nil || !p.overtaken {
		return false
	}
	f := r.frameOf(p)
	return f != nil && int16(f.newest-by.id) >= 0 && !(by.late && by.frame >= p.frame)
}

// structureAt returns what was on the screen when the structure of a group as of a tick was complete.
func (r *Received) structureAt(rec *Record, tick entangle.Tick, every int) timesync.Shown {
	at := inTime
	for i := range rec.changes {
		if c := &rec.changes[i]; !tick.Before(c.tick) {
			at = max(at, r.at(c.arrived, every))
		}
	}
	return at
}

// withoutIgnored returns those of the newest updates of a group that the client has not ignored. Bit k is that of newest-k.
func (r *Received) withoutIgnored(rec *Record, updates uint64) uint64 {
	newer := rec.newest
	for left := updates &^ 1; left != 0; left &= left - 1 {
		k := bits.TrailingZeros64(left)
		if tick := rec.newest - entangle.Tick(k); r.wasIgnored(rec, tick, newer) {
			updates &^= 1 << k
		} else {
			newer = tick
		}
	}
	return updates
}

func (r *Received) record(g Group) *Record {
	space := &r.spaces[0]
	if g.Private {
		space = &r.spaces[1]
	}
	for len(*space) <= g.Index {
		*space = append(*space, Record{})
	}
	return &(*space)[g.Index]
}

// records returns those of n consecutive groups.
func (r *Received) records(g Group, n int) []Record {
	first := g.Index
	g.Index += n - 1
	r.record(g)
	if g.Private {
		return r.spaces[1][first : first+n]
	}
	return r.spaces[0][first : first+n]
}

// Begin records that a client is sent a group for the first time, as of a tick.
func (r *Received) Begin(g Group, tick entangle.Tick) {
	rec := r.record(g)
	r.keepDepartures(rec)
	none := change{tick: tick, after: tick, arrived: arrival{tick: tick, known: true}}
	*rec = Record{newest: tick, blocked: tick + farAhead, since: tick, prior: tick, mask: 1, seen: [2]entangle.Tick{tick, tick}, changes: [keptChanges]change{{tick: tick, after: tick}, none, none}}
}

// BeginAgain records that a client is sent a group again in full, as of a tick. What it had before that
// are departures.
func (r *Received) BeginAgain(g Group, tick entangle.Tick) {
	rec := r.record(g)
	rec.since, rec.arrived = tick, arrival{}
	r.Change(g, tick)
}

// See records that what a client may see of a group has changed in a tick. That may be sent later, or not at all if it
// changes back.
func (r *Received) See(g Group, tick entangle.Tick) {
	if seen := &r.record(g).seen; seen[0] != tick {
		seen[0], seen[1] = tick, seen[0]
	}
}

// sawSame reports whether the client might see the same of a group in a tick as in an earlier one. Only the last two changes
// are held: of ticks before them it is not known.
func (r *Record) sawSame(earlier, tick entangle.Tick) bool {
	if tick.Before(r.seen[0]) {
		return !earlier.Before(r.seen[1])
	}
	return !earlier.Before(r.seen[0])
}

// Change records that a client is sent a change of structure of a group, as of a tick.
func (r *Received) Change(g Group, tick entangle.Tick) {
	rec, drop := r.record(g), keptChanges-1
	for drop >= 0 && !r.wasInTime(&rec.changes[drop], tick) {
		drop--
	}
	if drop < 0 {
		drop = keptChanges - 1
		rec.unsure = rec.changes[drop].tick
	}
	after := rec.changes[0].tick
	copy(rec.changes[1:], rec.changes[:drop])
	rec.changes[0], rec.blocked = change{tick: tick, after: after, shows: tick != rec.since && after.Before(rec.seen[0])}, tick+farAhead
}

// sentAsOf returns as of which tick the client was sent an entity that joined the group in a tick. That is a later one if
// the change by which it joined had to wait, or hid it. Of changes that are no longer held it is not known.
func (r *Record) sentAsOf(joined entangle.Tick) entangle.Tick {
	if !r.since.Before(joined) {
		return r.since
	}
	for i := range r.changes {
		if c := &r.changes[i]; c.after.Before(joined) && joined.Before(c.tick) {
			return c.tick
		}
	}
	return joined
}

// wasInTime reports whether a change arrived in time and all that joined was sent at once, or it is so old that it makes no
// difference.
func (r *Received) wasInTime(c *change, now entangle.Tick) bool {
	return c.arrived.known && (r.at(c.arrived, 1) == inTime && !c.shows || c.tick.Before(now-unsureTicks))
}

// eachArrival calls do for the arrival of the structure of a tick.
func (r *Record) eachArrival(tick entangle.Tick, do func(*arrival)) {
	if tick == r.since {
		do(&r.arrived)
	}
	for i := range r.changes {
		if c := &r.changes[i]; c.tick == tick {
			do(&c.arrived)
		}
	}
}

// Deliver records that a client has got the structure of a group as of a tick: all that it was sent.
func (r *Received) Deliver(g Group, tick entangle.Tick) {
	rec := r.record(g)
	if rec.mask == 0 {
		return
	}
	rec.eachArrival(tick, func(a *arrival) { a.set(r.with, tick) })
	r.eachEnd(rec, tick, func(d *departure) { d.ended.set(r.with, tick) })
	rec.receive(tick, r.number) // what arrived before has waited for it
	if rec.isComplete() {
		rec.blocked = rec.newest
	}
}

// isComplete reports whether all structure of a group that is held has arrived.
func (r *Record) isComplete() bool {
	return r.arrived.known && !slices.ContainsFunc(r.changes[:], func(c change) bool { return !c.arrived.known })
}

// Acknowledge records that a client has received an update of a group.
func (r *Received) Acknowledge(g Group, tick entangle.Tick) { r.record(g).receive(tick, r.number) }

// AcknowledgeRange is Acknowledge for public groups from first up to end.
func (r *Received) AcknowledgeRange(first, end int, tick entangle.Tick) {
	records := r.records(Group{Index: first}, end-first)
	for i := range records {
		records[i].receive(tick, r.number)
	}
}

// unsureTicks is for how long it makes a difference when a change arrived.
const unsureTicks = 64

// hasJoined reports whether an entity that joined a group in a tick was on a screen: the change by which it joined had
// arrived before, and those that the client needs first. Of one that is no longer held, and was not in time, it is not known
// when: it arrived at the latest with the oldest that is held.
func (r *Received) hasJoined(rec *Record, since entangle.Tick, every int, shown timesync.Shown) bool {
	if r.structureAt(rec, since, every) >= shown {
		return false
	}
	oldest := &rec.changes[keptChanges-1]
	if by := rec.unsure.Sub(since); since != rec.since && by >= 0 && by < unsureTicks && since.Before(oldest.tick) {
		return max(r.at(oldest.arrived, every), timesync.ShownAt(oldest.tick, 0)) < shown
	}
	return true
}

// hasReplaced reports whether an entity had arrived before a screen that ended a former one on the client before its time,
// or may have.
func (r *Received) hasReplaced(a arrival, every int, shown timesync.Shown) bool {
	at := r.at(a, every)
	return a.waited || r.isUnreported(a) || at != inTime && at < shown
}

// joinedBy returns how an entity arrived that joined the group in a tick; full is how the group did.
func (r *Record) joinedBy(since entangle.Tick, full arrival) arrival {
	for i := range r.changes {
		if c := &r.changes[i]; c.tick == since {
			return c.arrived
		}
	}
	return full
}
