//go:build !js && !wasip1

package websocket_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/websocket"
)

// party returns a server with count clients, all admitted.
func party(t testing.TB, count int) (server *websocket.Conn, addrs []netip.AddrPort, clients []transport.Conn) {
	l := loopback()
	l.Limits.Pending = count
	l.Limits.PendingPerAddress = -1
	server = listen(t, l)
	for range count {
		client := dial(t, websocket.Dialer{}, server.LocalAddr())
		send(t, client, server.LocalAddr(), "hello")
		_, addr := hear(t, server)
		server.Admit(addr)
		send(t, server, addr, "hello")
		hear(t, client)
		addrs, clients = append(addrs, addr), append(clients, client)
	}
	return server, addrs, clients
}

// frameOf returns a function that plays one frame: a datagram to every client, and one back from each.
func frameOf(t testing.TB, count int) func() {
	server, addrs, clients := party(t, count)
	down := make([]transport.Datagram, count)
	for i, addr := range addrs {
		down[i] = transport.Datagram{Addr: addr, Data: make([]byte, 1000)}
	}
	up := []transport.Datagram{{Addr: server.LocalAddr(), Data: make([]byte, 100)}}
	buf := make([]byte, entangle.MaxDatagram)
	take := func(c transport.Conn, want int) {
		for deadline := time.Now().Add(patience); want > 0; {
			if _, _, err := c.Receive(buf); err == nil {
				want--
			} else if time.Now().After(deadline) {
				t.Fatal("a datagram is missing")
			} else {
				time.Sleep(20 * time.Microsecond)
			}
		}
	}
	return func() {
		sent, err := server.Send(down)
		require.NoError(t, err)
		require.Equal(t, count, sent)
		for _, c := range clients {
			take(c, 1)
			_, _ = c.Send(up)
		}
		take(server, count)
	}
}

// BenchmarkFrame100Clients sends one datagram to each of 100 clients and one back from each, and
// receives all of them. Both ends are in this process.
func BenchmarkFrame100Clients(b *testing.B) {
	run := frameOf(b, 100)
	for range 10 {
		run()
	}
	b.ReportAllocs()
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(b.N)*200/b.Elapsed().Seconds(), "packets/s")
}

// BenchmarkSend100Clients measures the time that Send takes from the game's loop.
func BenchmarkSend100Clients(b *testing.B) {
	server, addrs, clients := party(b, 100)
	batch := make([]transport.Datagram, len(addrs))
	for i, addr := range addrs {
		batch[i] = transport.Datagram{Addr: addr, Data: make([]byte, 1000)}
	}
	buf := make([]byte, entangle.MaxDatagram)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = server.Send(batch)
		b.StopTimer()
		for _, c := range clients {
			for _, _, err := c.Receive(buf); err != nil; _, _, err = c.Receive(buf) {
				time.Sleep(20 * time.Microsecond)
			}
		}
		b.StartTimer()
	}
}
