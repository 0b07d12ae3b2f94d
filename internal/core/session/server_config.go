package session

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/transport/token"
)

// ServerConfig configures a Server. NewServer validates it.
type ServerConfig struct {
	// ProtocolID must equal the one of the tokens.
	ProtocolID uint64

	// Key that the tokens are sealed with. Zero is an error.
	Key token.Key

	// Addresses by which tokens may list this server, at least one, each with a port: where the
	// server listens, and, behind address translation, the public address. A wildcard or loopback
	// address stands for all wildcard and loopback addresses with its port, but not for the
	// machine's other addresses.
	Addresses []netip.AddrPort

	// MaxClients that are connected at once, 1 to MaxSlots.
	MaxClients int

	// TokenLife is the life of every token for this server, in whole seconds. Zero:
	// token.DefaultLife. Negative is an error. After a restart a token is refused
	// if, by this life, it could have been used before; one with a longer life
	// waits until no more than this is left of it.
	TokenLife time.Duration

	// Entropy yields the key of the challenges and the first sequence, once. Nil is an error; pass
	// crypto/rand.Reader.
	Entropy io.Reader

	// Start is when this server is started. Zero is an error. Tokens of an earlier
	// second, or of the same second if Start is not a whole one, are refused: a
	// server before this one may have admitted them (see token.NextSecond).
	Start time.Time

	// Pending is how many clients can be connecting at once; more are ignored until
	// places become free. Zero: 4 for each of MaxClients, at least 256.
	Pending int

	// History is how many unexpired tokens are stored; more are refused until some
	// expire. Zero: 16 for each of MaxClients, at least 4096.
	History int
}

// withDefaults returns the config with named defaults in place of zeros, or an
// error that names the field.
func (c ServerConfig) withDefaults() (ServerConfig, error) {
	if c.TokenLife == 0 {
		c.TokenLife = token.DefaultLife
	}
	if c.Pending == 0 {
		c.Pending = max(minPending, pendingPerSlot*c.MaxClients)
	}
	if c.History == 0 {
		c.History = max(minHistory, historyPerSlot*c.MaxClients)
	}
	return c, c.validate()
}

func (c *ServerConfig) validate() error {
	switch {
	case c.Key.IsZero():
		return errors.New("session: ServerConfig.Key is zero; make one with token.NewKey and share it with the backend that mints tokens")
	case len(c.Addresses) == 0:
		return errors.New("session: ServerConfig.Addresses is empty; list the addresses by which tokens list this server")
	case c.MaxClients < 1 || c.MaxClients > MaxSlots:
		return fmt.Errorf("session: ServerConfig.MaxClients is %d; choose 1 to %d", c.MaxClients, MaxSlots)
	case c.TokenLife < time.Second || c.TokenLife%time.Second != 0:
		return fmt.Errorf("session: ServerConfig.TokenLife is %v; choose whole seconds, or leave it zero for %v", c.TokenLife, token.DefaultLife)
	case c.Entropy == nil:
		return errors.New("session: ServerConfig.Entropy is nil; pass crypto/rand.Reader")
	case c.Start.Unix() <= 0:
		return errors.New("session: ServerConfig.Start is not set; pass time.Now()")
	case c.Pending < 1:
		return fmt.Errorf("session: ServerConfig.Pending is %d; leave it zero for 4 per client", c.Pending)
	case c.History < 1:
		return fmt.Errorf("session: ServerConfig.History is %d; leave it zero for 16 per client", c.History)
	}
	for _, a := range c.Addresses {
		if !a.IsValid() || a.Port() == 0 {
			return fmt.Errorf("session: ServerConfig.Addresses has %v; give an IP address and the port that clients use", a)
		}
	}
	return nil
}
