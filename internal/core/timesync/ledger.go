package timesync

import (
	"slices"

	"github.com/entangle-ecs/entangle"
)

const (
	// ledgerTicks is how many ticks a ledger holds.
	ledgerTicks = 256

	// owedTicks is how many ticks are owed to a client at most. What is older is of no
	// interest any more.
	owedTicks = 128
)

// ledger holds what is known of the inputs of the last ticks, and what the client has yet
// to be told.
type ledger struct {
	entries  [ledgerTicks]entry
	patience int32 // ticks that an input may come after its tick has run

	some     bool
	frontier entangle.Tick // the newest tick whose input came
	owed     entangle.Tick // the oldest that has to be reported
	ran      entangle.Tick // by the server
	news     bool          // something is not reported
	late     bool          // and that it came late
}

type entry struct {
	tick   entangle.Tick
	known  bool
	margin margin
}

// bring notes the input of tick.
func (l *ledger) bring(tick entangle.Tick, m margin) {
	if away := tick.Sub(l.frontier); !l.some || away >= owedTicks || away <= -ledgerTicks {
		l.some, l.frontier, l.owed = true, tick, tick
	}
	e := &l.entries[tick%ledgerTicks]
	if e.known && e.tick == tick {
		return
	}
	*e = entry{tick: tick, known: true, margin: m}
	l.news, l.late = true, l.late || m < 0
	if tick.Sub(l.frontier) > 0 {
		l.frontier = tick
	}
	if tick.Sub(l.owed) < 0 {
		l.owed = tick
	}
	l.bound()
}

// bound lets go of what is too old to be told.
func (l *ledger) bound() {
	if l.frontier.Sub(l.owed) >= owedTicks {
		l.owed = l.frontier - owedTicks + 1
	}
}

// again owes what was reported from the tick first on.
func (l *ledger) again(first entangle.Tick) {
	if !l.some || l.frontier.Sub(first) < 0 {
		return
	}
	if first.Sub(l.owed) < 0 {
		l.owed = first
	}
	l.news = true
	l.bound()
}

// of returns what is known of a tick.
func (l *ledger) of(tick entangle.Tick) margin {
	e := &l.entries[tick%ledgerTicks]
	switch {
	case e.known && e.tick == tick:
		return e.margin
	case l.ran.Sub(tick) >= l.patience:
		return missing
	}
	return unknown
}

// report fills in what is owed, for a packet with the header tick.
func (l *ledger) report(p *report, tick entangle.Tick) bool {
	n := min(int(l.frontier.Sub(l.owed))+1, MaxReport)
	if n < 1 {
		l.news, l.late = false, false
		return false
	}
	last := l.owed + entangle.Tick(n-1)
	*p = report{back: int64(tick.Sub(last)), n: n}
	if p.back < -MaxMargin || p.back > MaxMargin {
		l.owed, l.news, l.late = l.frontier+1, false, false
		return false
	}
	for i := range p.margins[:n] {
		p.margins[i] = l.of(l.owed + entangle.Tick(i))
	}
	l.tell(p)
	l.news = l.frontier.Sub(last) > 0
	l.late = l.late && l.news
	return true
}

// tell counts what is in a report as told, up to what may still come.
func (l *ledger) tell(p *report) {
	for _, m := range p.margins[:p.n] {
		if m == unknown {
			return
		}
		l.owed++
	}
}

// quantiles returns the median of the last margins, and what one in twenty is below.
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
