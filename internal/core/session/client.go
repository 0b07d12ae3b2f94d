package session

import (
	"errors"
	"net/netip"
	"time"

	"github.com/entangle-ecs/entangle/transport/token"
)

// ClientConfig configures a Client.
type ClientConfig struct {
	// Token is a token from the backend. Use it for one client only: a second client would seal
	// other packets with the same keys and numbers.
	Token token.Token
}

// Client is the client's side of one connection, from a token to the end of the connection. Another
// connection needs another Client with another token.
type Client struct {
	config ClientConfig
	maker  aeadMaker
	token  token.Public

	state  State
	reason Reason
	used   bool

	timers    clientTimers
	server    int       // index of the address being tried
	leaving   bool      // the server has sent a disconnect packet
	left      time.Time // when the server's first disconnect packet arrived
	due       bool      // PollDatagram has a packet to send
	farewells int       // number of disconnect packets to send

	link     link
	answer   answer // the answer to the challenge
	assigned keepAlive
	body     [answerSize]byte
	out      []byte

	stats Stats
}

// clientTimers are the times at which a client sends packets and gives up.
type clientTimers struct {
	now          time.Time // of the last call
	expires      time.Time
	timeout      time.Duration // 0 means for ever
	lastReceived time.Time
	lastSent     time.Time
}

func (t *clientTimers) expired() bool { return !t.now.Before(t.expires) }

// timedOut reports whether nothing was received for the token's timeout.
func (t *clientTimers) timedOut() bool {
	return t.timeout > 0 && t.now.Sub(t.lastReceived) >= t.timeout
}

// NewClient returns a client that does nothing before Connect.
func NewClient(config ClientConfig) *Client { return newClient(config, newAEAD) }

func newClient(config ClientConfig, maker aeadMaker) *Client {
	return &Client{config: config, maker: maker, out: make([]byte, 0, requestSize)}
}

// ErrClientUsed is returned if Connect is called again.
var ErrClientUsed = errors.New("session: this client has connected before; make a new one with a new token")

// Connect begins to connect to the first of the token's servers. If the token is invalid, it
// returns token.ErrInvalid, and the state becomes StateInvalidToken.
func (c *Client) Connect(now time.Time) error {
	if c.used {
		return ErrClientUsed
	}
	c.used, c.timers.now = true, now
	if err := c.openToken(); err != nil {
		c.setState(StateInvalidToken)
		return err
	}
	// The clock of the machine that minted the token may differ, so only the token's life is certain.
	span := min(c.token.Expires-c.token.Created, maxSpan)
	c.timers.expires = now.Add(time.Duration(span) * time.Second)
	c.timers.timeout = timeoutOf(c.token.Timeout)
	c.setState(StateRequesting)
	return nil
}

// openToken parses the token and makes the ciphers.
func (c *Client) openToken() (err error) {
	if c.token, err = c.config.Token.Public(); err != nil {
		return err
	}
	c.link, err = newLink(c.token.ProtocolID, c.token.ClientToServer, c.token.ServerToClient, c.maker)
	return err
}

// State returns the state of the client. After a disconnect packet of the server, a client stays
// connected for GoodbyeWait to read payloads that the server sent earlier, but sends nothing any
// more.
func (c *Client) State() State { return c.state }

// Reason returns why the connection or the attempt has ended, and ReasonNone before that.
func (c *Client) Reason() Reason { return c.reason }

// Server returns the address to which the client sends. Only datagrams from this address may be
// passed to HandleDatagram. It is invalid before Connect.
func (c *Client) Server() netip.AddrPort {
	if c.server >= len(c.token.Servers) {
		return netip.AddrPort{}
	}
	return c.token.Servers[c.server]
}

// Index returns the client's slot on the server, or 0 before the client is connected. The client id
// is not available here, because only servers can read it from the token.
func (c *Client) Index() int { return int(c.assigned.index) }

// Stats returns the counters.
func (c *Client) Stats() Stats { return c.stats }

func (c *Client) countDrop(d Drop) { c.stats.Drops[d]++ }

// setState changes the state. In a state that sends packets, the first packet is sent at once.
func (c *Client) setState(s State) {
	c.state = s
	c.reason = stateReasons[s]
	c.leaving = false
	c.timers.lastReceived = c.timers.now
	c.due = s > StateDisconnected
}
