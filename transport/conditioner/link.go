package conditioner

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// Stats counts datagrams since the Link was made. At any time
// Pushed + Duplicated = Lost + Dropped + Delivered + those in flight.
type Stats struct {
	Pushed     uint64 // given to Push
	Lost       uint64 // by Config.Loss
	Duplicated uint64 // second copies, by Config.Duplicate
	Dropped    uint64 // copies beyond Limit, Backlog or entangle.MaxDatagram
	Delivered  uint64 // taken by Pop, both copies counted
	Reordered  uint64 // first copies that Pop returned after a datagram that was pushed later
}

// Link is one direction of a degraded link. Its methods:
//
//	getters:  Len, Next, Stats
//	commands: Push, Configure
//	out:      Pop
//
// The argument now must never decrease from one call to the next. Only one goroutine at a time may
// use a Link.
type Link struct {
	cfg    Config
	chance chance
	stats  Stats

	slots []transport.Datagram
	free  []int32   // unused slots; the last one freed is used first
	due   []arrival // a heap, the earliest first

	pushes    uint64    // orders arrivals of equal time
	delivered uint64    // the number of the latest push of which a copy was delivered
	lineFree  time.Time // the time at which all datagrams pushed so far have passed the bandwidth limit
	lastDue   time.Time // the latest due time of a copy without ReorderDelay, for InOrder
}

// NewLink makes a link. The error names an invalid field of cfg.
func NewLink(cfg Config, seed uint64) (*Link, error) {
	l := &Link{chance: newChance(seed)}
	if err := l.Configure(cfg); err != nil {
		return nil, err
	}
	return l, nil
}

// Configure changes how later datagrams are treated. Datagrams in flight keep their times.
// On an error nothing changes.
func (l *Link) Configure(cfg Config) error {
	resolved, err := cfg.resolve()
	if err == nil {
		l.cfg = resolved
	}
	return err
}

// Push sends a copy of d at the time now. Stats counts what happens to it.
func (l *Link) Push(now time.Time, d transport.Datagram) {
	l.pushes++
	l.stats.Pushed++
	f := l.chance.drawFate(&l.cfg)
	if f.lost {
		l.stats.Lost++
		return
	}
	copies := f.copies[:1]
	if f.twice {
		l.stats.Duplicated++
		copies = f.copies[:]
	}
	fits := len(d.Data) <= entangle.MaxDatagram
	through := now
	if fits {
		through, fits = l.passLine(now, len(d.Data))
	}
	for i, c := range copies {
		if !fits || len(l.due) >= l.cfg.Limit {
			l.stats.Dropped++
			continue
		}
		l.schedule(arrival{at: l.arrivalTime(through, c), push: l.pushes, second: i > 0, slot: l.store(d)})
	}
}

// passLine returns when a datagram of size bytes has passed the bandwidth limit. ok is false if the
// backlog is full.
func (l *Link) passLine(now time.Time, size int) (through time.Time, ok bool) {
	if l.cfg.Bandwidth == 0 {
		return now, true
	}
	if l.lineFree.Before(now) {
		l.lineFree = now
	}
	// The conversion keeps compilers from fusing the product with the sum, which would
	// round differently on some machines.
	waiting := float64(l.lineFree.Sub(now).Seconds() * float64(l.cfg.Bandwidth))
	if waiting+float64(size) > float64(l.cfg.Backlog) {
		return now, false
	}
	l.lineFree = l.lineFree.Add(time.Duration(size) * time.Second / time.Duration(l.cfg.Bandwidth))
	return l.lineFree, true
}

func (l *Link) arrivalTime(through time.Time, d delayDraw) time.Time {
	at := through.Add(d.delay(&l.cfg))
	if l.cfg.InOrder && at.Before(l.lastDue) {
		at = l.lastDue
	}
	if d.held {
		return at.Add(l.cfg.ReorderDelay)
	}
	if at.After(l.lastDue) { // without InOrder, at may be earlier
		l.lastDue = at
	}
	return at
}

// store copies d into a slot.
func (l *Link) store(d transport.Datagram) int32 {
	if len(l.free) == 0 {
		l.slots = append(l.slots, transport.Datagram{Data: make([]byte, 0, entangle.MaxDatagram)})
		l.free = append(l.free, int32(len(l.slots)-1))
	}
	i := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	kept := &l.slots[i]
	kept.Addr, kept.Data = d.Addr, append(kept.Data[:0], d.Data...)
	return i
}

// Pop removes and returns the next datagram that is due at now, ordered by time. Its data
// belongs to the Link and stays unchanged until the next Push.
func (l *Link) Pop(now time.Time) (transport.Datagram, bool) {
	if len(l.due) == 0 || l.due[0].at.After(now) {
		return transport.Datagram{}, false
	}
	a := l.takeEarliest()
	l.free = append(l.free, a.slot)
	l.stats.Delivered++
	if a.push < l.delivered && !a.second {
		l.stats.Reordered++
	}
	l.delivered = max(l.delivered, a.push)
	return l.slots[a.slot], true
}

// Next returns when the next datagram is due. ok is false if none is in flight.
func (l *Link) Next() (at time.Time, ok bool) {
	if len(l.due) == 0 {
		return time.Time{}, false
	}
	return l.due[0].at, true
}

// Len returns how many datagrams are in flight.
func (l *Link) Len() int { return len(l.due) }

// Stats returns the counters.
func (l *Link) Stats() Stats { return l.stats }
