package session

import (
	"errors"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/internal/core/replay"
	"github.com/entangle-ecs/entangle/transport/token"
)

// ClientConfig is what a client needs to connect.
type ClientConfig struct {
	// Token from the backend. Make one client of a token, once: a second one would
	// seal other packets with the same keys and numbers.
	Token token.Token
}

// Client is one side of one connection: from a token to its end. For another
// connection make another Client with another token.
type Client struct {
	config ClientConfig
	maker  aeadMaker
	token  token.Public

	state  State
	reason Reason
	used   bool

	now       time.Time // of the last call
	expires   time.Time
	timeout   time.Duration // zero: for ever
	server    int           // index of the address being tried
	lastHeard time.Time
	lastSent  time.Time
	leaving   bool      // the server has sent a disconnect packet
	left      time.Time // when the first of them came
	due       bool      // something is to be sent by PollDatagram
	farewells int

	send     sealer
	sequence uint64 // never starts again, not for the next address either
	receive  sealer
	replay   replay.Window

	answer answer
	body   [answerSize]byte
	out    []byte
	told   keepAlive

	stats Stats
}

// NewClient returns a client that does nothing before Connect.
func NewClient(config ClientConfig) *Client { return newClient(config, newAEAD) }

func newClient(config ClientConfig, maker aeadMaker) *Client {
	return &Client{config: config, maker: maker, out: make([]byte, 0, requestSize)}
}

// ErrClientUsed is returned by a second Connect.
var ErrClientUsed = errors.New("session: this client has connected before; make a new one with a new token")

// Connect starts the way to the first of the token's servers. For a token that is
// none it returns token.ErrInvalid, and the state becomes StateInvalidToken.
func (c *Client) Connect(now time.Time) error {
	if c.used {
		return ErrClientUsed
	}
	c.used, c.now = true, now
	if err := c.open(); err != nil {
		c.enter(StateInvalidToken)
		return err
	}
	// By the minting machine's clock only the token's span is known for sure.
	span := min(c.token.Expires-c.token.Created, maxSpan)
	c.expires = now.Add(time.Duration(span) * time.Second)
	c.timeout = timeoutOf(c.token.Timeout)
	c.enter(StateRequesting)
	return nil
}

// open reads the token and makes the keys.
func (c *Client) open() (err error) {
	if c.token, err = c.config.Token.Public(); err != nil {
		return err
	}
	if c.send, err = newSealer(c.token.ProtocolID, c.token.ClientToServer, c.maker); err != nil {
		return err
	}
	c.receive, err = newSealer(c.token.ProtocolID, c.token.ServerToClient, c.maker)
	return err
}

// State is where the client is on its way. A client stays connected for GoodbyeWait after
// a disconnect packet, to read what the server sent before: it sends nothing any more.
func (c *Client) State() State { return c.state }

// Reason is why the way ended, ReasonNone while it has not.
func (c *Client) Reason() Reason { return c.reason }

// Server is the address that the client sends to, and the only one whose
// datagrams may be given to HandleDatagram. Invalid before Connect.
func (c *Client) Server() netip.AddrPort {
	if c.server >= len(c.token.Servers) {
		return netip.AddrPort{}
	}
	return c.token.Servers[c.server]
}

// Index is the client's slot on the server, 0 before it is connected. The client
// id is not here: the token shows it to servers only.
func (c *Client) Index() int { return int(c.told.index) }

// MaxClients is how many slots the server has, 0 before the client is connected.
func (c *Client) MaxClients() int { return int(c.told.maxClients) }

// Stats returns the counters.
func (c *Client) Stats() Stats { return c.stats }

func (c *Client) drop(d Drop) { c.stats.Drops[d]++ }

// enter changes the state. A state that sends does so at once.
func (c *Client) enter(s State) {
	c.state = s
	c.reason = reasonOf(s)
	c.leaving = false
	c.lastHeard = c.now
	c.due = s > StateDisconnected
}
