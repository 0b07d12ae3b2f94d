package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"time"

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

// span is a duration that is written like 80ms, in flags and in a settings file.
type span time.Duration

// MarshalText writes the duration as Go does.
func (s span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *span) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("write a duration such as 80ms or 1.5s")
	}
	*s = span(d)
	return nil
}

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

// flagSet binds every option to a flag, and so gives each its default.
func (s *settings) flagSet(file *string, output io.Writer) *flag.FlagSet {
	set := flag.NewFlagSet("simplebox", flag.ContinueOnError)
	set.SetOutput(output)
	set.StringVar(file, "settings", "", "a `file` of JSON with the same options; flags go before it")
	set.StringVar(&s.Mode, "mode", modeAll, "all: a server and its clients; server or client: one of them; key: print a new key")
	set.StringVar(&s.Addr, "addr", "", "the server's `host:port` (default "+defaultAddr+", in mode all any free port)")
	set.StringVar(&s.Key, "key", "", "64 hexadecimal digits that server and clients share; without it loopback only")
	set.Uint64Var(&s.ID, "id", 0, "the client's own number, in mode client (default any)")
	set.IntVar(&s.Clients, "clients", 2, "how many clients, in mode all")
	set.IntVar(&s.Dots, "dots", 1000, "how many dots the server's world has")
	set.Uint64Var(&s.Seed, "seed", 1, "where chance starts: that of the dots and of the line")
	set.TextVar(&s.Latency, "latency", span(0), "added to each datagram of a client, in either direction, such as 80ms")
	set.TextVar(&s.Jitter, "jitter", span(0), "by which that varies, up and down, such as 20ms")
	set.Float64Var(&s.Loss, "loss", 0, "the share of datagrams that are lost, in either direction, 0 to 1")
	set.BoolVar(&s.Headless, "headless", false, "run without a terminal and print a line of JSON at the end")
	set.Float64Var(&s.Seconds, "seconds", 0, "how long to play (default until you quit; in mode all without a terminal 10)")
	set.StringVar(&s.Dumps, "dumps", "", "a `folder` to leave the dumps of the worlds in")
	set.BoolVar(&s.Spoil, "spoil", false, "spoil one value of the first client before the worlds are compared")
	set.BoolVar(&s.pipe, "pipe", false, "be led over standard input and output, as mode all does with its processes")
	return set
}

// readSettings reads the flags, and the file that they name for what they leave
// open.
func readSettings(args []string, output io.Writer) (settings, error) {
	var s settings
	var file string
	set := s.flagSet(&file, output)
	if err := set.Parse(args); err != nil {
		return s, err
	}
	if set.NArg() > 0 {
		return s, fmt.Errorf("%q is no option: options begin with a dash, -help lists them", set.Arg(0))
	}
	if file != "" {
		if err := s.readFile(file); err != nil {
			return s, err
		}
		if err := set.Parse(args); err != nil { // again, over the file
			return s, err
		}
	}
	return s, s.check()
}

func (s *settings) readFile(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("-settings: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(s); err != nil {
		return fmt.Errorf("-settings: %s: %w", name, err)
	}
	return nil
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
