package rewind

import (
	"math"
	"math/bits"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/ring"
)

// Times of arrival that are no time of a screen.
const (
	notYet  = timesync.Shown(math.MaxInt64) // no screen shows it yet
	longAgo = timesync.Shown(math.MinInt64) // before every screen that is known
)

const (
	screenRows  = 128 // screens that are held: those of the last packets of the client, and before delays
	arrivalRows = 128 // ticks of which the time of arrival is held
	neverSeen   = math.MaxUint32
)

// Group is the place of a group at a client: its index in one of two spaces.
type Group struct {
	Private bool
	Index   int
}

// Record is what a client has received of one group.
type Record struct {
	newest  entangle.Tick // of the updates that arrived
	since   entangle.Tick // of the full by which the client got the group
	arrived uint32        // number of the screen before which the full arrived
	parting uint32        // departures that refer to the record
	changes [2]change     // the newest changes of structure, the newest first
	mask    uint64        // bit k: the update of newest-k arrived
	prior   entangle.Tick // of the newest update that arrived before those of mask, or since
	parted  uint32        // number of the newest of the departures that refer to the record
	unsure  entangle.Tick // of the newest change that had not arrived when there were two newer ones
}

// change is a change of a group's structure. Later updates wait for it.
type change struct {
	tick    entangle.Tick
	arrived uint32 // number of the screen before which it arrived
}

// receive records that an update arrived. The client ignores one that is older than the newest.
func (r *Record) receive(tick entangle.Tick) {
	switch by := tick.Sub(r.newest); {
	case by <= 0:
	case by >= 64:
		r.newest, r.mask, r.prior = tick, 1, r.newest
	default:
		if lost := r.mask >> (64 - by); lost != 0 {
			r.prior = r.newest - entangle.Tick(64-int(by)+bits.TrailingZeros64(lost))
		}
		r.newest, r.mask = tick, r.mask<<by|1
	}
}

// Received is what one client has received, and the screens by which the time is measured at which it
// arrived.
type Received struct {
	delay      timesync.Shown // by how much what the next screen's packet acknowledges arrived before that screen
	within     timesync.Shown // the precision of delay
	last       [2]uint32      // numbers of the screens of the last packet, and of the one before
	newest     entangle.Tick  // of the packets that were acknowledged
	timed      bool           // delay is that of newest
	spaces     [2][]Record
	screens    [screenRows]screen
	count      uint32 // number of screens so far
	arrivals   [arrivalRows]arrival
	departures ring.Queue[departure]
	dropped    uint32 // number of the oldest of departures
}

// screen is a screen of the client.
type screen struct {
	timesync.Screen
	exact bool // what was acknowledged next arrived after it, and not after an earlier one
}

// arrival is when the packets of a tick arrived: after the screen that was drawn before their first
// acknowledgement, or already after an earlier one. A client may draw several screens before it sends a packet, and
// a packet that would have told more may be lost or overtaken.
type arrival struct {
	tick   entangle.Tick
	screen uint32         // number of that screen; it may not be known yet
	since  uint32         // number of the earlier one
	late   bool           // they arrived after newer ones
	timed  bool           // they arrived before the first screen by at most within, whatever since says
	within timesync.Shown // in 256ths of a tick
	known  bool
}

// AcksArrived records how long the client had the newest packet that it acknowledges, and how exact that is, in
// 256ths of a tick. It is called for each packet of the client, before what that acknowledges.
func (r *Received) AcksArrived(delay, within timesync.Shown) { r.delay, r.within = delay, within }

// ScreenArrived records the screen that was drawn before the frame in which a client has sent a packet. What the
// packet acknowledges arrived after that screen, or after an earlier one. exact says that there was none since the
// frame in which the client sent its last packet, and that this packet has arrived. Otherwise the delay of AcksArrived
// tells when the newest arrived: a frame between two ticks sends no packet. Older screens are ignored; while the time
// stands still, each counts.
func (r *Received) ScreenArrived(s *timesync.Screen, exact bool) {
	if r.isOld(s.Base) {
		return
	}
	if a := &r.arrivals[uint32(r.newest)%arrivalRows]; r.timed && a.tick == r.newest {
		if a.timed = true; r.delay > 0 {
			a.within = r.within
		}
	}
	r.timed = false
	if !exact && r.delay > 0 && !r.isOld(s.Base-r.delay) {
		before := *s
		before.Base -= r.delay
		r.addScreen(&before, false)
	}
	r.last[1], r.last[0] = r.last[0], r.count
	r.addScreen(s, exact)
}

func (r *Received) addScreen(s *timesync.Screen, exact bool) {
	r.screens[r.count%screenRows] = screen{*s, exact}
	r.count++
}

// isOld reports whether the time of a screen is before that of the last one.
func (r *Received) isOld(base timesync.Shown) bool {
	return r.count > 0 && base < r.screens[(r.count-1)%screenRows].Base
}

// PacketArrived records that a packet of a tick was acknowledged, before the screen that is next.
func (r *Received) PacketArrived(tick entangle.Tick) {
	if a := &r.arrivals[uint32(tick)%arrivalRows]; !a.known || a.tick.Before(tick) {
		*a = arrival{tick: tick, screen: r.count, since: r.last[0], known: true}
		if r.count == 0 || r.newest.Before(tick) {
			r.newest, r.timed = tick, true
		} else {
			a.late, a.since = true, r.last[1] // the client acknowledges them one packet later
		}
	}
}

