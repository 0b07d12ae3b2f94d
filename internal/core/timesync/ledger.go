package timesync

import (
	"slices"

	"github.com/entangle-ecs/entangle"
)

const (
	// ledgerTicks is the number of ticks in a ledger.
	ledgerTicks = 256

	// owedTicks is the most ticks that wait to be reported. Reports of older ones would no longer
	// be useful.
	owedTicks = 128
)

// ledger holds the margins of the last ticks, and records which of them the client has not been
// sent yet.
type ledger struct {
	entries  [ledgerTicks]entry
	patience int32 // how many ticks after its tick has run an input may still arrive

	some    bool
	newest  entangle.Tick // the newest tick with an input that was received
	owed    entangle.Tick // the oldest tick that was not reported
	ran     entangle.Tick // the newest tick that the server has run
	pending bool          // there is a margin that was not reported
	late    bool          // an input with an unreported margin was late
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

// report fills p with unreported margins, for a packet with tick in its header. It returns false if
// there is nothing to report.
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

// markReported marks the ticks in a report as reported, except from the first one on that has no
// margin yet because its input may still arrive.
func (l *ledger) markReported(p *report) {
	for _, m := range p.margins[:p.n] {
		if m == unknown {
			return
		}
		l.owed++
	}
}

// quantiles returns the median of the recorded margins, and the margin that one in twenty of them
// is below.
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
