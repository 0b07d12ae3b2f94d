package main

import "github.com/entangle-ecs/entangle"

// tally is what a client counts of the rows. Rows are counted from 1, as their
// priorities are: row n is at n-1.
type tally struct {
	loss float64 // the share of what is sent that does not arrive, 0 to 1

	begun bool
	rules Rules

	rows    [rowCount]rowTally
	updates int // of all rows

	since, until entangle.Tick // of the server; what was counted lies between
	from, to     uint64        // bytes that had come in by then
}

// rowTally is what a client counts of one row.
type rowTally struct {
	updates int
	heard   [mostDots]entangle.Tick // when the last update of each dot came
	oldest  int                     // the most ticks that a dot was not heard of
	ages    int                     // all dots' ages in all ticks that were looked at
	looks   int                     // how many those are
}

// begin counts from now on. What the client holds at that time is new to it.
func (t *tally) begin(r Rules, now entangle.Tick, bytes uint64) {
	*t = tally{loss: t.loss, begun: true, rules: r, since: now, until: now, from: bytes, to: bytes}
	for row := range t.rows {
		for dot := range t.rows[row].heard {
			t.rows[row].heard[dot] = now
		}
	}
}

// note takes in an update of a dot.
func (t *tally) note(d Dot, now entangle.Tick) {
	row := &t.rows[d.Row-1]
	row.updates++
	row.heard[d.Number] = now
	t.updates++
}

// look sees how old is what the client shows of every dot.
func (t *tally) look(now entangle.Tick, bytes uint64) {
	t.until, t.to = now, bytes
	for i := range t.rows {
		row := &t.rows[i]
		for _, heard := range row.heard[:t.rules.Dots] {
			age := int(now.Sub(heard))
			row.oldest = max(row.oldest, age)
			row.ages += age
			row.looks++
		}
	}
}

// ticks and seconds are how long was counted.
func (t *tally) ticks() float64   { return float64(t.until.Sub(t.since)) }
func (t *tally) seconds() float64 { return t.ticks() / tickRate }

// share is what row i+1 got of all updates.
func (t *tally) share(i int) float64 { return ratio(float64(t.rows[i].updates), float64(t.updates)) }

// bytesPerSecond is what came in.
func (t *tally) bytesPerSecond() float64 { return ratio(float64(t.to-t.from), t.seconds()) }

// rowReport is what a client saw of a row, as it is printed and drawn.
type rowReport struct {
	Row      int     `json:"row"`
	PerDot   float64 `json:"updates_per_s"` // of one dot
	Share    float64 `json:"share"`         // of all updates, 0 to 1
	Expected float64 `json:"expected"`      // share
	Interval float64 `json:"interval"`      // in ticks, between updates of a dot, at that share
	MeanAge  float64 `json:"mean_age"`      // in ticks
	Oldest   int     `json:"oldest_age"`    // in ticks
}

// report tells of all rows.
func (t *tally) report() []rowReport {
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
