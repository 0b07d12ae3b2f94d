package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// result is the line of JSON that a run without a terminal prints.
type result struct {
	Example string `json:"example"`
	Mode    string `json:"mode"`
	Rules
	Loss    float64 `json:"loss"`
	Seed    uint64  `json:"seed"`
	Seconds float64 `json:"seconds"` // the time for which updates were counted

	// BytesPerS is the rate at which the client received. If the server runs alone, it is the rate
	// at which it sent to all clients.
	BytesPerS float64     `json:"bytes_per_s"`
	Rows      []rowReport `json:"rows,omitempty"` // set if a client has counted updates

	// Warnings is how many events of a broken bound the server got, and Late is how many updates
	// had waited too long at the last one. If a client runs alone, both are 0.
	Warnings int `json:"warnings"`
	Late     int `json:"late"`
}

// playHeadless plays to the end, and returns the result. It writes the address of a server to says.
func playHeadless(ctx context.Context, s settings, says io.Writer) (result, error) {
	p, err := newPlay(s)
	if err != nil {
		return result{}, err
	}
	defer p.End()
	if s.Mode == stage.Server {
		fmt.Fprintln(says, "priority: the server listens at", p.server.Addrs()[0])
	}
	err = p.PlayOn(ctx, p.step)
	return p.result(), err
}

// result returns the result so far.
func (p *play) result() result {
	r := result{Example: "priority", Mode: p.Mode, Rules: p.Rules, Loss: p.Loss, Seed: p.Seed}
	if p.server != nil {
		stats := p.server.Stats()
		r.Seconds = float64(p.server.Tick()) / tickRate
		r.BytesPerS = ratio(float64(stats.BytesOut), r.Seconds)
		r.Warnings, r.Late = p.server.warnings, p.server.latest.Groups
	}
	if p.client != nil && p.client.counts.begun {
		t := &p.client.counts
		r.Rules, r.Seconds, r.BytesPerS, r.Rows = t.rules, t.seconds(), t.bytesPerSecond(), t.report()
	}
	return r
}

// Table writes the rows for people.
func (r result) Table(out io.Writer) error {
	if r.Mode == stage.Server {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "row\tupdates/s of a dot\tshare\texpected\tmean age\toldest\tframes of a dot\t")
	for _, row := range r.Rows {
		fmt.Fprintf(w, "%d\t%.1f\t%.1f %%\t%.1f %%\t%.1f\t%d\t%v\t\n",
			row.Row, row.PerDot, row.Share*100, row.Expected*100, row.MeanAge, row.Oldest, row.Motion)
	}
	return w.Flush()
}
