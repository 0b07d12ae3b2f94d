package main

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
)

// counts counts a client's updates by row. Rows are numbered from 1, like their priorities; row n
// is at index n-1.
type counts struct {
	loss float64 // share of sent updates that are lost, 0 to 1

	begun bool
	rules Rules

	rows    [rowCount]rowCounts
	updates int // number of updates of all rows

	since, until entangle.Tick // the server's ticks between which updates were counted
	from, to     uint64        // bytes that had been received at these ticks
}

// rowCounts counts a client's updates of one row.
type rowCounts struct {
	updates   int
	newest    [mostDots]entangle.Tick // the server's tick of the last update of each dot
	updatedAt [mostDots]entangle.Tick // the newest tick that had arrived when that update arrived
	oldest    int                     // greatest age of a dot in ticks
	ages      int                     // sum of the ages of all dots, at all ticks at which they were read
	looks     int                     // number of ages in that sum
	shown     [mostDots]Turn          // of each dot in the last frame
	motion    smooth.Counts
}

// restart sets the counts to zero. All dots count as updated at that time.
func (t *counts) restart(r Rules, now entangle.Tick, bytes uint64) {
	*t = counts{loss: t.loss, begun: true, rules: r, since: now, until: now, from: bytes, to: bytes}
	for row := range t.rows {
		for dot := range t.rows[row].updatedAt {
			t.rows[row].updatedAt[dot] = now
		}
	}
}

// countDot counts an update of a dot, if its newest update is of another tick than in the last frame, and
// how smoothly it has turned since.
func (t *counts) countDot(d Dot, shown Turn, newest, now entangle.Tick) {
	row := &t.rows[d.Row-1]
	if last := row.newest[d.Number]; last != 0 {
		if last != newest {
			row.updates++
			row.updatedAt[d.Number] = now
			t.updates++
		}
		row.motion.Add(float64(around(float64(shown.Angle-row.shown[d.Number].Angle))), turnPerTick)
	}
	row.newest[d.Number], row.shown[d.Number] = newest, shown
}

// updateAges updates the ages of all dots.
func (t *counts) updateAges(now entangle.Tick, bytes uint64) {
	t.until, t.to = now, bytes
	for i := range t.rows {
		row := &t.rows[i]
		for _, updatedAt := range row.updatedAt[:t.rules.Dots] {
			age := int(now.Sub(updatedAt))
			row.oldest = max(row.oldest, age)
			row.ages += age
			row.looks++
		}
	}
}

// ticks and seconds return how long updates were counted.
func (t *counts) ticks() float64   { return float64(t.until.Sub(t.since)) }
func (t *counts) seconds() float64 { return t.ticks() / tickRate }

// share returns the share of row i+1 in all updates.
func (t *counts) share(i int) float64 { return ratio(float64(t.rows[i].updates), float64(t.updates)) }

// bytesPerSecond returns the rate of received bytes.
func (t *counts) bytesPerSecond() float64 { return ratio(float64(t.to-t.from), t.seconds()) }

// rowReport is the result of a row, as printed and drawn.
type rowReport struct {
	Row      int     `json:"row"`
	PerDot   float64 `json:"updates_per_s"` // per dot
	Share    float64 `json:"share"`         // share in all updates, 0 to 1
	Expected float64 `json:"expected"`      // the expected share
	Interval float64 `json:"interval"`      // ticks between updates of a dot, at the expected share
	MeanAge  float64 `json:"mean_age"`      // mean number of ticks since a dot's last update
	Oldest   int     `json:"oldest_age"`    // greatest number of ticks since a dot's last update

	// Motion counts frames of dots that are not smooth. It is no part of the verdict.
	Motion smooth.Counts `json:"motion"`
}

// report returns the results of all rows.
func (t *counts) report() []rowReport {
	reports, expected := make([]rowReport, rowCount), t.expected()
	for i := range t.rows {
		row := &t.rows[i]
		reports[i] = rowReport{
			Row:      i + 1,
			PerDot:   ratio(float64(row.updates), t.seconds()*float64(t.rules.Dots)),
			Share:    t.share(i),
			Expected: expected[i],
			Interval: ratio(t.ticks()*float64(t.rules.Dots), expected[i]*float64(t.updates)),
			MeanAge:  ratio(float64(row.ages), float64(row.looks)),
			Oldest:   row.oldest,
			Motion:   row.motion,
		}
	}
	return reports
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
