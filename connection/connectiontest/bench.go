package connectiontest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

const (
	// patience is how long a check waits before it fails. It is long, because a busy
	// machine must not fail a good layer.
	patience = 10 * time.Second

	// pollEvery is the pause between two frames.
	pollEvery = 100 * time.Microsecond

	// slots is the MaxClients of the server in a check.
	slots = 4

	// maxEvents is how many events a layer may return in one frame of a check. Checks cause far
	// fewer.
	maxEvents = 1 << 12
)

// bench holds the ends of one check.
type bench struct {
	t        testing.TB
	layer    Layer
	server   connection.Server
	clients  []*end
	events   []connection.Event // of the server; their slices are copies
	jumped   time.Duration      // how far the clock of the check is ahead of the real one
	patience time.Duration
	deaf     bool // the server is not driven, so it receives nothing
}

// end is a client of the check.
type end struct {
	connection.Client
	id     entangle.ClientID
	slot   int
	events []connection.Event
	deaf   bool // the client is not driven, so it receives nothing
}

func newBench(t testing.TB, open Open, patience time.Duration) *bench {
	t.Helper()
	b := &bench{t: t, layer: open(t), patience: patience}
	b.listen()
	b.t.Cleanup(b.close)
	return b
}

// failIf ends the check with a message if something is wrong.
func (b *bench) failIf(wrong bool, format string, args ...any) {
	b.t.Helper()
	if wrong {
		b.t.Fatalf(format, args...)
	}
}

func (b *bench) now() time.Time { return time.Now().Add(b.jumped) }

func (b *bench) listen() {
	b.t.Helper()
	server, err := b.layer.Listener.Listen(connection.ServerConfig{
		Game: Game, ProtocolID: ProtocolID, MaxClients: slots, Entropy: rand.Reader, Now: b.now(),
	})
	b.failIf(err != nil, "Listen: %v", err)
	b.server = server
	b.jumped += 2 * time.Second // a layer may refuse tokens that are as old as itself
}

func (b *bench) close() {
	for _, c := range b.clients {
		_ = c.Close("the check is over", b.now())
	}
	_ = b.server.Close("the check is over", b.now())
}

// userData returns the user data of a client.
func userData(id entangle.ClientID) []byte {
	data := bytes.Repeat([]byte{byte(id), 1}, connection.MaxUserData/2)
	data[0] = 0xfe
	return data
}

// dial starts connecting a client to the server.
func (b *bench) dial(id entangle.ClientID, protocolID uint64) *end {
	b.t.Helper()
	dialer := b.layer.Dialer(Guest{Client: id, UserData: userData(id), Servers: b.server.Addrs(), Now: b.now(), ProtocolID: protocolID})
	c, err := dialer.Dial(connection.ClientConfig{Game: Game, ProtocolID: protocolID, Entropy: rand.Reader, Now: b.now()})
	b.failIf(err != nil, "Dial: %v", err)
	e := &end{Client: c, id: id}
	b.clients = append(b.clients, e)
	return e
}

// connectClient connects a client.
func (b *bench) connectClient(id entangle.ClientID) *end {
	b.t.Helper()
	e := b.dial(id, ProtocolID)
	b.until("the client is connected at both ends", func() bool {
		i := slices.IndexFunc(b.events, func(e connection.Event) bool { return e.Kind == connection.Connected && e.Client == id })
		if i >= 0 {
			e.slot = b.events[i].Slot
		}
		return i >= 0 && e.had(connection.Connected)
	})
	return e
}

// had reports whether the client had an event of kind k.
func (e *end) had(k connection.Kind) bool { return has(e.events, k) }

func has(events []connection.Event, k connection.Kind) bool {
	return slices.ContainsFunc(events, func(e connection.Event) bool { return e.Kind == k })
}

// got reports whether a payload is among the events.
func got(events []connection.Event, payload []byte) bool {
	return slices.ContainsFunc(events, func(e connection.Event) bool {
		return e.Kind == connection.Payload && bytes.Equal(e.Payload, payload)
	})
}

// runFrame drives all ends once.
func (b *bench) runFrame() {
	b.t.Helper()
	now := b.now()
	if !b.deaf {
		events, err := b.drain(b.events, func() (connection.Event, error) { return b.server.Receive(now) })
		b.content("Receive", err)
		b.content("Flush", b.server.Flush())
		b.events = events
	}
	for _, c := range b.clients {
		if !c.deaf {
			b.drive(c, now)
		}
	}
	time.Sleep(pollEvery)
}

