package connection_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

// platform is where players meet: it knows who they are and whether they are online, and
// carries messages between them and the host of a game. It stands for the sockets of a
// store or a console.
type platform struct {
	mu   sync.Mutex
	host *host
}

// player is somebody who is logged in.
type player struct {
	platform *platform
	name     string
	id       entangle.ClientID
	data     []byte
}

// call is a player's connection to the host.
type call struct {
	player   player
	mailbox  [2][][]byte // for the host, for the player
	seen     [2]time.Time
	hungUp   string // by either, and why
	accepted bool
}

// The two ends of a call.
const (
	atHost = iota
	atPlayer
)

// offlineAfter is how long the platform takes somebody to be online who does nothing.
const offlineAfter = 5 * time.Second

// post puts a message into the mailbox of an end. Full ones lose it.
func (c *call) post(to int, message []byte) {
	if c.hungUp == "" && len(c.mailbox[to]) < 4096 {
		c.mailbox[to] = append(c.mailbox[to], bytes.Clone(message))
	}
}

// next returns the next event of a call at one end.
func (c *call) next(end int, now time.Time) (e connection.Event, ok bool) {
	switch {
	case !c.accepted:
	case len(c.mailbox[end]) > 0:
		e.Kind, e.Payload = connection.Payload, c.mailbox[end][0]
		c.mailbox[end] = c.mailbox[end][1:]
		return e, true
	}
	switch {
	case c.hungUp != "":
		e.Kind, e.Reason = connection.Disconnected, c.hungUp
	case now.Sub(c.seen[1-end]) >= offlineAfter:
		e.Kind, e.Reason = connection.Disconnected, "the other side went offline"
	}
	return e, e.Kind != 0
}

// host is the server's end, and its own listener.
type host struct {
	platform *platform
	config   connection.ServerConfig
	waiting  []*call
	slots    []*call
	sent     []uint64
	turn     int // which slot is looked at next
	traffic  connection.Traffic
	refused  uint64
}

func (h *host) Listen(config connection.ServerConfig) (connection.Server, error) {
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	if h.platform.host != nil {
		return nil, errors.New("platform: this game is hosted already; close it first")
	}
	opened := &host{platform: h.platform, config: config, slots: make([]*call, config.MaxClients), sent: make([]uint64, config.MaxClients)}
	h.platform.host = opened
	return opened, nil
}

func (h *host) Addrs() []netip.AddrPort { return nil }

func (h *host) Receive(now time.Time) (connection.Event, error) {
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	if e, ok := h.accept(now); ok {
		return e, nil
	}
	for ; h.turn < len(h.slots); h.turn++ {
		c := h.slots[h.turn]
		if c == nil {
			continue
		}
		c.seen[atHost] = now
		if e, ok := c.next(atHost, now); ok {
			e.Slot = h.turn
			h.traffic.In(len(e.Payload))
			if e.Kind == connection.Disconnected {
				c.hungUp, h.slots[h.turn] = e.Reason, nil
			}
			return e, nil
		}
	}
	h.turn = 0
	return connection.Event{}, connection.ErrEmpty
}

// accept takes the next call that waits.
func (h *host) accept(now time.Time) (e connection.Event, ok bool) {
	for len(h.waiting) > 0 {
		c := h.waiting[0]
		h.waiting = h.waiting[1:]
		if c.hungUp != "" {
			continue
		}
		for slot, taken := range h.slots {
			if taken == nil {
				h.slots[slot], h.sent[slot] = c, 0
				c.accepted, c.seen[atHost] = true, now
				return connection.Event{
					Kind: connection.Connected, Slot: slot, Client: c.player.id, Name: c.player.name, UserData: c.player.data,
				}, true
			}
		}
		c.hungUp = "the host has no place left"
		h.refused++
	}
	return e, false
}

func (h *host) Send(slot int, payload []byte, _ time.Time) {
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	if c := h.slots[slot]; c != nil {
		c.post(atPlayer, payload)
		h.sent[slot] += uint64(len(payload))
		h.traffic.Out(len(payload))
	}
}

func (h *host) Flush() error { return nil } // Send has handed it over

