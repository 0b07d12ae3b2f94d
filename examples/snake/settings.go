package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/transport/conditioner"
)

const (
	defaultSeconds = 10 // of a run without a terminal
	mostSegments   = 48 // that fit into a pen with room to crawl
)

// settings are the options of the program.
type settings struct {
	rules
	line     conditioner.Config // in either direction
	seconds  float64
	headless bool
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	set.IntVar(&s.segments, "segments", 24, "how many segments a snake begins with")
	set.BoolVar(&s.apart, "apart", false, "give neither snake a group, to see that this is noticed")
	set.Uint64Var(&s.seed, "seed", 1, "where chance starts: that of the snakes and of the line")
	set.Float64Var(&s.line.Loss, "loss", 0.2, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.DurationVar(&s.line.Latency, "latency", 50*time.Millisecond, "how long a datagram takes")
	set.DurationVar(&s.line.Jitter, "jitter", 10*time.Millisecond, "by which that varies, up and down")
	set.BoolVar(&s.headless, "headless", false, "run without a terminal and print a line of JSON at the end")
	set.Float64Var(&s.seconds, "seconds", 0, "how long to play (default until you quit; without a terminal 10)")
}

// check finds what cannot be, and says what to write.
func (s *settings) check() error {
	switch {
	case s.segments < 2 || s.segments > mostSegments:
		return fmt.Errorf("segments is %d; it can be 2 to %d", s.segments, mostSegments)
	case !(s.line.Loss >= 0 && s.line.Loss <= 1):
		return fmt.Errorf("loss is %v; it can be 0 to 1", s.line.Loss)
	case s.line.Latency < 0 || s.line.Jitter < 0:
		return errors.New("latency and jitter can't be below zero")
	case !(s.seconds >= 0 && s.seconds <= 1e6):
		return fmt.Errorf("seconds is %v; it can be 0 to a million", s.seconds)
	}
	return nil
}
