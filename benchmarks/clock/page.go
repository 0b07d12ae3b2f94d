package clock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// clockPageFile is the page in docs that WritePage writes.
const clockPageFile = "CLOCK.md"

// clockColumn is a figure of a run, as a column of the page.
type clockColumn struct {
	name  string // name in the output
	head  string // heading on the page; empty if the page does not have the column
	means string
	form  string
	value func(*clockResult) float64
}

var clockColumns = []clockColumn{
	{"lead", "lead", "how many ticks the client's clock is ahead of the server's, on average", "%.2f", func(c *clockResult) float64 { return c.lead.mean }},
	{"delay", "delay", "the input delay in effect, on average: how many ticks an input waits before it takes effect", "%.1f", func(c *clockResult) float64 { return c.delay }},
	{"optimum", "least", "the smallest constant lead plus delay with which 99.9 % of the inputs would have arrived in time, had the travel times been known in advance", "%.2f", func(c *clockResult) float64 { return c.optimum }},
	{"over", "over", "lead plus delay, minus least", "%.2f", (*clockResult).over},
	{"in_time", "in time", "percentage of the server's ticks that had the player's input when they ran", "%.2f", func(c *clockResult) float64 { return 100 * c.inTime }},
	{"late", "late", "inputs that arrived after their tick", "%.0f", func(c *clockResult) float64 { return float64(c.late) }},
	{"missing", "missing", "ticks for which the server repeated an input", "%.0f", func(c *clockResult) float64 { return float64(c.missing) }},
	{"lead_min", "", "", "", func(c *clockResult) float64 { return c.lead.least }},
	{"lead_max", "", "", "", func(c *clockResult) float64 { return c.lead.most }},
	{"speed_min", "slowest", "the lowest speed of the client's clock, in percent of its own", "%.1f", func(c *clockResult) float64 { return 100 * c.speed.slowest }},
	{"speed_max", "fastest", "its highest speed", "%.1f", func(c *clockResult) float64 { return 100 * c.speed.fastest }},
	{"turns", "turns", "how often per minute the clock changed between slower and faster than its own speed", "%.1f", func(c *clockResult) float64 { return c.speed.turns }},
	{"jumps", "jumps", "how often the clock jumped in the whole run, after it was first set", "%.0f", func(c *clockResult) float64 { return float64(c.jumps) }},
	{"synced_s", "synced", "seconds from the connection until the client knew the server's time", "%.2f", func(c *clockResult) float64 { return c.synced.Seconds() }},
	{"steady_s", "steady", "seconds from the connection, or from the event of the row, until the lead stayed within three ticks of that in the first column", "%.1f", func(c *clockResult) float64 { return c.steady.Seconds() }},
	{"clock_up", "", "", "", func(c *clockResult) float64 { return c.clock.up }},
	{"clock_down", "", "", "", func(c *clockResult) float64 { return c.clock.down }},
	{"clock_bytes", "clock B/s", "bytes per second that only the clock needs, in both directions", "%.0f", func(c *clockResult) float64 { return c.clock.up + c.clock.down }},
	{"inputs_up", "inputs B/s", "bytes per second of the inputs, including repeated sends", "%.0f", func(c *clockResult) float64 { return c.inputs.up }},
	{"inputs_down", "", "", "", func(c *clockResult) float64 { return c.inputs.down }},
}

// play runs a network until its measurement has lasted for the given time.
func (n *clockNetwork) play(counts time.Duration) (clockResult, error) {
	r, err := newClockRun(*n, counts)
	if err != nil {
		return clockResult{}, err
	}
	defer r.stop()
	r.runFor(time.Duration(n.seconds(counts)) * time.Second)
	if err := r.verify(); err != nil {
		return clockResult{}, fmt.Errorf("%s: %w", n.name, err)
	}
	return r.result(), nil
}

// WritePage runs the networks and writes the page about them, and beside it the page about
// timelines.
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
	page.WriteString("\n| column | meaning |\n| --- | --- |\n")
	for _, c := range clockColumns {
		if c.head != "" {
			fmt.Fprintf(&page, "| %s | %s |\n", c.head, c.means)
		}
	}
	page.WriteString(clockPageEnd)
	return errors.Join(os.WriteFile(file, []byte(page.String()), 0o644),
		writeMotionPage(filepath.Join(filepath.Dir(file), motionPageFile), MotionNetworks()))
}

func clockHead(w io.Writer) {
	head, line := "| round trip and conditions |", "| --- |"
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

const clockPageTop = `# How well the clock works

A client's clock runs ahead of the server's, so that a player's input for a tick arrives before
the server runs that tick. If the lead is too small, inputs arrive late; if it is too large, the
player waits longer than needed to see the effect. This page compares Entangle's clock with the
smallest possible lead, in many kinds of networks.

Each row is a network of one server and one client in virtual time, with 60 ticks per second and
a stick that moves eight times a second. The number after ± is the jitter: the travel time of a
packet differs by up to this much in each direction, evenly distributed, and packets overtake
each other. Frames come up to a millisecond late. A row covers five minutes, after thirty seconds of
warm-up. If a row names an event, the event follows the warm-up, and the
five minutes begin thirty seconds after it.

`

const clockPageEnd = `
Losses of five packets in a row and more are too rare and too long to cover completely: that
would take a lead of half a second. The clock covers common losses, and accepts that the other
inputs are late. With an input delay longer than the travel time to the server, the client's clock does not
fall behind the newest tick that it has received, and inputs arrive early.

The seeds determine the networks: the same code produces the same table. This page is written by

` + "```sh" + `
go run ./benchmarks -clock docs/CLOCK.md
` + "```" + `

and ` + "`go run ./benchmarks -run clock -json`" + ` prints the same and more as JSON, one line per
network.
`
