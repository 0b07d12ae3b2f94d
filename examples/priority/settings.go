package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/token"
)

// The modes of the program.
const (
	modeAll    = "all"
	modeServer = "server"
	modeClient = "client"
	modeKey    = "key"
)

const (
	defaultAddr    = "127.0.0.1:40000"
	defaultDots    = 40
	defaultCap     = 20_000 // bytes per second: room for a quarter of what 7 rows of 40 dots take
	defaultSeconds = 10     // of a run without a terminal that has an end
	mostWithin     = 600    // ticks
)

// settings are the options of the program. In a file they have the names that are
// written here, which are also those of the flags.
type settings struct {
	Mode string `json:"mode"`
	Addr string `json:"addr"`
	Key  string `json:"key"`
	Rules
	Latency  program.Span `json:"latency"`
	Loss     float64      `json:"loss"`
	Seed     uint64       `json:"seed"`
	Headless bool         `json:"headless"`
	Seconds  float64      `json:"seconds"`
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	set.StringVar(&s.Mode, "mode", modeAll, "all: a server and a client; server or client: one of them; key: print a new key")
	set.StringVar(&s.Addr, "addr", defaultAddr, "the server's `host:port`, in modes server and client")
	set.StringVar(&s.Key, "key", "", "64 hexadecimal digits that server and clients share; without it loopback only")
	set.IntVar(&s.Dots, "dots", defaultDots, "how many dots a row has")
	set.IntVar(&s.Cap, "cap", defaultCap, "what a client is sent at most, in `bytes` per second; 0 is no cap")
	set.IntVar(&s.Within, "within", 0, "for how many `ticks` an update of row 1 may wait; 0 is no bound")
	set.TextVar(&s.Latency, "latency", program.Span(50*time.Millisecond), "added to each datagram of the client, in either direction")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the line")
	set.BoolVar(&s.Headless, "headless", false, "run without a terminal and print a table and a line of JSON at the end")
	set.Float64Var(&s.Seconds, "seconds", 0, "how long to play (default until you quit; in mode all without a terminal 10)")
}

// check finds what cannot be, and says what to write.
func (s *settings) check() error {
	if !slices.Contains([]string{modeAll, modeServer, modeClient, modeKey}, s.Mode) {
		return fmt.Errorf("mode is %q; it can be all, server, client or key", s.Mode)
	}
	switch {
	case s.Dots < 1 || s.Dots > mostDots:
		return fmt.Errorf("dots is %d; it can be 1 to %d", s.Dots, mostDots)
	case s.Cap != 0 && (s.Cap < plugin.LeastBytes || s.Cap > plugin.MostBytes):
		return fmt.Errorf("cap is %d; it can be %d to %d bytes per second, or 0 for none", s.Cap, plugin.LeastBytes, plugin.MostBytes)
	case s.Within < 0 || s.Within > mostWithin:
		return fmt.Errorf("within is %d; it can be 1 to %d ticks, or 0 for no bound", s.Within, mostWithin)
	case s.Latency < 0:
		return errors.New("latency can't be below zero")
	case !(s.Loss >= 0 && s.Loss <= 1):
		return fmt.Errorf("loss is %v; it can be 0 to 1", s.Loss)
	case !(s.Seconds >= 0 && s.Seconds <= 1e6):
		return fmt.Errorf("seconds is %v; it can be 0 to a million", s.Seconds)
	}
	_, err := s.secret()
	return err
}

// secret returns the key, zero if none is set.
func (s *settings) secret() (token.Key, error) {
	if s.Key == "" {
		return token.Key{}, nil
	}
	return token.ParseKey(s.Key)
}

// line is how bad the client's line is, in either direction.
func (s *settings) line() conditioner.Config {
	return conditioner.Config{Latency: time.Duration(s.Latency), Loss: s.Loss}
}

// frames is how many are to be played, 0 for no end.
func (s *settings) frames() int {
	if s.Seconds == 0 && s.Headless && s.Mode == modeAll {
		return defaultSeconds * tickRate
	}
	return int(s.Seconds * tickRate)
}
