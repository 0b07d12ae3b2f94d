package stage

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// Line holds the options for the network conditions of a client, the same in both directions.
type Line struct {
	Latency program.Span `json:"latency"`
	Jitter  program.Span `json:"jitter,omitempty"`
	Loss    float64      `json:"loss"`
	Seed    uint64       `json:"seed"` // seed of its random numbers, and possibly of the example's
}

// Check returns an error that names an invalid option and its valid values.
func (l *Line) Check() error {
	switch {
	case l.Latency < 0:
		return errors.New("latency can't be below zero")
	case l.Jitter < 0:
		return errors.New("jitter can't be below zero")
	case !(l.Loss >= 0 && l.Loss <= 1):
		return fmt.Errorf("loss is %v; it can be 0 to 1", l.Loss)
	}
	return nil
}

// Config returns the line as a config of a conditioner.
func (l *Line) Config() conditioner.Config {
	return conditioner.Config{Latency: time.Duration(l.Latency), Jitter: time.Duration(l.Jitter), Loss: l.Loss}
}

// dialer keeps the connection that it opens, so that its line can be changed.
type dialer struct {
	inner *conditioner.Dialer
	conn  *conditioner.Conn
}

// Dial implements transport.Dialer.
func (d *dialer) Dial(server netip.AddrPort) (transport.Conn, error) {
	conn, err := d.inner.Dial(server)
	d.conn, _ = conn.(*conditioner.Conn)
	return conn, err
}

// configure changes the conditions, the same in both directions.
func (d *dialer) configure(c conditioner.Config) error {
	if d.conn == nil {
		return nil
	}
	return d.conn.Configure(c, c)
}
