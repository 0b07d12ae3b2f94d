package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/transport/token"
)

// ServerConfig configures a Server. NewServer validates it.
type ServerConfig struct {
	// ProtocolID must be equal to that of the tokens.
	ProtocolID uint64

	// Key is the key with which the tokens are sealed. It must not be zero.
	Key token.Key

	// Addresses are the addresses by which tokens may list this server: where the server listens,
	// and behind address translation the public address. There must be at least one, and each needs
	// a port. A wildcard or loopback address stands for all wildcard and loopback addresses with
	// its port, but not for other addresses of the machine.
	Addresses []netip.AddrPort

	// MaxClients is the most clients that can be connected at once, 1 to MaxSlots.
	MaxClients int

	// TokenLife is the life of all tokens for this server, in whole seconds. 0 means
	// token.DefaultLife; negative is an error. After a restart, a token is refused if it could have
	// been used before the restart, assuming this life. A token with a longer life is refused until
	// no more than this is left of it.
	TokenLife time.Duration

	// Entropy provides random bytes for the key of the challenges and the first sequence. It is
	// read only by NewServer. Nil is an error; pass crypto/rand.Reader.
	Entropy io.Reader

	// Start is the time at which this server starts. Zero is an error. Tokens of an earlier second
	// are refused, and of the same second if Start is not a whole one, because an earlier server
	// may have accepted them (see token.NextSecond).
	Start time.Time

	// Pending is how many clients can be connecting at once. More are ignored until places become
	// free. 0 means 4 for each of MaxClients, and at least 256.
	Pending int

	// History is how many unexpired tokens are recorded. More are refused until some expire. 0
	// means 16 for each of MaxClients, and at least 4096.
	History int
}

// withDefaults returns the config with defaults in place of zeros, or an error that names the
// invalid field.
func (c ServerConfig) withDefaults() (ServerConfig, error) {
	c.TokenLife = cmp.Or(c.TokenLife, token.DefaultLife)
	c.Pending = cmp.Or(c.Pending, max(minPending, pendingPerSlot*c.MaxClients))
	c.History = cmp.Or(c.History, max(minHistory, historyPerSlot*c.MaxClients))
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
