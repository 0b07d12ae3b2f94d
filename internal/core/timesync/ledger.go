package timesync

import (
	"slices"

	"github.com/entangle-ecs/entangle"
)

const (
	// ledgerTicks is how many ticks a ledger holds.
	ledgerTicks = 256

	// owedTicks is how many unreported ticks are kept at most. Older ones are no longer
	// useful.
	owedTicks = 128
)

// ledger holds the margins of the last ticks, and which of them were not reported to the client yet.
type ledger struct {
	entries  [ledgerTicks]entry
	patience int32 // ticks that an input may come after its tick has run

	some    bool
	newest  entangle.Tick // the newest tick with a received input
	owed    entangle.Tick // the oldest that was not reported
	ran     entangle.Tick // by the server
	pending bool          // a margin was not reported yet
	late    bool          // of an input that was late
}

type entry struct {
	tick   entangle.Tick
	known  bool
	margin margin
}

// recordMargin records the margin of an input.
func (l *ledger) recordMargin(tick entangle.Tick, m margin) {
	if away := tick.Sub(l.newest); !l.some || away >= owedTicks || away <= -ledgerTicks {
		l.some, l.newest, l.owed = true, tick, tick
	}
	e := &l.entries[tick%ledgerTicks]
	if e.known && e.tick == tick {
		return
	}
	*e = entry{tick: tick, known: true, margin: m}
	l.pending, l.late = true, l.late || m < 0
	if tick.Sub(l.newest) > 0 {
		l.newest = tick
	}
	if tick.Sub(l.owed) < 0 {
		l.owed = tick
	}
	l.bound()
}

// bound drops ticks that are too old to be reported.
func (l *ledger) bound() {
	if l.newest.Sub(l.owed) >= owedTicks {
		l.owed = l.newest - owedTicks + 1
	}
}

// reportAgain marks the ticks from first on as not reported.
func (l *ledger) reportAgain(first entangle.Tick) {
	if !l.some || l.newest.Sub(first) < 0 {
		return
	}
	if first.Sub(l.owed) < 0 {
		l.owed = first
	}
	l.pending = true
	l.bound()
}

// marginAt returns the margin of a tick.
func (l *ledger) marginAt(tick entangle.Tick) margin {
	e := &l.entries[tick%ledgerTicks]
	switch {
	case e.known && e.tick == tick:
		return e.margin
	case l.ran.Sub(tick) >= l.patience:
		return missing
	}
	return unknown
}

// report fills p with unreported margins, for a packet with the header tick.
func (l *ledger) report(p *report, tick entangle.Tick) bool {
	n := min(int(l.newest.Sub(l.owed))+1, MaxReport)
	if n < 1 {
		l.pending, l.late = false, false
		return false
	}
	last := l.owed + entangle.Tick(n-1)
	*p = report{back: int64(tick.Sub(last)), n: n}
	if p.back < -MaxMargin || p.back > MaxMargin {
		l.owed, l.pending, l.late = l.newest+1, false, false
		return false
	}
	for i := range p.margins[:n] {
		p.margins[i] = l.marginAt(l.owed + entangle.Tick(i))
	}
	l.markReported(p)
	l.pending = l.newest.Sub(last) > 0
	l.late = l.late && l.pending
	return true
}

// markReported marks the ticks of a report as reported, up to the first that may still arrive.
func (l *ledger) markReported(p *report) {
	for _, m := range p.margins[:p.n] {
		if m == unknown {
			return
		}
		l.owed++
	}
}

// quantiles returns the median and the twentieth of the last margins.
func (l *ledger) quantiles() (median, least int) {
	var known [ledgerTicks]margin
	n := 0
	for i := range l.entries {
		if l.entries[i].known {
			known[n] = l.entries[i].margin
			n++
		}
	}
	if n == 0 {
		return 0, 0
	}
	slices.Sort(known[:n])
	return int(known[n/2]), int(known[n/20])
}
