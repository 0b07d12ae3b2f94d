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

const (
	defaultSeconds = 10 // of a run without a terminal that has an end
	mostClients    = 6
)

// settings are the options of the program. In a file they have the names below, which are also those of the flags.
type settings struct {
	stage.Sides
	Clients    int  `json:"clients"`
	Predict    bool `json:"predict"`
	Delay      int  `json:"delay"`
	Correction int  `json:"correction"`
	stage.Line
	program.Length
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	s.Sides.Bind(set, "its clients")
	set.StringVar(&s.Addr, "addr", stage.DefaultAddr, "the server's `host:port`, in modes server and client")
	set.IntVar(&s.Clients, "clients", 2, "how many clients, in mode all")
	set.BoolVar(&s.Predict, "predict", true, "whether clients predict the discs of others, too; the server decides")
	set.IntVar(&s.Delay, "delay", 0, "by how many `ticks` the inputs of clients act later")
	set.IntVar(&s.Correction, "correction", 6, "over how many `ticks` the display of a correction is spread; 0 is at once")
	set.TextVar(&s.Latency, "latency", program.Span(50*time.Millisecond), "added to each datagram of a client, in either direction")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down, such as 10ms")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.Uint64Var(&s.Seed, "seed", 1, "seed of the lines")
	s.Length.Bind(set, "a table and a line of JSON", "in mode all without a terminal 10")
}

// check returns an error that names an invalid option and its valid values.
func (s *settings) check() error {
	switch {
	case s.Clients < 1 || s.Clients > mostClients:
		return fmt.Errorf("clients is %d; it can be 1 to %d", s.Clients, mostClients)
	case s.Delay < 0 || s.Delay > plugin.MaxInputDelay:
		return fmt.Errorf("delay is %d ticks; it can be 0 to %d", s.Delay, plugin.MaxInputDelay)
	case s.Correction < 0 || s.Correction > tickRate:
		return fmt.Errorf("correction is %d ticks; it can be 0 to %d", s.Correction, tickRate)
	}
	return errors.Join(s.Sides.Check(), s.Line.Check(), s.Length.Check())
}

// correction returns how long a correction is displayed.
func (s *settings) correction() time.Duration {
	return time.Duration(s.Correction) * time.Second / tickRate
}

// covered reports whether the delay covers the latency of an input from one client to another, plus
// one tick on each of the three machines that handle it. If so, the input arrives before its tick
// is computed anywhere.
func (s *settings) covered() bool {
	way := 2 * (time.Duration(s.Latency) + time.Duration(s.Jitter))
	return s.Predict && s.Loss == 0 && time.Duration(s.Delay-handling)*time.Second/tickRate >= way
}

const handling = 3 // ticks

// frames returns how many frames to play; 0 means without end.
func (s *settings) frames() int { return s.Frames(tickRate, defaultSeconds, s.Mode == stage.All) }