func (h *host) Disconnect(slot int, reason string, _ time.Time) {
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	if c := h.slots[slot]; c != nil {
		c.hungUp, h.slots[slot] = reason, nil
	}
}

func (h *host) Close(reason string, now time.Time) error {
	for slot := range h.slots {
		h.Disconnect(slot, reason, now)
	}
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	if h.platform.host == h {
		h.platform.host = nil
	}
	return nil
}

func (h *host) Sent(slot int) uint64        { return h.sent[slot] }
func (h *host) Overhead(int) int            { return 0 }
func (h *host) Traffic() connection.Traffic { return h.traffic }

func (h *host) AppendDropped(dst []connection.Dropped) []connection.Dropped {
	return append(dst, connection.Dropped{Reason: "host full", Count: h.refused, Refused: true})
}

// guest is a client's end.
type guest struct {
	platform *platform
	call     *call
	told     connection.Kind
	traffic  connection.Traffic
}

// Dial calls the host. A player is the dialer of its own clients.
func (p player) Dial(config connection.ClientConfig) (connection.Client, error) {
	p.platform.mu.Lock()
	defer p.platform.mu.Unlock()
	c := &call{player: p, seen: [2]time.Time{config.Now, config.Now}}
	switch h := p.platform.host; {
	case h == nil:
		c.hungUp = "nobody hosts this game"
	case h.config.ProtocolID != config.ProtocolID:
		c.hungUp = "the host runs another game"
	default:
		h.waiting = append(h.waiting, c)
	}
	return &guest{platform: p.platform, call: c}, nil
}

func (g *guest) Receive(now time.Time) (connection.Event, error) {
	g.platform.mu.Lock()
	defer g.platform.mu.Unlock()
	g.call.seen[atPlayer] = now
	if g.told == 0 && g.call.accepted {
		g.told = connection.Connected
		return connection.Event{Kind: connection.Connected}, nil
	}
	if e, ok := g.call.next(atPlayer, now); ok && g.told != connection.Disconnected {
		g.traffic.In(len(e.Payload))
		if e.Kind == connection.Disconnected {
			g.told = e.Kind
		}
		return e, nil
	}
	return connection.Event{}, connection.ErrEmpty
}

func (g *guest) Send(payload []byte, _ time.Time) {
	g.platform.mu.Lock()
	defer g.platform.mu.Unlock()
	if g.told == connection.Connected {
		g.call.post(atHost, payload)
		g.traffic.Out(len(payload))
	}
}

func (g *guest) Flush() error { return nil }

func (g *guest) Close(reason string, _ time.Time) error {
	g.platform.mu.Lock()
	defer g.platform.mu.Unlock()
	if g.call.hungUp == "" {
		g.call.hungUp = reason
	}
	g.told = connection.Disconnected
	return nil
}

func (g *guest) Traffic() connection.Traffic { return g.traffic }

func (g *guest) AppendDropped(dst []connection.Dropped) []connection.Dropped { return dst }

// A layer of one's own, here over a platform that knows its players already: what a game
// passes to Server.StartWith is a Listener, what it passes to Client.ConnectWith a Dialer.
func Example() {
	store := &platform{}
	now := time.Now()
	server, err := (&host{platform: store}).Listen(connection.ServerConfig{Game: "tag", ProtocolID: 1, MaxClients: 8, Entropy: rand.Reader, Now: now})
	if err != nil {
		panic(err)
	}
	client, err := player{platform: store, name: "ada", id: 7}.Dial(connection.ClientConfig{Game: "tag", ProtocolID: 1, Entropy: rand.Reader, Now: now})
	if err != nil {
		panic(err)
	}
	e, _ := server.Receive(now)
	fmt.Printf("%v: %s is client %d in slot %d\n", e.Kind, e.Name, e.Client, e.Slot)
	server.Send(e.Slot, []byte("hello"), now)
	for e, err := client.Receive(now); err == nil; e, err = client.Receive(now) {
		fmt.Printf("%v: %q\n", e.Kind, e.Payload)
	}
	// Output:
	// Connected: ada is client 7 in slot 0
	// Connected: ""
	// Payload: "hello"
}