// drive drives a client. If its transport breaks, the client disconnects with an error, which the
// checks allow.
func (b *bench) drive(c *end, now time.Time) {
	b.t.Helper()
	events, err := b.drain(c.events, func() (connection.Event, error) { return c.Receive(now) })
	if err == nil {
		err = c.Flush()
	}
	if err != nil {
		events = append(events, connection.Event{Kind: connection.Disconnected, Err: err})
		c.deaf = true
	}
	c.events = events
}

// content fails the check if a server's layer returns an error. Nothing that a peer does may cause
// one.
func (b *bench) content(call string, err error) {
	b.t.Helper()
	b.failIf(err != nil, "%s of the server: %v; nothing that a peer does is an error", call, err)
}

// drain receives until ErrEmpty.
func (b *bench) drain(events []connection.Event, receive func() (connection.Event, error)) ([]connection.Event, error) {
	b.t.Helper()
	for range maxEvents {
		e, err := receive()
		if errors.Is(err, connection.ErrEmpty) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		b.checkEvent(events, &e)
		e.Payload, e.UserData = bytes.Clone(e.Payload), bytes.Clone(e.UserData)
		events = append(events, e)
	}
	b.t.Fatalf("Receive returned %d events and no ErrEmpty", maxEvents)
	return nil, nil
}

// checkEvent checks an event, given the events before it.
func (b *bench) checkEvent(before []connection.Event, e *connection.Event) {
	b.t.Helper()
	b.failIf(e.Slot < 0 || e.Slot >= slots, "%v of slot %d; want 0 to %d", e.Kind, e.Slot, slots-1)
	last := connection.Disconnected // the last event of the slot that is no payload
	for _, earlier := range before {
		if earlier.Slot == e.Slot && earlier.Kind != connection.Payload {
			last = earlier.Kind
		}
	}
	b.failIf(e.Kind < connection.Connected || e.Kind > connection.Disconnected,
		"an event of kind %d; want Connected, Payload or Disconnected", e.Kind)
	b.failIf(e.Kind == connection.Connected && last == connection.Connected, "slot %d is Connected twice", e.Slot)
	b.failIf(e.Kind == connection.Payload && last == connection.Disconnected, "a payload of slot %d, which is not connected", e.Slot)
	b.failIf(e.Kind == connection.Payload && (len(e.Payload) < 1 || len(e.Payload) > entangle.MaxPayload),
		"a payload of %d bytes; want 1 to %d", len(e.Payload), entangle.MaxPayload)
	b.failIf(e.Kind == connection.Disconnected && e.Err == nil, "slot %d is Disconnected without an Err", e.Slot)
}

// until drives all ends until done returns true.
func (b *bench) until(what string, done func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(b.patience); !done(); b.runFrame() {
		b.failIf(time.Now().After(deadline), "waited for %v, and not seen: %s", b.patience, what)
	}
}

// outlive is until with a clock that runs fast, for at most ten minutes of that clock. Each second
// of that clock takes a millisecond, in which datagrams arrive.
func (b *bench) outlive(what string, done func() bool) {
	b.t.Helper()
	for range 600 {
		for range 5 {
			if b.runFrame(); done() {
				return
			}
		}
		time.Sleep(time.Millisecond)
		b.jumped += time.Second
	}
	b.t.Fatalf("waited for ten minutes of the check's clock, and not seen: %s", what)
}

// carry sends a payload repeatedly until it has arrived.
func (b *bench) carry(what string, payload []byte, send func([]byte), at func() []connection.Event) {
	b.t.Helper()
	next := time.Now()
	b.until(what, func() bool {
		if got(at(), payload) {
			return true
		}
		if !time.Now().Before(next) {
			send(payload)
			next = time.Now().Add(resendAfter)
		}
		return false
	})
}

// resendAfter is the pause after which a payload that did not arrive is sent again.
const resendAfter = 5 * time.Millisecond

// up and down carry a payload from a client to the server, and from the server to a client.
func (b *bench) up(from *end, payload []byte) {
	b.t.Helper()
	b.carry("a payload of the client arrives", payload, func(p []byte) { from.Send(p, b.now()) },
		func() []connection.Event { return b.events })
}

func (b *bench) down(to *end, payload []byte) {
	b.t.Helper()
	b.carry("a payload of the server arrives", payload, func(p []byte) { b.server.Send(to.slot, p, b.now()) },
		func() []connection.Event { return to.events })
}
