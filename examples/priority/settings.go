package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
)

const (
	defaultDots    = 40
	defaultCap     = 20_000 // bytes per second, enough for a quarter of the updates of 7 rows of 40 dots
	defaultSeconds = 10     // of a run without a terminal that has an end
	mostWithin     = 600    // ticks
)

// settings are the options of the program. In a file they have the names below, which are also those of the flags.
type settings struct {
	stage.Sides
	Rules
	Interpolate bool `json:"interpolate"`
	stage.Line
	program.Length
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	s.Sides.Bind(set, "a client")
	set.StringVar(&s.Addr, "addr", stage.DefaultAddr, "the server's `host:port`, in modes server and client")
	set.IntVar(&s.Dots, "dots", defaultDots, "how many dots a row has")
	set.IntVar(&s.Cap, "cap", defaultCap, "the most `bytes` per second sent to a client; 0 is no cap")
	set.IntVar(&s.Within, "within", 0, "for how many `ticks` an update of row 1 may wait; 0 is no bound")
	set.TextVar(&s.Latency, "latency", program.Span(50*time.Millisecond), "added to each datagram of the client, in either direction")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down")
	set.BoolVar(&s.Interpolate, "interpolate", true, smooth.Flag)
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.Uint64Var(&s.Seed, "seed", 1, "seed of the line")
	s.Length.Bind(set, "a table and a line of JSON", "in mode all without a terminal 10")
}

// check returns an error that names an invalid option and its valid values.
func (s *settings) check() error {
	switch {
	case s.Dots < 1 || s.Dots > mostDots:
		return fmt.Errorf("dots is %d; it can be 1 to %d", s.Dots, mostDots)
	case s.Cap != 0 && (s.Cap < plugin.LeastBytes || s.Cap > plugin.MostBytes):
		return fmt.Errorf("cap is %d; it can be %d to %d bytes per second, or 0 for none", s.Cap, plugin.LeastBytes, plugin.MostBytes)
	case s.Within < 0 || s.Within > mostWithin:
		return fmt.Errorf("within is %d; it can be 1 to %d ticks, or 0 for no bound", s.Within, mostWithin)
	}
	return errors.Join(s.Sides.Check(), s.Line.Check(), s.Length.Check())
}

// frames returns how many frames to play; 0 means without end.
func (s *settings) frames() int { return s.Frames(tickRate, defaultSeconds, s.Mode == stage.All) }
