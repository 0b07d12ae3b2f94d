package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

const (
	defaultSeconds = 20  // of a run without a terminal
	mostDots       = 500 // with more, the map would be too crowded to read
)

// settings are the options of the program.
type settings struct {
	rules
	interpolate bool // whether the clients interpolate all things
	stage.Line
	program.Length
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	set.BoolVar(&s.Grid, "grid", true, "things near a client's viewers matter to it")
	set.BoolVar(&s.Rooms, "rooms", true, "things in the chamber of a client's player matter to it")
	set.IntVar(&s.dots, "dots", 60, "how many dots there are")
	set.BoolVar(&s.leak, "leak", false, "show all dots to all clients, to check that this is noticed")
	set.Uint64Var(&s.Seed, "seed", 1, "seed of the random walks and of the lines")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.TextVar(&s.Latency, "latency", program.Span(50*time.Millisecond), "how long a datagram takes")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down")
	set.BoolVar(&s.interpolate, "interpolate", true, smooth.Flag)
	s.Length.Bind(set, "a line of JSON", "without a terminal 20")
}

// check returns an error that names an invalid option and its valid values.
func (s *settings) check() error {
	switch {
	case s.dots < 1 || s.dots > mostDots:
		return fmt.Errorf("dots is %d; it can be 1 to %d", s.dots, mostDots)
	case !(s.Loss >= 0 && s.Loss <= 0.5):
		return fmt.Errorf("loss is %v; it can be 0 to 0.5", s.Loss)
	case s.Latency < 0 || s.Latency > program.Span(time.Second):
		return errors.New("latency can be 0 to 1s")
	case s.Jitter < 0 || s.Jitter > program.Span(time.Second):
		return errors.New("jitter can be 0 to 1s")
	}
	return s.Length.Check()
}

// grace returns for how many ticks a client may still have a thing that no longer matters to it, or
// may not yet have one that does. That is as long as three datagrams take, one after the other,
// because a thing that stops mattering and then matters again is sent only after its despawn was
// acknowledged. Each datagram also waits for a frame at either end. With packet loss it is longer,
// because a datagram may have to be sent again. Interpolated things come and go when their timeline is
// at that tick, which is a little after most of what happened then has arrived.
func (s *settings) grace() entangle.Tick {
	ways := 3*entangle.Tick(time.Duration(s.Latency+s.Jitter)*tickRate/time.Second) + 8
	if s.Loss > 0 {
		ways += 3 * tickRate
	}
	return ways
}
