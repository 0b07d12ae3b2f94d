package token

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle"
)

// Claims are the contents of a token to mint: its client, its servers, and its lifetime.
type Claims struct {
	// ProtocolID must equal the server's; it separates games that share a key.
	ProtocolID uint64

	// ClientID is the id of the player. entangle.Nobody is an error.
	ClientID entangle.ClientID

	// Servers are the addresses of the servers that admit the client, 1 to MaxServers, each with a
	// port. Normally list one. A client tries them in order. All of them use the same two keys,
	// which weakens the encryption of a client that switches servers.
	Servers []netip.AddrPort

	// Timeout is how long either side waits for a packet before it gives up; rounded up
	// to whole seconds. Zero: DefaultTimeout. Negative: for ever, for debugging only,
	// because a client that vanishes then keeps its slot.
	Timeout time.Duration

	// Life is how long the token can be used, rounded up to whole seconds. Zero:
	// DefaultLife. Negative is an error. It must equal the server's TokenLife.
	Life time.Duration

	// UserData is delivered to the server with the connect event, padded with zeros to
	// MaxUserData bytes, which it must not exceed. The client cannot read it.
	UserData []byte

	// Now is the time of minting, rounded down to whole seconds. A server refuses a token
	// from a second that began before the server was started, and does not accept one from
	// the future until its time has come. To mint for a server that may have been started
	// less than a second ago, pass NextSecond(now).
	Now time.Time

	// Entropy yields the keys and the nonce. Nil: crypto/rand.
	Entropy io.Reader
}

// NextSecond returns the first whole second that is not before now. As Claims.Now it makes a token
// that even a server that has just been started accepts, but only from that second on.
func NextSecond(now time.Time) time.Time {
	if whole := now.Truncate(time.Second); whole.Before(now) {
		return whole.Add(time.Second)
	}
	return now
}

func (c *Claims) check() error {
	switch {
	case c.ProtocolID == 0:
		return errors.New("token: Claims.ProtocolID is zero; set it to protocol.ID of the game's name, or mint with plugin.MintToken")
	case c.ClientID == entangle.Nobody:
		return errors.New("token: Claims.ClientID is zero, which is nobody; give each player an id")
	case len(c.Servers) < 1 || len(c.Servers) > MaxServers:
		return fmt.Errorf("token: Claims.Servers lists %d addresses; list 1 to %d", len(c.Servers), MaxServers)
	case c.Timeout > maxSeconds*time.Second:
		return fmt.Errorf("token: Claims.Timeout is %v; use a negative one to wait for ever", c.Timeout)
	case c.Life < 0:
		return errors.New("token: Claims.Life is negative; a token must expire, leave it zero for 30 s")
	case c.Life > maxSeconds*time.Second:
		return fmt.Errorf("token: Claims.Life is %v; a token lives for seconds, leave it zero for 30 s", c.Life)
	case len(c.UserData) > MaxUserData:
		return fmt.Errorf("token: Claims.UserData has %d bytes; at most %d fit", len(c.UserData), MaxUserData)
	case c.Now.Unix() <= 0:
		return errors.New("token: Claims.Now is not set; pass time.Now(), or NextSecond of it right after the server started")
	}
	return c.checkServers()
}

func (c *Claims) checkServers() error {
	for _, server := range c.Servers {
		if !server.IsValid() || server.Port() == 0 || server.Addr().Zone() != "" {
			return fmt.Errorf("token: Claims.Servers has %v; give an IP address without zone, and a port", server)
		}
	}
	return nil
}

func (c *Claims) timeout() int32 {
	switch {
	case c.Timeout < 0:
		return -1
	case c.Timeout == 0:
		return int32(DefaultTimeout / time.Second)
	default:
		return int32(wholeSeconds(c.Timeout))
	}
}

func (c *Claims) life() uint64 {
	if c.Life == 0 {
		return uint64(DefaultLife / time.Second)
	}
	return wholeSeconds(c.Life)
}

func wholeSeconds(d time.Duration) uint64 {
	return uint64((d + time.Second - 1) / time.Second)
}
