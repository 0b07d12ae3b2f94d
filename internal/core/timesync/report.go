package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	// reportEvery is the least time between two reports, and reportLate the least time if an input
	// was late.
	reportEvery = 250 * time.Millisecond
	reportLate  = 50 * time.Millisecond

	// reportWait is how long a due report waits for another packet to carry it.
	reportWait = 100 * time.Millisecond

	// pongWait is how long a pong waits for another packet to carry it.
	pongWait = 25 * time.Millisecond

	// maxReports is the most reports in flight: those of two seconds in which inputs are late.
	maxReports = 40
)

// reports tracks which packets in flight carry a report.
type reports struct {
	inFlight int // number of open reports; 0 for most of the time
	open     [maxReports]sentReport
	next     int
	last     time.Time
	some     bool
}

type sentReport struct {
	packet uint16
	open   bool
	first  entangle.Tick
}

func (r *reports) recordSent(pkt uint16, first entangle.Tick, now time.Time) {
	if !r.open[r.next].open {
		r.inFlight++
	}
	r.open[r.next] = sentReport{packet: pkt, open: true, first: first}
	r.next = (r.next + 1) % maxReports
	r.last, r.some = now, true
}

// removePacket removes the report that a packet carried, and returns its first tick. ok is false if
// the packet carried none.
func (r *reports) removePacket(pkt uint16) (first entangle.Tick, ok bool) {
	if r.inFlight == 0 {
		return 0, false
	}
	for i := range r.open {
		if s := &r.open[i]; s.open && s.packet == pkt {
			s.open = false
			r.inFlight--
			return s.first, true
		}
	}
	return 0, false
}

func (r *reports) due(l *ledger, now time.Time) bool {
	if !l.pending {
		return false
	}
	every := reportEvery
	if l.late {
		every = reportLate
	}
	return !r.some || now.Sub(r.last) >= every
}

func (r *reports) urgent(l *ledger, now time.Time) bool {
	return r.due(l, now) && (l.late || r.some && now.Sub(r.last) >= reportEvery+reportWait)
}
