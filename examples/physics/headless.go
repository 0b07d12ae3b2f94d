package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// restTime is how long the discs may keep sliding after the last push, and how long the worlds may
// take to become equal. The drag stops the discs within some seconds.
const restTime = 15 // seconds

// result is the line of JSON that a run without a terminal prints.
type result struct {
	Example    string  `json:"example"`
	Mode       string  `json:"mode"`
	Predict    bool    `json:"predict"`
	Delay      int     `json:"delay"`
	Correction int     `json:"correction"`
	LatencyMS  float64 `json:"latency_ms"`
	Loss       float64 `json:"loss"`
	Seed       uint64  `json:"seed"`
	Seconds    float64 `json:"seconds"`

	Clients []clientResult `json:"clients,omitempty"`
	// Covered is true if the delay covers the latency from one client to another, so that clients
	// need not guess inputs.
	Covered bool `json:"covered"`
	// WorldsEqual is true if, after the last push, every disc was in the same place on every client
	// as on the server.
	WorldsEqual bool `json:"worlds_equal"`
}

// clientResult is the result of one client's predictions.
type clientResult struct {
	// Rollbacks is the number of rollbacks since the client's clock was set, Replayed is the number
	// of replayed ticks, and Deepest is the greatest number of ticks in one rollback.
	Rollbacks uint64  `json:"rollbacks"`
	Replayed  uint64  `json:"replayed"`
	Deepest   int     `json:"deepest"`
	Lead      float64 `json:"lead"` // ticks by which its clock is ahead of the newest received one
	// Late is how many of its inputs reached the server after their tick.
	Late uint64 `json:"late"`
	// Why lists the reasons of the last rollbacks.
	Why []string `json:"why,omitempty"`
}

// playHeadless plays to the end, and returns the result. It writes the address of a server to says.
func playHeadless(ctx context.Context, s settings, says io.Writer) (result, error) {
	p, err := newPlay(s)
	if err != nil {
		return result{}, err
	}
	defer p.End()
	if s.Mode == stage.Server {
		fmt.Fprintln(says, "physics: the server listens at", p.server.Addrs()[0])
	}
	if err := p.PlayOn(ctx, p.step); err != nil {
		return result{}, err
	}
	r := p.result()
	if s.Mode == stage.All {
		r.WorldsEqual, err = p.rest()
	}
	return r, err
}

// rest stops all pushes, and reports whether all worlds become equal.
func (p *play) rest() (equal bool, err error) {
	for _, c := range p.clients {
		c.still = true
	}
	for range restTime * tickRate {
		if _, err := p.step(); err != nil {
			return false, err
		}
	}
	return p.discsEqual(), nil
}

// discsEqual reports whether the discs of all clients equal the server's.
func (p *play) discsEqual() bool {
	for _, c := range p.clients {
		if !sameDiscs(p.seen.discs, c.seen.discs) {
			return false
		}
	}
	return true
}

func sameDiscs(a, b []shown) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].order != b[i].order || a[i].Disc != b[i].Disc || a[i].Place != b[i].Place {
			return false
		}
	}
	return len(a) > 0
}

// result returns the result so far.
func (p *play) result() result {
	r := result{
		Example: "physics", Mode: p.Mode, Predict: p.Predict, Delay: p.Delay, Correction: p.Correction,
		LatencyMS: time.Duration(p.Latency).Seconds() * 1000, Loss: p.Loss, Seed: p.Seed,
		Seconds: float64(p.Played) / tickRate, Covered: p.covered(),
	}
	for _, c := range p.clients {
		r.Clients = append(r.Clients, p.clientResult(c))
	}
	return r
}

func (p *play) clientResult(c *clientGame) clientResult {
	stats := c.Stats().Rollbacks
	r := clientResult{
		Rollbacks: stats.Total(), Replayed: stats.Ticks, Deepest: stats.Deepest, Lead: c.Stats().Clock.Lead,
	}
	if p.server != nil {
		r.Late = p.server.clientOf(c.ID()).InputsLate
	}
	for _, report := range c.Rollbacks() {
		r.Why = append(r.Why, report.String())
	}
	return r
}

// Table writes the results of the clients for people.
func (r result) Table(out io.Writer) error {
	if r.Mode == stage.Server {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "client\trollbacks\tticks replayed\tdeepest\tlead\tlate inputs\t")
	for i, c := range r.Clients {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%.1f\t%d\t\n", i+1, c.Rollbacks, c.Replayed, c.Deepest, c.Lead, c.Late)
	}
	return w.Flush()
}
