package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

// restTime is how long a run waits for the verdicts about the last shots.
const restTime = 3 // seconds

// result is the line of JSON that a run without a terminal prints.
type result struct {
	Example    string  `json:"example"`
	Mode       string  `json:"mode"`
	Compensate bool    `json:"compensate"`
	LatencyMS  float64 `json:"latency_ms"`
	Loss       float64 `json:"loss"`
	JitterMS   float64 `json:"jitter_ms"`
	Seed       uint64  `json:"seed"`
	Seconds    float64 `json:"seconds"`

	Clients []clientResult `json:"clients,omitempty"`
}

// clientResult is what one client has counted.
type clientResult struct {
	shotCounts
	Lost int `json:"lost"` // shots at something on which the server has not sent a verdict
	bulletCounts
	// Unmatched is how many of its bullets the server has not fired since it connected. Late is how many of its
	// inputs have reached the server after their tick since counting began.
	Unmatched uint64   `json:"unmatched"`
	Late      uint64   `json:"late"`
	Why       []string `json:"why,omitempty"` // the reasons of the last rollbacks
}

// playHeadless plays to the end, and returns the result. It writes the address of a server to says.
func playHeadless(ctx context.Context, s settings, says io.Writer) (result, error) {
	p, err := newPlay(s)
	if err != nil {
		return result{}, err
	}
	defer p.End()
	if s.Mode == stage.Server {
		fmt.Fprintln(says, "shooter: the server listens at", p.server.Addrs()[0])
	}
	if err := p.PlayOn(ctx, p.step); err != nil {
		return result{}, err
	}
	seconds := float64(p.Played-warmUp) / tickRate
	if s.Mode == stage.All {
		err = p.rest()
	}
	r := p.result()
	r.Seconds = seconds
	return r, err
}

// rest waits for the verdicts about the last shots. Nobody fires any more.
func (p *play) rest() error {
	for _, c := range p.clients {
		c.quiet = true
	}
	for range restTime * tickRate {
		if _, err := p.step(); err != nil {
			return err
		}
	}
	return nil
}

// result returns the result so far.
func (p *play) result() result {
	r := result{
		Example: "shooter", Mode: p.Mode, Compensate: p.Compensate, Loss: p.Loss, Seed: p.Seed,
		LatencyMS: time.Duration(p.Latency).Seconds() * 1000, JitterMS: time.Duration(p.Jitter).Seconds() * 1000,
	}
	for _, c := range p.clients {
		r.Clients = append(r.Clients, p.clientResult(c))
	}
	return r
}

func (p *play) clientResult(c *clientGame) clientResult {
	r := clientResult{
		shotCounts: c.shots, Lost: c.lost, bulletCounts: c.watch.bulletCounts,
		Unmatched: c.Stats().Prespawned.Unmatched, Late: p.late(c) - c.lateBefore,
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
	fmt.Fprintln(w, "player\taimed\thit\twith compensation\twithout\tbullets\ttwice\tback\trollbacks\tby bullets\tlate inputs\t")
	for i, c := range r.Clients {
		fmt.Fprintf(w, "%d\t%d\t%.1f %%\t%.1f %%\t%.1f %%\t%d\t%d\t%d\t%d\t%d\t%d\t\n", i+1, c.Aimed,
			c.share(c.Hit), c.share(c.OnScreen), c.share(c.Present), c.Bullets, c.Twice, c.Back, c.Rollbacks, c.ByBullets, c.Late)
	}
	return w.Flush()
}
