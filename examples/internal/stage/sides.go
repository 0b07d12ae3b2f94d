package stage

import (
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/entangle-ecs/entangle/transport/token"
)

// The modes of a program, which select its sides.
const (
	All    = "all"
	Server = "server"
	Client = "client"
	Key    = "key" // no side runs: the program prints a new key
)

// DefaultAddr is the default address of a server without clients in its process.
const DefaultAddr = "127.0.0.1:40000"

// Sides holds the options that select which sides run in this process, and the address of the other
// side. With the zero value all sides run.
type Sides struct {
	Mode string `json:"mode"`
	Addr string `json:"addr"`
	Key  string `json:"key"`
}

// Bind binds the options to flags, except -addr, which has the example's default. with names the
// other sides that run with the server in mode all.
func (s *Sides) Bind(set *flag.FlagSet, with string) {
	set.StringVar(&s.Mode, "mode", All, "all: a server and "+with+"; server or client: one of them; key: print a new key")
	set.StringVar(&s.Key, "key", "", "64 hexadecimal digits that server and clients share; without it loopback only")
}

// Check returns an error that names an invalid option and its valid values.
func (s *Sides) Check() error {
	if !slices.Contains([]string{All, Server, Client, Key}, s.Mode) {
		return fmt.Errorf("mode is %q; it can be all, server, client or key", s.Mode)
	}
	_, err := s.Secret()
	return err
}

// Secret returns the key, or zero if none is set.
func (s *Sides) Secret() (token.Key, error) {
	if s.Key == "" {
		return token.Key{}, nil
	}
	return token.ParseKey(s.Key)
}

// PrintKey prints a new key.
func PrintKey(to io.Writer) error {
	_, err := fmt.Fprintln(to, token.NewKey().Hex())
	return err
}
