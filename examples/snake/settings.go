package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

const (
	defaultSeconds = 10 // of a run without a terminal
	mostSegments   = 48 // this many fit into a pen and can still crawl
)

// settings are the options of the program.
type settings struct {
	rules
	interpolate bool // whether the client interpolates the segments
	stage.Line
	program.Length
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	set.IntVar(&s.segments, "segments", 24, "how many segments a snake begins with")
	set.BoolVar(&s.ungrouped, "apart", false, "give neither snake a group, to see that this is noticed")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the snakes and of the line")
	set.Float64Var(&s.Loss, "loss", 0.2, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.TextVar(&s.Latency, "latency", program.Span(50*time.Millisecond), "how long a datagram takes")
	set.TextVar(&s.Jitter, "jitter", program.Span(10*time.Millisecond), "by which that varies, up and down")
	set.BoolVar(&s.interpolate, "interpolate", true, smooth.Flag)
	s.Length.Bind(set, "a line of JSON", "without a terminal 10")
}

// check returns an error that names an invalid option and its valid values.
func (s *settings) check() error {
	if s.segments < 2 || s.segments > mostSegments {
		return fmt.Errorf("segments is %d; it can be 2 to %d", s.segments, mostSegments)
	}
	return errors.Join(s.Line.Check(), s.Length.Check())
}
