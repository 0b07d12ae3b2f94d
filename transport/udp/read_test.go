package udp

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// The system drops datagrams of strangers only once the socket is connected; Conn drops datagrams
// that arrived earlier.
func TestClientDropsStrangers(t *testing.T) {
	server := netip.MustParseAddrPort("[fe80::1%lo]:40000")
	c := &Conn{server: server, arrived: queue.NewIntake(queue.Limits{Strangers: 4})}
	for _, from := range []string{"[fe80::2%lo]:40000", "[fe80::1%lo]:40001", "127.0.0.1:40000"} {
		c.arrive(netip.MustParseAddrPort(from), []byte("from a stranger"))
	}
	c.arrive(netip.MustParseAddrPort("[fe80::1%1]:40000"), []byte("ok"))
	assert.EqualValues(t, 3, c.Stats().Stranger)
	assert.EqualValues(t, 1, c.Stats().Received)
	_, from, err := c.Receive(make([]byte, 10))
	require.NoError(t, err)
	assert.Equal(t, server, from, "as it was dialed")
}

func TestMappedAddressesBecomePlain(t *testing.T) {
	c := &Conn{arrived: queue.NewIntake(queue.Limits{Strangers: 4})}
	c.arrive(netip.MustParseAddrPort("[::ffff:192.0.2.1]:7"), []byte("ok"))
	_, from, err := c.Receive(make([]byte, 10))
	require.NoError(t, err)
	assert.Equal(t, netip.MustParseAddrPort("192.0.2.1:7"), from)
}

// A flood of 100,000 datagrams a second reaches a server with 20 frames a second. Some of its
// datagrams have the form of packets, and some have the address of a connected client. The reader
// reads all of them between two frames. No other client loses a datagram. The client with the
// forged address keeps the datagrams that were queued before the forged ones.
//
// Proves: Z22
func TestStrangersTakeNoRoomOfClients(t *testing.T) {
	const (
		frames   = 20
		junk     = 100_000 / frames
		clients  = 100
		perFrame = 3 // datagrams of a client at 60 Hz
	)
	limits, err := Listener{}.waiting()
	require.NoError(t, err)
	c := &Conn{arrived: queue.NewIntake(limits)}
	c.SetFilter(func(data []byte, client bool) bool { return client || len(data) > 1 })
	client := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}), 7)
	}
	mapped := func(a netip.AddrPort) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom16(a.Addr().As16()), a.Port())
	}
	for i := range clients {
		c.Admit(mapped(client(i)))
	}
	buf := make([]byte, entangle.MaxDatagram)
	genuine := []byte("genuine")
	received := map[netip.AddrPort]int{}
	for range frames {
		for i := range junk {
			switch i % 4 {
			case 0:
				c.arrive(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 9), []byte{0})
			case 1, 2:
				c.arrive(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 9), make([]byte, 1078))
			default:
				c.arrive(client(0), []byte("forged"))
			}
			if n := i % (junk / perFrame); n < clients && i < perFrame*(junk/perFrame) {
				c.arrive(mapped(client(n)), genuine)
			}
		}
		for n, from, err := c.Receive(buf); err == nil; n, from, err = c.Receive(buf) {
			if string(buf[:n]) == string(genuine) {
				received[from]++
			}
		}
	}
	require.Len(t, received, clients)
	for i := 1; i < clients; i++ {
		require.Equal(t, frames*perFrame, received[client(i)], "client %d", i)
	}
	s := c.Stats()
	assert.EqualValues(t, frames*junk/4, s.Stranger)
	assert.EqualValues(t, frames*(junk/2-DefaultStrangerQueue), s.QueueFull)
	assert.EqualValues(t, transport.Drops{Form: s.BadForm, Strange: s.Stranger, StrangersFull: s.QueueFull, ClientFull: s.ClientFull}, c.Drops())
	assert.EqualValues(t, frames*(junk+clients*perFrame), s.Received+s.Stranger+s.QueueFull+s.ClientFull)
}

