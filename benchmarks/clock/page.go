package clock

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// clockPageFile is the page that writeClockPage writes, in docs.
const clockPageFile = "CLOCK.md"

// clockColumn is a figure of a run.
type clockColumn struct {
	name  string // in the output
	head  string // on the page; empty: not there
	says  string
	form  string
	value func(*clockResult) float64
}

var clockColumns = []clockColumn{
	{"lead", "lead", "how many ticks the client's clock is ahead of the server's, on average", "%.2f", func(c *clockResult) float64 { return c.lead }},
	{"delay", "delay", "how many ticks an input waits before it counts, on average: the input delay in effect", "%.1f", func(c *clockResult) float64 { return c.delay }},
	{"optimum", "least", "the least lead and delay together, always the same, with which 99.9 % of the inputs would have come in time: what one could choose who knew beforehand how long each packet takes", "%.2f", func(c *clockResult) float64 { return c.optimum }},
	{"over", "over", "lead and delay, less that", "%.2f", (*clockResult).over},
	{"in_time", "in time", "the part of the server's ticks that had the player's input when they ran, in percent", "%.2f", func(c *clockResult) float64 { return 100 * c.inTime }},
	{"late", "late", "inputs that came after their tick", "%.0f", func(c *clockResult) float64 { return float64(c.late) }},
	{"missing", "missing", "ticks for which the server had to repeat an input", "%.0f", func(c *clockResult) float64 { return float64(c.missing) }},
	{"lead_min", "", "", "", func(c *clockResult) float64 { return c.least }},
	{"lead_max", "", "", "", func(c *clockResult) float64 { return c.most }},
	{"speed_min", "slowest", "the least speed of the client's clock, in percent of its own", "%.1f", func(c *clockResult) float64 { return 100 * c.slowest }},
	{"speed_max", "fastest", "the highest", "%.1f", func(c *clockResult) float64 { return 100 * c.fastest }},
	{"turns", "turns", "how often in a minute it went from slower to faster than its own speed or back", "%.1f", func(c *clockResult) float64 { return c.turns }},
	{"jumps", "jumps", "how often the clock jumped in the whole run, after it was first set", "%.0f", func(c *clockResult) float64 { return float64(c.jumps) }},
	{"synced_s", "synced", "seconds from the connection until the client knew the server's time", "%.2f", func(c *clockResult) float64 { return c.synced.Seconds() }},
	{"steady_s", "steady", "seconds from the connection, or from what the row says happened, until the lead was within three ticks of that in the first column for good", "%.1f", func(c *clockResult) float64 { return c.steady.Seconds() }},
	{"clock_up", "", "", "", func(c *clockResult) float64 { return c.clockUp }},
	{"clock_down", "", "", "", func(c *clockResult) float64 { return c.clockDown }},
	{"clock_bytes", "clock B/s", "bytes per second, both ways together, of what only the clock needs", "%.0f", func(c *clockResult) float64 { return c.clockUp + c.clockDown }},
	{"inputs_up", "inputs B/s", "bytes per second of the inputs, repetitions included", "%.0f", func(c *clockResult) float64 { return c.inputsUp }},
	{"inputs_down", "", "", "", func(c *clockResult) float64 { return c.inputsDown }},
}

// play runs a network until it has counted for so long.
func (n *clockNetwork) play(counts time.Duration) (clockResult, error) {
	r, err := newClockRun(*n, counts)
	if err != nil {
		return clockResult{}, err
	}
	defer r.close()
	r.runFor(time.Duration(n.seconds(counts)) * time.Second)
	if err := r.verify(); err != nil {
		return clockResult{}, fmt.Errorf("%s: %w", n.name, err)
	}
	return r.result(), nil
}

// WritePage runs the networks and writes their page.
func WritePage(file string, all []clockNetwork, w io.Writer) error {
	var page strings.Builder
	page.WriteString(clockPageTop)
	clockHead(&page)
	for i := range all {
		c, err := all[i].play(clockCounts)
		if err != nil {
			return err
		}
		row := clockRow(all[i].what, &c)
		page.WriteString(row)
		fmt.Fprint(w, row)
	}
	page.WriteString("\n| column | what it says |\n| --- | --- |\n")
	for _, c := range clockColumns {
		if c.head != "" {
			fmt.Fprintf(&page, "| %s | %s |\n", c.head, c.says)
		}
	}
	page.WriteString(clockPageEnd)
	return os.WriteFile(file, []byte(page.String()), 0o644)
}

func clockHead(w io.Writer) {
	head, line := "| round trip, and what else |", "| --- |"
	for _, c := range clockColumns {
		if c.head != "" {
			head, line = head+" "+c.head+" |", line+" ---: |"
		}
	}
	fmt.Fprintln(w, head+"\n"+line)
}

func clockRow(what string, r *clockResult) string {
	row := "| " + what + " |"
	for _, c := range clockColumns {
		if c.head != "" {
			row += " " + fmt.Sprintf(c.form, c.value(r)) + " |"
		}
	}
	return row + "\n"
}

const clockPageTop = `# How well the clock does

A client's clock is ahead of the server's, so that a player's input for a tick is there when
the server runs it. Too little, and inputs come too late; too much, and the player waits
longer than needed to see what came of them. This page says how near to the least the clock
of Entangle is, in networks of all kinds.

Each row is a network of one server and one client, the whole of both in virtual time, with
60 ticks per second, and a stick that moves eight times in a second. After ± stands how much
longer or shorter a packet takes than that, each way, evenly drawn; packets overtake each
other. Frames come up to a millisecond late. A row counts five minutes, after thirty seconds
to settle. What a row says happens then happens after these, and it counts from thirty
seconds later.

`

const clockPageEnd = `
Lost bursts of five packets and more are too rare and too long for all of them to be covered:
that would take a lead of half a second. The clock covers what is usual, and lets the rest be
late. With an input delay that is longer than the way there, the client's clock goes back no further
than to what it has heard of the server, and inputs have time to spare.

The networks follow from their seeds: the same code makes the same table. This page is written by

` + "```sh" + `
go run ./benchmarks -clock docs/CLOCK.md
` + "```" + `

and ` + "`go run ./benchmarks -run clock -json`" + ` prints the same and more as JSON, one line per
network.
`
