package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
)

const defaultSeconds = 10 // of a run without a terminal

// clients are the clients by number, with the latencies of their lines.
var clients = [...]struct {
	name    string
	latency time.Duration
}{
	{"A, shoots", 20 * time.Millisecond},
	{"B, just in time", 40 * time.Millisecond},
	{"C, near", 5 * time.Millisecond},
	{"D, far away", 150 * time.Millisecond},
}

// settings are the options of the program.
type settings struct {
	delay int // input delay of client A, in ticks
	stage.Line
	program.Length
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	set.IntVar(&s.delay, "delay", 12, "how many ticks before its shots client A says that it shoots")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the lines")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.TextVar(&s.Latency, "latency", program.Span(0), "how much longer a datagram takes than it does anyway: 5 to 150 ms")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down")
	s.Length.Bind(set, "a line of JSON", "without a terminal 10")
}

// check returns an error that names an invalid option and its valid values.
func (s *settings) check() error {
	if s.delay < 0 || s.delay > plugin.MaxInputDelay {
		return fmt.Errorf("delay is %d; it can be 0 to %d", s.delay, plugin.MaxInputDelay)
	}
	return errors.Join(s.Line.Check(), s.Length.Check())
}
