package stage

import (
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/entangle-ecs/entangle/transport/token"
)

// The modes of a program: which sides it plays.
const (
	All    = "all"
	Server = "server"
	Client = "client"
	Key    = "key" // none: it prints a new key
)

// DefaultAddr is where a server is that is played alone, unless -addr says otherwise.
const DefaultAddr = "127.0.0.1:40000"

// Sides are the options that say which sides are played here, and where the other is. Zero
// is all of them.
type Sides struct {
	Mode string `json:"mode"`
	Addr string `json:"addr"`
	Key  string `json:"key"`
}

// Bind binds the options to flags, but for -addr, whose default is the example's. With says who
// plays with the server, in mode all.
func (s *Sides) Bind(set *flag.FlagSet, with string) {
	set.StringVar(&s.Mode, "mode", All, "all: a server and "+with+"; server or client: one of them; key: print a new key")
	set.StringVar(&s.Key, "key", "", "64 hexadecimal digits that server and clients share; without it loopback only")
}

// Check finds what cannot be, and says what to write.
func (s *Sides) Check() error {
	if !slices.Contains([]string{All, Server, Client, Key}, s.Mode) {
		return fmt.Errorf("mode is %q; it can be all, server, client or key", s.Mode)
	}
	_, err := s.Secret()
	return err
}

// Secret returns the key, zero if none is set.
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
