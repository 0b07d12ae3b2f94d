package main

import (
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// quality is the network conditions of a line, the same in both directions.
type quality struct {
	Latency program.Span `json:"latency"`
	Jitter  program.Span `json:"jitter"`
	Loss    float64      `json:"loss"`
}

func (q quality) config() conditioner.Config {
	return conditioner.Config{Latency: time.Duration(q.Latency), Jitter: time.Duration(q.Jitter), Loss: q.Loss}
}

// qualities returns the conditions that the number keys select. The first ones are those
// configured.
func qualities(asked quality) []quality {
	const ms = program.Span(time.Millisecond)
	return []quality{
		asked,
		{Latency: 25 * ms, Jitter: 5 * ms, Loss: 0.01},
		{Latency: 80 * ms, Jitter: 20 * ms, Loss: 0.1},
		{Latency: 200 * ms, Jitter: 60 * ms, Loss: 0.3},
	}
}

// line is a dialer with a quality that can be changed while its connection is open.
type line struct {
	inner   transport.Dialer
	quality quality
	seed    uint64
	clock   func() time.Time // nil: time.Now
	conn    *conditioner.Conn
}

// Dial opens a connection with the line's quality.
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
