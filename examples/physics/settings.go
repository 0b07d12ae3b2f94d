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
	defaultSeconds = 10 // of a run without a terminal that has an end
	mostClients    = 6
)

// settings are the options of the program. In a file they have the names that are
// written here, which are also those of the flags.
type settings struct {
	Mode       string       `json:"mode"`
	Addr       string       `json:"addr"`
	Key        string       `json:"key"`
	Clients    int          `json:"clients"`
	Predict    bool         `json:"predict"`
	Delay      int          `json:"delay"`
	Correction int          `json:"correction"`
	Latency    program.Span `json:"latency"`
	Jitter     program.Span `json:"jitter"`
	Loss       float64      `json:"loss"`
	Seed       uint64       `json:"seed"`
	Headless   bool         `json:"headless"`
	Seconds    float64      `json:"seconds"`
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	set.StringVar(&s.Mode, "mode", modeAll, "all: a server and its clients; server or client: one of them; key: print a new key")
	set.StringVar(&s.Addr, "addr", defaultAddr, "the server's `host:port`, in modes server and client")
	set.StringVar(&s.Key, "key", "", "64 hexadecimal digits that server and clients share; without it loopback only")
	set.IntVar(&s.Clients, "clients", 2, "how many clients, in mode all")
	set.BoolVar(&s.Predict, "predict", true, "whether clients predict the others' discs, too; it is the server that says")
	set.IntVar(&s.Delay, "delay", 0, "by how many `ticks` the inputs of clients act later")
	set.IntVar(&s.Correction, "correction", 6, "over how many `ticks` the picture eases to where a disc is found to be; 0 is at once")
	set.TextVar(&s.Latency, "latency", program.Span(50*time.Millisecond), "added to each datagram of a client, in either direction")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down, such as 10ms")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the lines")
	set.BoolVar(&s.Headless, "headless", false, "run without a terminal and print a table and a line of JSON at the end")
	set.Float64Var(&s.Seconds, "seconds", 0, "how long to play (default until you quit; in mode all without a terminal 10)")
}

// check finds what cannot be, and says what to write.
func (s *settings) check() error {
	if !slices.Contains([]string{modeAll, modeServer, modeClient, modeKey}, s.Mode) {
		return fmt.Errorf("mode is %q; it can be all, server, client or key", s.Mode)
	}
	switch {
	case s.Clients < 1 || s.Clients > mostClients:
		return fmt.Errorf("clients is %d; it can be 1 to %d", s.Clients, mostClients)
	case s.Delay < 0 || s.Delay > plugin.MaxInputDelay:
		return fmt.Errorf("delay is %d ticks; it can be 0 to %d", s.Delay, plugin.MaxInputDelay)
	case s.Correction < 0 || s.Correction > tickRate:
		return fmt.Errorf("correction is %d ticks; it can be 0 to %d", s.Correction, tickRate)
	case s.Latency < 0 || s.Jitter < 0:
		return errors.New("latency and jitter can't be below zero")
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

// line is how bad a client's line is, in either direction.
func (s *settings) line() conditioner.Config {
	return conditioner.Config{Latency: time.Duration(s.Latency), Jitter: time.Duration(s.Jitter), Loss: s.Loss}
}

// correction is how long the picture of a disc takes to ease.
func (s *settings) correction() time.Duration {
	return time.Duration(s.Correction) * time.Second / tickRate
}

// covered reports whether the delay covers the way of an input from one client to another,
// and a tick more at each of the three that handle it. Then it is there before its tick is
// computed anywhere.
func (s *settings) covered() bool {
	way := 2 * (time.Duration(s.Latency) + time.Duration(s.Jitter))
	return s.Predict && s.Loss == 0 && time.Duration(s.Delay-handling)*time.Second/tickRate >= way
}

const handling = 3 // ticks

// frames is how many are to be played, 0 for no end.
func (s *settings) frames() int {
	if s.Seconds == 0 && s.Headless && s.Mode == modeAll {
		return defaultSeconds * tickRate
	}
	return int(s.Seconds * tickRate)
}
