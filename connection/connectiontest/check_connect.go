package connectiontest

import (
	"bytes"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
)

func checkConnect(b *bench) {
	b.connectClient(7)
	b.connectClient(8)
	for _, e := range b.events {
		b.failIf(e.Kind != connection.Connected, "%v before anything was sent", e.Kind)
		b.failIf(e.Name == "", "a client has no name; want a name for its end, for people")
		b.failIf(e.Addr.IsValid() && e.Addr.Addr().Is4In6(),
			"a client is at %v; want an IPv4 address in its 4-byte form (netip.Addr.Unmap)", e.Addr)
		b.failIf(!bytes.Equal(e.UserData, userData(e.Client)), "client %d has other user data than it was given: %x", e.Client, e.UserData)
	}
	slot := b.clients[0].slot
	b.failIf(slot == b.clients[1].slot, "two clients share slot %d", slot)
}

// checkFull fills the server: a further client must be refused, and the others stay connected.
func checkFull(b *bench) {
	for id := range entangle.ClientID(slots) {
		b.connectClient(id + 1)
	}
	late := b.dial(slots+1, ProtocolID)
	b.outlive("a client is refused by a full server", func() bool { return late.had(connection.Disconnected) })
	b.failIf(late.had(connection.Connected), "a client was accepted beyond MaxClients of %d", slots)
	b.lasting("after a client was refused")
}

// lasting fails the check if a client has lost its connection. The last client is not checked.
func (b *bench) lasting(when string) {
	b.t.Helper()
	b.failIf(has(b.events, connection.Disconnected), "a client is disconnected %s", when)
	for i, c := range b.clients[:len(b.clients)-1] {
		b.up(c, pattern(100+i, 20))
		b.down(c, pattern(200+i, 20))
	}
}

func checkGame(b *bench) {
	stranger := b.dial(7, ProtocolID+1)
	b.outlive("a client of another game is refused", func() bool { return stranger.had(connection.Disconnected) })
	b.failIf(stranger.had(connection.Connected) || has(b.events, connection.Connected),
		"a client of another game was accepted; compare ProtocolID")
}

// checkDisconnect sends a payload and then ends the connection.
func checkDisconnect(b *bench) {
	c, other := b.connectClient(7), b.connectClient(8)
	words := pattern(1, 300)
	for range 3 {
		b.server.Send(c.slot, words, b.now())
	}
	b.server.Disconnect(c.slot, "enough", b.now())
	before := len(b.events)
	b.server.Send(c.slot, words, b.now()) // the slot has no client
	b.until("the client is disconnected", func() bool { return c.had(connection.Disconnected) })
	b.failIf(!got(c.events, words), "a payload sent before Disconnect never arrived; it must leave with the next Flush")
	b.up(other, pattern(2, 10))
	for _, e := range b.events[before:] {
		b.failIf(e.Slot == c.slot, "%v of slot %d after its Disconnect", e.Kind, e.Slot)
	}
	b.dropEvents(c.slot)
	b.server.Disconnect(c.slot, "again", b.now()) // the slot has no client
	b.connectClient(9)
}

// dropEvents removes the events of a slot after its Disconnect.
func (b *bench) dropEvents(slot int) {
	b.events = slices.DeleteFunc(b.events, func(e connection.Event) bool { return e.Slot == slot })
}

func checkLeave(b *bench) {
	c := b.connectClient(7)
	for range 2 {
		err := c.Close("I leave", b.now())
		b.failIf(err != nil, "Close: %v", err)
	}
	c.deaf = true
	b.until("the server notices that the client has left", func() bool { return has(b.events, connection.Disconnected) })
	b.connectClient(7)
}

func checkSilentClient(b *bench) {
	c := b.connectClient(7)
	c.deaf = true
	b.outlive("the server notices that a client is silent", func() bool { return has(b.events, connection.Disconnected) })
	b.connectClient(8)
}

func checkSilentServer(b *bench) {
	c := b.connectClient(7)
	b.deaf = true
	b.outlive("a client notices that the server is silent", func() bool { return c.had(connection.Disconnected) })
	b.deaf = false
}

// checkQuiet lets a quarter of a minute pass without payloads, slowly enough for keep-alives
// to arrive.
func checkQuiet(b *bench) {
	c := b.connectClient(7)
	for range 30 {
		b.jumped += 500 * time.Millisecond
		server, client := b.server.Traffic().PacketsIn, c.Traffic().PacketsIn
		for range 50 {
			b.runFrame()
			if b.server.Traffic().PacketsIn > server && c.Traffic().PacketsIn > client {
				break
			}
		}
	}
	b.failIf(c.had(connection.Disconnected) || has(b.events, connection.Disconnected),
		"a connection ended because there was nothing to send; the layer keeps it alive")
}

// checkClose stops the server and starts it again.
func checkClose(b *bench) {
	clients := []*end{b.connectClient(7), b.connectClient(8)}
	for range 2 {
		err := b.server.Close("closing time", b.now())
		b.failIf(err != nil, "Close: %v; want nil, also the second time", err)
	}
	_, err := b.server.Receive(b.now())
	b.failIf(err == nil, "an event after Close")
	b.deaf = true
	for _, c := range clients {
		b.until("the clients notice that the server is closed", func() bool { return c.had(connection.Disconnected) })
	}
	b.events, b.deaf = nil, false
	b.listen()
	b.connectClient(9)
}