func (r *Received) record(g Group) *Record {
	space := &r.spaces[0]
	if g.Private {
		space = &r.spaces[1]
	}
	for len(*space) <= g.Index {
		*space = append(*space, Record{arrived: neverSeen})
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
	if rec.parting > 0 {
		r.keepDepartures(rec)
	}
	*rec = Record{newest: tick, since: tick, prior: tick, mask: 1, arrived: neverSeen}
	rec.change(tick)
}

// BeginAgain records that a client is sent a group again in full, as of a tick. What it had before that
// are departures.
func (r *Received) BeginAgain(g Group, tick entangle.Tick) {
	rec := r.record(g)
	rec.since, rec.arrived = tick, neverSeen
	rec.change(tick)
}

// Change records that a client is sent a change of structure of a group, as of a tick.
func (r *Received) Change(g Group, tick entangle.Tick) {
	r.record(g).change(tick)
}

func (r *Record) change(tick entangle.Tick) {
	if old := &r.changes[1]; old.arrived == neverSeen {
		r.unsure = old.tick
	}
	r.changes[1], r.changes[0] = r.changes[0], change{tick: tick, arrived: neverSeen}
}

// Deliver records that a client has got the structure of a group as of a tick: all that it was sent.
func (r *Received) Deliver(g Group, tick entangle.Tick) {
	rec := r.record(g)
	if rec.mask == 0 {
		return
	}
	if tick == rec.since {
		rec.arrived = min(rec.arrived, r.count)
	}
	for i := range rec.changes {
		if c := &rec.changes[i]; c.tick == tick {
			c.arrived = min(c.arrived, r.count)
		}
	}
	if by := rec.newest.Sub(tick); by > 0 && by < 64 {
		rec.mask |= 1 << by // what arrived before has waited for it
	} else {
		rec.receive(tick)
	}
}

// Acknowledge records that a client has received an update of a group.
func (r *Received) Acknowledge(g Group, tick entangle.Tick) { r.record(g).receive(tick) }

// AcknowledgeRange is Acknowledge for public groups from first up to end.
func (r *Received) AcknowledgeRange(first, end int, tick entangle.Tick) {
	records := r.records(Group{Index: first}, end-first)
	for i := range records {
		records[i].receive(tick)
	}
}

// at returns the time of the numbered screen for an interval.
func (r *Received) at(screen uint32, every int) timesync.Shown {
	switch {
	case screen >= r.count:
		return notYet
	case r.count-screen > screenRows:
		return longAgo
	}
	return r.screens[screen%screenRows].At(every)
}

// arrivedAt returns what was on the screen when the update of a tick of a group arrived: entities with an
// interval were shown as of latest then, or already as of earliest.
func (r *Received) arrivedAt(rec *Record, tick entangle.Tick, every int) (earliest, latest timesync.Shown) {
	earliest, latest = r.packetsAt(tick, every)
	for i := range rec.changes {
		if c := &rec.changes[i]; !tick.Before(c.tick) {
			at := r.at(c.arrived, every)
			earliest, latest = max(earliest, at), max(latest, at)
		}
	}
	return earliest, latest
}

// unsureTicks is for how long it is not known of an entity that joined a crowded group whether it has arrived.
const unsureTicks = 64

// hasJoined reports whether an entity that joined a group in a tick was on a screen: the change by which it joined
// had arrived before. Where more than two changes of a group are in flight, that of an older one is not known: it
// arrived at the latest with a newer one, and counts as arrived after some time.
func (r *Received) hasJoined(rec *Record, since entangle.Tick, every int, shown timesync.Shown) bool {
	for i := range rec.changes {
		if c := &rec.changes[i]; c.tick == since && !r.isLongAgo(c.arrived) && r.at(c.arrived, every) >= shown {
			return false
		}
	}
	if by := rec.unsure.Sub(since); since != rec.since && by >= 0 && by < unsureTicks && since.Before(rec.changes[1].tick) {
		newer := rec.changes[1].arrived
		return r.isLongAgo(newer) || r.at(newer, every) < shown
	}
	return true
}

// joinedAt returns the number of the screen before which an entity arrived that joined the group in a tick; full is that
// of the group.
func (r *Record) joinedAt(since entangle.Tick, full uint32) uint32 {
	for i := range r.changes {
		if c := &r.changes[i]; c.tick == since {
			return c.arrived
		}
	}
	return full
}

// mayHaveArrived reports whether what arrived before a numbered screen may have been there at a time. It arrived after the
// screen before, and later than the next one if the packet of that was not lost.
func (r *Received) mayHaveArrived(screen uint32, every int, now timesync.Shown) bool {
	screen = min(screen, r.count)
	return screen == 0 || r.at(screen-1, every) < now
}

// packetsAt is arrivedAt for a group of which no change of structure was in flight.
func (r *Received) packetsAt(tick entangle.Tick, every int) (earliest, latest timesync.Shown) {
	a := &r.arrivals[uint32(tick)%arrivalRows]
	if !a.known || a.tick != tick {
		return longAgo, longAgo
	}
	latest = r.at(a.screen, every)
	switch {
	case latest == longAgo:
		return longAgo, longAgo
	case latest == notYet: // the packet that acknowledged them told of no screen
	case !a.late && r.screens[a.screen%screenRows].exact:
		return latest, latest
	case a.timed:
		return latest - a.within, latest
	}
	if earliest = r.at(a.since, every); earliest != longAgo {
		earliest-- // if it came just when it was needed, it was in time
	}
	return earliest, latest
}