// Floods from the addresses of two clients fill their part of the shared room. The other clients
// keep their reserved room, and shared room for a burst.
//
// Proves: Z22
func TestForgedAddressesOfClientsTakeNoRoomOfOthers(t *testing.T) {
	const part = 10
	limits, err := Listener{Queue: part * QueueShares}.waiting()
	require.NoError(t, err)
	c := &Conn{arrived: queue.NewIntake(limits)}
	addr := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(netip.IPv6Loopback(), port) }
	for port := range uint16(QueueShares) {
		c.Admit(addr(port))
	}
	for i := range 10_000 {
		c.arrive(addr(uint16(i%2)), []byte("forged"))
	}
	assert.EqualValues(t, 10_000-2*(part+DefaultClientQueue), c.Stats().ClientFull)
	for port := uint16(2); port < QueueShares; port++ {
		for range DefaultClientQueue + part {
			c.arrive(addr(port), []byte("genuine"))
		}
	}
	assert.EqualValues(t, QueueShares*(part+DefaultClientQueue), c.Stats().Received)
}

// A frame reads only the datagrams that waited when it began, even if a flood from the address of a
// client arrives as fast as it is read. The waiting datagrams of other clients are among them.
//
// Proves: Z22
func TestFrameEndsUnderAFloodFromAClientsAddress(t *testing.T) {
	limits, err := Listener{}.waiting()
	require.NoError(t, err)
	c := &Conn{arrived: queue.NewIntake(limits)}
	addr := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(netip.IPv6Loopback(), port) }
	c.Admit(addr(1))
	c.Admit(addr(2))
	buf := make([]byte, entangle.MaxDatagram)
	for range 5 {
		for range 2 * DefaultListenerQueue {
			c.arrive(addr(1), []byte("forged"))
		}
		c.arrive(addr(2), []byte("genuine"))
		taken, others := 0, 0
		for n, _, err := c.Receive(buf); err == nil; n, _, err = c.Receive(buf) {
			if taken++; string(buf[:n]) == "genuine" {
				others++
			}
			c.arrive(addr(1), []byte("forged"))
			require.LessOrEqual(t, taken, 1+DefaultClientQueue+DefaultListenerQueue/QueueShares)
		}
		require.Equal(t, 1, others)
	}
}

// The address of a former client counts as a stranger's, whether it is given as IPv4 or as IPv4
// mapped into IPv6.
func TestDismissedAddressIsAStrangers(t *testing.T) {
	c := &Conn{arrived: queue.NewIntake(queue.Limits{Strangers: 1, Client: 2})}
	mapped := netip.MustParseAddrPort("[::ffff:192.0.2.1]:7")
	c.Admit(mapped)
	for range 3 {
		c.arrive(mapped, []byte("of a client"))
	}
	assert.EqualValues(t, 2, c.Stats().Received)
	assert.EqualValues(t, 1, c.Stats().ClientFull)
	c.Dismiss(mapped)
	for range 2 {
		c.arrive(mapped, []byte("of a stranger"))
	}
	assert.EqualValues(t, 3, c.Stats().Received)
	assert.EqualValues(t, 1, c.Stats().QueueFull)
}

// Without a ClientQueue, all clients share Queue, and strangers still have their own.
func TestWithoutRoomOfTheirOwnClientsShareTheQueue(t *testing.T) {
	limits, err := Listener{Queue: 5 * QueueShares, ClientQueue: -1, StrangerQueue: 5}.waiting()
	require.NoError(t, err)
	c := &Conn{arrived: queue.NewIntake(limits)}
	addr := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(netip.IPv6Loopback(), port) }
	c.Admit(addr(1))
	c.Admit(addr(2))
	for i := range 60 {
		c.arrive(addr(uint16(i%3)), []byte("any"))
	}
	assert.EqualValues(t, 2*5+5, c.Stats().Received)
	assert.EqualValues(t, 40-2*5, c.Stats().ClientFull)
	assert.EqualValues(t, 20-5, c.Stats().QueueFull)
}

func TestBuffersHaveTheDefaultUnlessTheyAreSet(t *testing.T) {
	for given, want := range map[[2]int][2]int{{0, 0}: {9, 9}, {0, 5}: {9, 5}, {5, 0}: {5, 9}, {-1, -1}: {-1, -1}} {
		o := options{readBuffer: given[0], writeBuffer: given[1]}.orBuffers(9)
		assert.Equal(t, want, [2]int{o.readBuffer, o.writeBuffer}, given)
	}
}
