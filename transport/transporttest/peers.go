package transporttest

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

func checkAddresses(b *bench) {
	client, addr := b.meet()
	named := map[string]netip.AddrPort{
		"LocalAddr of the server":       b.server.LocalAddr(),
		"LocalAddr of the client":       client.LocalAddr(),
		"the client as the server sees": addr,
	}
	for what, a := range named {
		b.failIf(!a.IsValid() || a.Port() == 0, "%s is %v; want an address with a port", what, a)
		b.failIf(a.Addr().Is4In6(), "%s is %v; want an IPv4 address in its 4-byte form (netip.Addr.Unmap)", what, a)
	}
	from := b.carry(b.server, addr, client, []byte("from the server"))
	b.failIf(from != b.server.LocalAddr(), "the client receives from %v; want the address that it dialed, %v", from, b.server.LocalAddr())
	again := b.carry(client, b.server.LocalAddr(), b.server, []byte("again"))
	b.failIf(again != addr, "the server receives from the same client at %v and then at %v", addr, again)
}

// checkPeers has the server answer each of several clients in one batch.
func checkPeers(b *bench) {
	const count = 5
	clients := make([]transport.Conn, count)
	batch := make([]transport.Datagram, count)
	seen := make(map[netip.AddrPort]bool)
	for i := range clients {
		client, addr := b.meet()
		b.failIf(seen[addr], "two clients share the address %v", addr)
		seen[addr], clients[i] = true, client
		batch[i] = transport.Datagram{Addr: addr, Data: fmt.Appendf(nil, "for client %d", i)}
	}
	b.sendBatch(b.server, batch)
	for i, client := range clients {
		b.expectOnly(client, batch[i].Addr, fmt.Sprintf("for client %d", i))
	}
}

// expectOnly sends text to the client until it arrives, and fails if anything else does.
func (b *bench) expectOnly(client transport.Conn, addr netip.AddrPort, text string) {
	b.t.Helper()
	last := text + ", again"
	for range b.tries() {
		b.sendDatagram(b.server, addr, []byte(last))
		for data := range b.received(client) {
			switch string(data) {
			case text:
			case last:
				return
			default:
				b.t.Fatalf("%q arrived; want only the datagram %s", data, text)
			}
		}
		b.pause()
	}
	b.t.Fatalf("the datagram %s never arrived", text)
}

// checkStranger sends from one client to another, which must not receive it.
func checkStranger(b *bench) {
	client, addr := b.meet()
	stranger := b.dial()
	for range 5 {
		b.sendDatagram(stranger, addr, []byte("from a stranger"))
	}
	for range b.tries() {
		b.sendDatagram(b.server, addr, []byte("from the server"))
		for data := range b.received(client) {
			if string(data) == "from the server" {
				return
			}
			b.t.Fatalf("a client received %q, which its server did not send", data)
		}
		b.pause()
	}
	b.t.Fatalf("the client does not receive from its server")
}

// floodSize is more datagrams than an Admitter may queue for strangers, and floodBatch is
// how many are sent at a time.
const (
	floodSize  = 1 << 14
	floodBatch = 64
)

// checkRoom sends more datagrams from a stranger than any queue holds. Those of a client
// still arrive.
func checkRoom(b *bench) {
	if !slices.Contains(b.traits, KeepsRoom) {
		return
	}
	client, addr := b.meet() // meet admits the client
	stranger := b.dial()
	batch := make([]transport.Datagram, floodBatch)
	for i := range batch {
		batch[i] = transport.Datagram{Addr: b.server.LocalAddr(), Data: []byte("from a stranger")}
	}
	want := []byte("from a client")
	buf := make([]byte, entangle.MaxDatagram)
	for deadline := time.Now().Add(b.patience); time.Now().Before(deadline); {
		for range floodSize / floodBatch {
			b.sendBatch(stranger, batch)
		}
		for range 5 { // the first ones may arrive before the rest of the flood
			time.Sleep(resendAfter)
			b.sendDatagram(client, b.server.LocalAddr(), want)
		}
		time.Sleep(resendAfter)
		for range floodSize {
			n, from, err := b.server.Receive(buf)
			if err != nil {
				break
			}
			if from == addr && string(buf[:n]) == string(want) {
				return
			}
		}
	}
	b.t.Fatalf("datagrams of a client do not arrive while a stranger floods; reserve room for admitted addresses")
}

// checkUnreachable sends a datagram behind two others in a batch: one to a closed end,
// one to an invalid address.
func checkUnreachable(b *bench) {
	gone, goneAddr := b.meet()
	b.closeConn(gone)
	client, addr := b.meet()
	want := []byte("behind the unreachable")
	for range b.tries() {
		b.sendBatch(b.server, []transport.Datagram{
			{Addr: netip.AddrPort{}, Data: []byte("to nobody")},
			{Addr: goneAddr, Data: []byte("to a closed end")},
			{Addr: addr, Data: want},
		})
		if _, ok := b.await(client, want, resendAfter); ok {
			return
		}
	}
	b.t.Fatalf("a datagram behind two unreachable ones of its batch never arrived")
}
