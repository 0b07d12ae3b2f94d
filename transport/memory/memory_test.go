package memory_test

import (
	"fmt"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/transporttest"
)

func TestConforms(t *testing.T) {
	transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) {
		n := memory.NewNetwork()
		return n.Listener(), n.Dialer()
	})
}

func pair(t testing.TB) (server, client *memory.Conn) {
	n := memory.NewNetwork()
	l := n.Listener()
	s, err := l.Listen()
	require.NoError(t, err)
	c, err := n.Dialer().Dial(l.Addr())
	require.NoError(t, err)
	return s.(*memory.Conn), c.(*memory.Conn)
}

func one(to netip.AddrPort, text string) []transport.Datagram {
	return []transport.Datagram{{Addr: to, Data: []byte(text)}}
}

func TestAddressesAreMadeUpInOrderAndNeverTwice(t *testing.T) {
	n := memory.NewNetwork()
	first, second := n.Listener(), n.Listener()
	assert.Equal(t, "[fd00::1]:40000", first.Addr().String())
	assert.Equal(t, "[fd00::2]:40000", second.Addr().String())
	for i := 3; i < 6; i++ {
		c, err := n.Dialer().Dial(first.Addr())
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("[fd00::%d]:40000", i), c.LocalAddr().String())
		require.NoError(t, c.Close())
	}
}

func TestListenTwiceNamesTheFix(t *testing.T) {
	l := memory.NewNetwork().Listener()
	conn, err := l.Listen()
	require.NoError(t, err)
	assert.Equal(t, l.Addr(), conn.LocalAddr())
	_, err = l.Listen()
	assert.ErrorContains(t, err, "close that Conn first")
	require.NoError(t, conn.Close())
	again, err := l.Listen()
	require.NoError(t, err)
	require.NoError(t, conn.Close(), "the old end must not take the new one off the network")
	_, err = l.Listen()
	assert.ErrorContains(t, err, "is listening already")
	require.NoError(t, again.Close())
}

func TestDialOfAnotherKindOfAddressNamesTheFix(t *testing.T) {
	d := memory.NewNetwork().Dialer()
	for _, bad := range []string{"127.0.0.1:40000", "[::1]:40000", "[fd00::1]:1"} {
		_, err := d.Dial(netip.MustParseAddrPort(bad))
		assert.ErrorContains(t, err, "dial what Listener.Addr returns", bad)
	}
}

func TestOrderIsKept(t *testing.T) {
	server, client := pair(t)
	for i := range memory.QueueLimit {
		sent, err := client.Send(one(server.LocalAddr(), fmt.Sprint(i)))
		require.NoError(t, err)
		require.Equal(t, 1, sent)
	}
	buf := make([]byte, entangle.MaxDatagram)
	for i := range memory.QueueLimit {
		n, from, err := server.Receive(buf)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), string(buf[:n]))
		require.Equal(t, client.LocalAddr(), from)
	}
}

func TestFullQueueDropsTheNewestAndCounts(t *testing.T) {
	server, client := pair(t)
	for range memory.QueueLimit {
		_, err := client.Send(one(server.LocalAddr(), "fits"))
		require.NoError(t, err)
	}
	sent, err := client.Send(one(server.LocalAddr(), "does not"))
	require.NoError(t, err)
	assert.Zero(t, sent)
	sent, err = client.Send(one(client.LocalAddr(), "to itself, not its server"))
	require.NoError(t, err)
	assert.Zero(t, sent)
	assert.Equal(t, memory.Stats{Sent: memory.QueueLimit, Refused: 1, Unreachable: 1}, client.Stats())
	assert.Equal(t, memory.Stats{Received: memory.QueueLimit, Full: 1}, server.Stats())

	_, _, err = server.Receive(make([]byte, 3))
	assert.ErrorIs(t, err, transport.ErrEmpty)
	assert.EqualValues(t, memory.QueueLimit, server.Stats().TooLarge)
}

func TestOversizeIsNotCarried(t *testing.T) {
	server, client := pair(t)
	batch := []transport.Datagram{
		{Addr: server.LocalAddr(), Data: make([]byte, entangle.MaxDatagram+1)},
		{Addr: server.LocalAddr()},
	}
	sent, err := client.Send(batch)
	require.NoError(t, err)
	assert.Zero(t, sent)
	assert.EqualValues(t, 2, client.Stats().Refused)
}

// Each end is driven by its own goroutine.
func TestManyGoroutines(t *testing.T) {
	n := memory.NewNetwork()
	l := n.Listener()
	server, err := l.Listen()
	require.NoError(t, err)
	const clients, each = 8, 200
	var wg sync.WaitGroup
	for range clients {
		c, err := n.Dialer().Dial(l.Addr())
		require.NoError(t, err)
		wg.Go(func() {
			for range each {
				_, err := c.Send(one(l.Addr(), "x"))
				assert.NoError(t, err)
			}
			assert.NoError(t, c.Close())
		})
	}
	buf, got := make([]byte, entangle.MaxDatagram), 0
	for got < clients*each {
		if _, _, err := server.Receive(buf); err == nil {
			got++
		}
	}
	wg.Wait()
	_, _, err = server.Receive(buf)
	assert.ErrorIs(t, err, transport.ErrEmpty)
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	server, client := pair(t)
	batch := make([]transport.Datagram, 100)
	for i := range batch {
		batch[i] = transport.Datagram{Addr: client.LocalAddr(), Data: make([]byte, entangle.MaxDatagram)}
	}
	buf := make([]byte, entangle.MaxDatagram)
	frame := func() {
		_, _ = server.Send(batch)
		for range batch {
			_, _, _ = client.Receive(buf)
		}
	}
	frame()
	assert.Zero(t, alloctest.Count(100, frame))
	assert.EqualValues(t, 102*100, client.Stats().Received)
}

func BenchmarkSendReceive(b *testing.B) {
	server, client := pair(b)
	batch := make([]transport.Datagram, 100)
	for i := range batch {
		batch[i] = transport.Datagram{Addr: client.LocalAddr(), Data: make([]byte, entangle.MaxDatagram)}
	}
	buf := make([]byte, entangle.MaxDatagram)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = server.Send(batch)
		for range batch {
			_, _, _ = client.Receive(buf)
		}
	}
	b.ReportMetric(float64(b.N)*100/b.Elapsed().Seconds(), "packets/s")
}
