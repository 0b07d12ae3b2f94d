package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/entangle-ecs/entangle/examples/internal/program"
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

	maxClients = 6 // that fit beside each other on a screen
	maxDots    = 10000
)

// settings are the options of the program. In a file they have the names that are
// written here, which are also those of the flags.
type settings struct {
	Mode    string `json:"mode"`
	Addr    string `json:"addr"`
	Key     string `json:"key"`
	ID      uint64 `json:"id"`
	Clients int    `json:"clients"`
	Dots    int    `json:"dots"`
	Seed    uint64 `json:"seed"`
	quality
	Headless bool    `json:"headless"`
	Seconds  float64 `json:"seconds"`
	Dumps    string  `json:"dumps"`
	Spoil    bool    `json:"spoil"`

	pipe bool // the process is led by another one over its standard input
}

// bind binds the options to flags.
func (s *settings) bind(set *flag.FlagSet) {
	set.StringVar(&s.Mode, "mode", modeAll, "all: a server and its clients; server or client: one of them; key: print a new key")
	set.StringVar(&s.Addr, "addr", "", "the server's `host:port` (default "+defaultAddr+", in mode all any free port)")
	set.StringVar(&s.Key, "key", "", "64 hexadecimal digits that server and clients share; without it loopback only")
	set.Uint64Var(&s.ID, "id", 0, "the client's own number, in mode client (default any)")
	set.IntVar(&s.Clients, "clients", 2, "how many clients, in mode all")
	set.IntVar(&s.Dots, "dots", 1000, "how many dots the server's world has")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the dots and of the line")
	set.TextVar(&s.Latency, "latency", program.Span(0), "added to each datagram of a client, in either direction, such as 80ms")
	set.TextVar(&s.Jitter, "jitter", program.Span(0), "by which that varies, up and down, such as 20ms")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.BoolVar(&s.Headless, "headless", false, "run without a terminal and print a line of JSON at the end")
	set.Float64Var(&s.Seconds, "seconds", 0, "how long to play (default until you quit; in mode all without a terminal 10)")
	set.StringVar(&s.Dumps, "dumps", "", "a `folder` to leave the dumps of the worlds in")
	set.BoolVar(&s.Spoil, "spoil", false, "spoil one value of the first client before the worlds are compared")
	set.BoolVar(&s.pipe, "pipe", false, "be led over standard input and output, as mode all does with its processes")
}

// check finds what cannot be, and says what to write.
func (s *settings) check() error {
	if !slices.Contains([]string{modeAll, modeServer, modeClient, modeKey}, s.Mode) {
		return fmt.Errorf("mode is %q; it can be all, server, client or key", s.Mode)
	}
	switch {
	case s.Clients < 1 || s.Clients > maxClients:
		return fmt.Errorf("clients is %d; it can be 1 to %d", s.Clients, maxClients)
	case s.Dots < 0 || s.Dots > maxDots:
		return fmt.Errorf("dots is %d; it can be 0 to %d", s.Dots, maxDots)
	case !(s.Loss >= 0 && s.Loss <= 1):
		return fmt.Errorf("loss is %v; it can be 0 to 1", s.Loss)
	case s.Latency < 0 || s.Jitter < 0:
		return errors.New("latency and jitter can't be below zero")
	case !(s.Seconds >= 0 && s.Seconds <= 1e6):
		return fmt.Errorf("seconds is %v; it can be 0 to a million", s.Seconds)
	}
	return s.checkAddress()
}

func (s *settings) checkAddress() error {
	if _, err := s.secret(); err != nil {
		return err
	}
	addr, err := s.address()
	if err != nil {
		return err
	}
	if s.Key == "" && !addr.Addr().IsLoopback() {
		return fmt.Errorf("addr is %v, which other machines reach: give -key, the same on all sides (-mode key prints one), or use %s", addr, defaultAddr)
	}
	return nil
}

// address returns where the server is, or will be; without a host everywhere on
// this machine.
func (s *settings) address() (netip.AddrPort, error) {
	switch {
	case s.Addr == "" && s.Mode == modeAll:
		return netip.MustParseAddrPort("127.0.0.1:0"), nil
	case s.Addr == "":
		return netip.MustParseAddrPort(defaultAddr), nil
	}
	resolved, err := net.ResolveUDPAddr("udp", s.Addr)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("addr is %q; write a host and a port, such as %s: %w", s.Addr, defaultAddr, err)
	}
	addr := resolved.AddrPort()
	if !addr.Addr().IsValid() {
		return netip.AddrPortFrom(netip.IPv6Unspecified(), addr.Port()), nil
	}
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()), nil
}

// secret returns the key, zero if none is set.
func (s *settings) secret() (token.Key, error) {
	if s.Key == "" {
		return token.Key{}, nil
	}
	return token.ParseKey(s.Key)
}
