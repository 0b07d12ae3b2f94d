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

// platform authenticates players, knows whether they are online, and carries messages
// between them and the host of a game. It stands for the sockets of a store or a console.
type platform struct {
	mu   sync.Mutex
	host *host
}

// player is a logged-in player.
type player struct {
	platform *platform
	name     string
	id       entangle.ClientID
	data     []byte
}

// call is a connection between a player and the host.
type call struct {
	player   player
	inbox    [2][][]byte // of the host, and of the player
	seen     [2]time.Time
	ended    error // the reason, once either end has closed the call
	accepted bool
}

// The two ends of a call.
const (
	atHost = iota
	atPlayer
)

// offlineAfter is how long an inactive player counts as online.
const offlineAfter = 5 * time.Second

// deliver puts a message into the inbox of an end, or drops it if the inbox is full.
func (c *call) deliver(to int, message []byte) {
	if c.ended == nil && len(c.inbox[to]) < 4096 {
		c.inbox[to] = append(c.inbox[to], bytes.Clone(message))
	}
}

// next returns the next event of a call at one end.
func (c *call) next(end int, now time.Time) (e connection.Event, ok bool) {
	switch {
	case !c.accepted:
	case len(c.inbox[end]) > 0:
		e.Kind, e.Payload = connection.Payload, c.inbox[end][0]
		c.inbox[end] = c.inbox[end][1:]
		return e, true
	}
	switch {
	case c.ended != nil:
		e.Kind, e.Err = connection.Disconnected, c.ended
	case now.Sub(c.seen[1-end]) >= offlineAfter:
		e.Kind, e.Err = connection.Disconnected, connection.ErrTimedOut
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
	turn     int // the next slot to look at
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
				c.ended, h.slots[h.turn] = e.Err, nil
			}
			return e, nil
		}
	}
	h.turn = 0
	return connection.Event{}, connection.ErrEmpty
}

// accept accepts the next waiting call.
func (h *host) accept(now time.Time) (e connection.Event, ok bool) {
	for len(h.waiting) > 0 {
		c := h.waiting[0]
		h.waiting = h.waiting[1:]
		if c.ended != nil {
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
		c.ended = connection.ErrServerFull
		h.refused++
	}
	return e, false
}

func (h *host) Send(slot int, payload []byte, _ time.Time) {
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	if c := h.slots[slot]; c != nil {
		c.deliver(atPlayer, payload)
		h.sent[slot] += uint64(len(payload))
		h.traffic.Out(len(payload))
	}
}

func (h *host) Flush() error { return nil } // Send has delivered the payloads already

func (h *host) Disconnect(slot int, reason string, _ time.Time) {
	h.platform.mu.Lock()
	defer h.platform.mu.Unlock()
	if c := h.slots[slot]; c != nil {
		c.ended, h.slots[slot] = connection.Goodbye(reason), nil
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

// guest is a client's end of a call.
type guest struct {
	platform *platform
	call     *call
	last     connection.Kind
	traffic  connection.Traffic
}

// Dial calls the host. In this platform, players dial for themselves.
func (p player) Dial(config connection.ClientConfig) (connection.Client, error) {
	p.platform.mu.Lock()
	defer p.platform.mu.Unlock()
	c := &call{player: p, seen: [2]time.Time{config.Now, config.Now}}
	switch h := p.platform.host; {
	case h == nil:
		c.ended = connection.ErrNoAnswer
	case h.config.ProtocolID != config.ProtocolID:
		c.ended = connection.ErrProtocolMismatch
	default:
		h.waiting = append(h.waiting, c)
	}
	return &guest{platform: p.platform, call: c}, nil
}

func (g *guest) Receive(now time.Time) (connection.Event, error) {
	g.platform.mu.Lock()
	defer g.platform.mu.Unlock()
	g.call.seen[atPlayer] = now
	if g.last == 0 && g.call.accepted {
		g.last = connection.Connected
		return connection.Event{Kind: connection.Connected}, nil
	}
	if e, ok := g.call.next(atPlayer, now); ok && g.last != connection.Disconnected {
		g.traffic.In(len(e.Payload))
		if e.Kind == connection.Disconnected {
			g.last = e.Kind
		}
		return e, nil
	}
	return connection.Event{}, connection.ErrEmpty
}

func (g *guest) Send(payload []byte, _ time.Time) {
	g.platform.mu.Lock()
	defer g.platform.mu.Unlock()
	if g.last == connection.Connected {
		g.call.deliver(atHost, payload)
		g.traffic.Out(len(payload))
	}
}

func (g *guest) Flush() error { return nil }

func (g *guest) Close(reason string, _ time.Time) error {
	g.platform.mu.Lock()
	defer g.platform.mu.Unlock()
	if g.call.ended == nil {
		g.call.ended = connection.Goodbye(reason)
	}
	g.last = connection.Disconnected
	return nil
}

func (g *guest) Traffic() connection.Traffic { return g.traffic }

func (g *guest) AppendDropped(dst []connection.Dropped) []connection.Dropped { return dst }

// This example adds a custom layer over a platform that authenticates players: Server.StartWith
// takes a Listener and Client.ConnectWith a Dialer.
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
