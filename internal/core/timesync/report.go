package timesync

import (
	"time"

	"github.com/entangle-ecs/entangle"
)

const (
	// reportEvery is the time from report to report, and reportLate where one was late.
	reportEvery = 250 * time.Millisecond
	reportLate  = 50 * time.Millisecond

	// reportWait is how long a report waits for a packet to travel in.
	reportWait = 100 * time.Millisecond

	// pongWait is how long a pong does.
	pongWait = 25 * time.Millisecond

	// maxReports is how many reports are under way at most: those of two seconds where
	// all inputs are late.
	maxReports = 40
)

// reports knows which packets carry a report.
type reports struct {
	under int // way; most packets carry none
	open  [maxReports]sentReport
	next  int
	last  time.Time
	some  bool
}

type sentReport struct {
	packet uint16
	open   bool
	first  entangle.Tick
}

func (r *reports) note(pkt uint16, first entangle.Tick, now time.Time) {
	if !r.open[r.next].open {
		r.under++
	}
	r.open[r.next] = sentReport{packet: pkt, open: true, first: first}
	r.next = (r.next + 1) % maxReports
	r.last, r.some = now, true
}

// take returns the first tick of the report in a packet, and forgets it.
func (r *reports) take(pkt uint16) (first entangle.Tick, ok bool) {
	if r.under == 0 {
		return 0, false
	}
	for i := range r.open {
		if s := &r.open[i]; s.open && s.packet == pkt {
			s.open = false
			r.under--
			return s.first, true
		}
	}
	return 0, false
}

func (r *reports) due(l *ledger, now time.Time) bool {
	if !l.news {
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
