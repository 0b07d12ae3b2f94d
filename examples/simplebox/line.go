package main

import (
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// quality is how bad a line is, in either direction.
type quality struct {
	Latency program.Span `json:"latency"`
	Jitter  program.Span `json:"jitter"`
	Loss    float64      `json:"loss"`
}

func (q quality) config() conditioner.Config {
	return conditioner.Config{Latency: time.Duration(q.Latency), Jitter: time.Duration(q.Jitter), Loss: q.Loss}
}

// qualities returns lines to try with the number keys. The first one is the configured line.
func qualities(asked quality) []quality {
	const ms = program.Span(time.Millisecond)
	return []quality{
		asked,
		{Latency: 25 * ms, Jitter: 5 * ms, Loss: 0.01},
		{Latency: 80 * ms, Jitter: 20 * ms, Loss: 0.1},
		{Latency: 200 * ms, Jitter: 60 * ms, Loss: 0.3},
	}
}

// line is a dialer that can make its connection worse and better while it is open.
type line struct {
	inner   transport.Dialer
	quality quality
	seed    uint64
	clock   func() time.Time // nil: time.Now
	conn    *conditioner.Conn
}

// Dial opens a connection of the line's quality.
func (l *line) Dial(server netip.AddrPort) (transport.Conn, error) {
	conn, err := conditioner.NewDialer(l.inner, conditioner.Options{
		Send: l.quality.config(), Receive: l.quality.config(), Seed: l.seed, Clock: l.clock,
	}).Dial(server)
	l.conn, _ = conn.(*conditioner.Conn)
	return conn, err
}

// change gives the line another quality.
func (l *line) change(q quality) error {
	l.quality = q
	if l.conn == nil {
		return nil
	}
	return l.conn.Configure(q.config(), q.config())
}
