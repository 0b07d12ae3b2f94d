package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"

	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
)

const (
	defaultSeconds = 10 // of a run without a terminal that has an end

	maxClients = 6 // this many fit beside each other on a screen
	maxDots    = 10000
)

// settings are the options of the program. In a file they have the names in these tags, which are
// also the names of the flags.
type settings struct {
	stage.Sides
	ID      uint64 `json:"id"`
	Clients int    `json:"clients"`
	Dots    int    `json:"dots"`
	Seed    uint64 `json:"seed"`
	// Interpolate makes the clients interpolate what they do not predict.
	Interpolate bool `json:"interpolate"`
	quality
	program.Length
	Dumps string `json:"dumps"`
	Spoil bool   `json:"spoil"`

	pipe bool // another process controls this one over its standard input
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	s.Sides.Bind(set, "its clients")
	set.StringVar(&s.Addr, "addr", "", "the server's `host:port` (default "+stage.DefaultAddr+", in mode all any free port)")
	set.Uint64Var(&s.ID, "id", 0, "the client's own number, in mode client (default any)")
	set.IntVar(&s.Clients, "clients", 2, "how many clients, in mode all")
	set.IntVar(&s.Dots, "dots", 1000, "how many dots the server's world has")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the dots and of the line")
	set.TextVar(&s.Latency, "latency", program.Span(0), "added to each datagram of a client, in either direction, such as 80ms")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down, such as 20ms")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.BoolVar(&s.Interpolate, "interpolate", true, smooth.Flag)
	s.Length.Bind(set, "a line of JSON", "in mode all without a terminal 10")
	set.StringVar(&s.Dumps, "dumps", "", "a `folder` to leave the dumps of the worlds in")
	set.BoolVar(&s.Spoil, "spoil", false, "spoil one value of the first client before the worlds are compared")
	set.BoolVar(&s.pipe, "pipe", false, "be led over standard input and output, as mode all does with its processes")
}

// check returns an error that names an invalid option and its valid values.
func (s *settings) check() error {
	switch {
	case s.Clients < 1 || s.Clients > maxClients:
		return fmt.Errorf("clients is %d; it can be 1 to %d", s.Clients, maxClients)
	case s.Dots < 0 || s.Dots > maxDots:
		return fmt.Errorf("dots is %d; it can be 0 to %d", s.Dots, maxDots)
	case !(s.Loss >= 0 && s.Loss <= 1):
		return fmt.Errorf("loss is %v; it can be 0 to 1", s.Loss)
	case s.Latency < 0 || s.Jitter < 0:
		return errors.New("latency and jitter can't be below zero")
	}
	if err := errors.Join(s.Sides.Check(), s.Length.Check()); err != nil {
		return err
	}
	return s.checkAddress()
}

func (s *settings) checkAddress() error {
	addr, err := s.address()
	if err != nil {
		return err
	}
	if s.Key == "" && !addr.Addr().IsLoopback() {
		return fmt.Errorf("addr is %v, which other machines reach: give -key, the same on all sides (-mode key prints one), or use %s", addr, stage.DefaultAddr)
	}
	return nil
}

// address returns the address of the server. Without a host, the server listens at all addresses of
// this machine.
func (s *settings) address() (netip.AddrPort, error) {
	switch {
	case s.Addr == "" && s.Mode == stage.All:
		return netip.MustParseAddrPort("127.0.0.1:0"), nil
	case s.Addr == "":
		return netip.MustParseAddrPort(stage.DefaultAddr), nil
	}
	resolved, err := net.ResolveUDPAddr("udp", s.Addr)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("addr is %q; write a host and a port, such as %s: %w", s.Addr, stage.DefaultAddr, err)
	}
	addr := resolved.AddrPort()
	if !addr.Addr().IsValid() {
		return netip.AddrPortFrom(netip.IPv6Unspecified(), addr.Port()), nil
	}
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()), nil
}
