package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

const (
	defaultSeconds = 20 // of a run without a terminal that has an end
	leastClients   = 2
	mostClients    = 4
)

// settings are the options of the program. In a file they have the names below, which are also those of the flags.
type settings struct {
	stage.Sides
	Clients    int  `json:"clients"`
	Compensate bool `json:"compensate"`
	stage.Line
	program.Length
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	s.Sides.Bind(set, "its clients")
	set.StringVar(&s.Addr, "addr", stage.DefaultAddr, "the server's `host:port`, in modes server and client")
	set.IntVar(&s.Clients, "clients", leastClients, "how many players, in mode all")
	set.BoolVar(&s.Compensate, "compensate", true, "a shot hits the player in its way on the shooter's screen; false: the one in its way now")
	set.TextVar(&s.Latency, "latency", program.Span(60*time.Millisecond), "added to each datagram of a client, in either direction")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down, such as 10ms")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the bots and of the lines")
	s.Length.Bind(set, "a table and a line of JSON", "in mode all without a terminal 20")
}

// check returns an error that names an invalid option and its valid values.
func (s *settings) check() error {
	if s.Clients < leastClients || s.Clients > mostClients {
		return fmt.Errorf("clients is %d; it can be %d to %d", s.Clients, leastClients, mostClients)
	}
	return errors.Join(s.Sides.Check(), s.Line.Check(), s.Length.Check())
}

// frames returns how many frames to play; 0 means without end.
func (s *settings) frames() int { return s.Frames(tickRate, defaultSeconds, s.Mode == stage.All) }
