package udp_test

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/transporttest"
	"github.com/entangle-ecs/entangle/transport/udp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConforms(t *testing.T) {
	transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) {
		return udp.Listener{Addr: "127.0.0.1:0"}, udp.Dialer{}
	}, transporttest.KeepsRoom)
}

// On a machine without IPv6, Listen returns an error instead.
func TestConformsOverIPv6(t *testing.T) {
	l := udp.Listener{Addr: "[::1]:0"}
	if !machineHas(t, netip.IPv6Loopback()) {
		_, err := l.Listen()
		assert.ErrorContains(t, err, "cannot listen at [::1]:0")
		return
	}
	transporttest.Run(t, func(testing.TB) (transport.Listener, transport.Dialer) { return l, udp.Dialer{} }, transporttest.KeepsRoom)
}

func machineHas(t testing.TB, want netip.Addr) bool {
	addrs, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr() == want {
			return true
		}
	}
	return false
}

func listen(t testing.TB, l udp.Listener) *udp.Conn {
	c, err := l.Listen()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c.(*udp.Conn)
}

func dial(t testing.TB, d udp.Dialer, server netip.AddrPort) *udp.Conn {
	c, err := d.Dial(server)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c.(*udp.Conn)
}

func one(to netip.AddrPort, text string) []transport.Datagram {
	return []transport.Datagram{{Addr: to, Data: []byte(text)}}
}

// eventually polls in the test's goroutine until ok returns true.
func eventually(t testing.TB, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); time.Sleep(20 * time.Microsecond) {
		require.True(t, time.Now().Before(deadline), "nothing came within ten seconds")
	}
}

// carry sends until the datagram has arrived, and returns its sender's address.
func carry(t testing.TB, from transport.Conn, to netip.AddrPort, at transport.Conn, text string) (sender netip.AddrPort) {
	t.Helper()
	buf := make([]byte, entangle.MaxDatagram)
	eventually(t, func() bool {
		_, err := from.Send(one(to, text))
		require.NoError(t, err)
		for {
			n, addr, err := at.Receive(buf)
			if err != nil {
				require.ErrorIs(t, err, transport.ErrEmpty)
				return false
			}
			if string(buf[:n]) == text {
				sender = addr
				return true
			}
		}
	})
	return sender
}

func onPort(host string, port uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(host), port)
}

// This checks the client's side of C3: the client binds any address, or the given one.
//
// Proves: C3
func TestClientBindsAnyOrAGivenAddress(t *testing.T) {
	server := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	anywhere := dial(t, udp.Dialer{}, server.LocalAddr())
	assert.Equal(t, anywhere.LocalAddr(), carry(t, anywhere, server.LocalAddr(), server, "any"))
	assert.True(t, anywhere.LocalAddr().Addr().IsLoopback())

	free := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	want := free.LocalAddr()
	require.NoError(t, free.Close())
	given := dial(t, udp.Dialer{LocalAddr: want.String()}, server.LocalAddr())
	assert.Equal(t, want, given.LocalAddr())
	assert.Equal(t, want, carry(t, given, server.LocalAddr(), server, "given"))
	require.NoError(t, given.Close())

	wildcard := dial(t, udp.Dialer{LocalAddr: fmt.Sprintf(":%d", want.Port())}, server.LocalAddr())
	assert.Equal(t, want, carry(t, wildcard, server.LocalAddr(), server, "port only"))
}

// This checks the transport's side of C10: the port is free when Close returns.
//
// Proves: C10
func TestCloseFreesThePortAtOnce(t *testing.T) {
	first := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	addr := first.LocalAddr()
	_, err := udp.Listener{Addr: addr.String()}.Listen()
	require.ErrorContains(t, err, "cannot listen at "+addr.String())
	require.ErrorContains(t, err, "choose another port")
	require.NoError(t, first.Close())
	for range 50 {
		again, err := udp.Listener{Addr: addr.String()}.Listen()
		require.NoError(t, err)
		require.Equal(t, addr, again.LocalAddr())
		require.NoError(t, again.Close())
	}
	last := listen(t, udp.Listener{Addr: addr.String()})
	client := dial(t, udp.Dialer{}, addr)
	carry(t, client, addr, last, "to the server that came back")
}

func TestCloseEndsTheGoroutine(t *testing.T) {
	before := goleak.IgnoreCurrent()
	server := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	client := dial(t, udp.Dialer{}, server.LocalAddr())
	require.Error(t, goleak.Find(before), "one goroutine reads each socket")
	require.NoError(t, server.Close())
	require.NoError(t, client.Close())
	require.NoError(t, goleak.Find(before))
}

// One loop drains several listeners of different transports.
func TestSeveralListenersInOneLoop(t *testing.T) {
	inMemory := memory.NewNetwork()
	local := inMemory.Listener()
	var servers []transport.Conn
	for _, l := range []transport.Listener{local, udp.Listener{Addr: "127.0.0.1:0"}, udp.Listener{Addr: "127.0.0.1:0"}} {
		c, err := l.Listen()
		require.NoError(t, err)
		defer c.Close()
		servers = append(servers, c)
	}
	dialers := []transport.Dialer{inMemory.Dialer(), udp.Dialer{}, udp.Dialer{}}
	for i, s := range servers {
		client, err := dialers[i].Dial(s.LocalAddr())
		require.NoError(t, err)
		defer client.Close()
		addr := carry(t, client, s.LocalAddr(), s, "up")
		assert.Equal(t, s.LocalAddr(), carry(t, s, addr, client, "down"))
	}
}

func TestOneSocketServesBothFamilies(t *testing.T) {
	server := listen(t, udp.Listener{Addr: ":0"})
	port := server.LocalAddr().Port()
	hosts := []string{"127.0.0.1"}
	if machineHas(t, netip.IPv6Loopback()) {
		hosts = append(hosts, "::1")
	}
	var batch []transport.Datagram
	var clients []*udp.Conn
	for _, host := range hosts {
		client := dial(t, udp.Dialer{}, onPort(host, port))
		addr := carry(t, client, onPort(host, port), server, "up from "+host)
		assert.Equal(t, client.LocalAddr(), addr)
		assert.Equal(t, netip.MustParseAddr(host), addr.Addr(), "in its plain form")
		batch = append(batch, transport.Datagram{Addr: addr, Data: []byte("down to both")})
		clients = append(clients, client)
	}
	sent, err := server.Send(batch)
	require.NoError(t, err)
	assert.Equal(t, len(hosts), sent)
	for i, client := range clients {
		assert.Equal(t, onPort(hosts[i], port), carry(t, server, batch[i].Addr, client, "down"))
	}
}

func TestIPv4WildcardServesIPv4(t *testing.T) {
	server := listen(t, udp.Listener{Addr: "0.0.0.0:0"})
	assert.Equal(t, netip.IPv4Unspecified(), server.LocalAddr().Addr())
	to := onPort("127.0.0.1", server.LocalAddr().Port())
	client := dial(t, udp.Dialer{}, to)
	assert.Equal(t, to, carry(t, server, carry(t, client, to, server, "up"), client, "down"))
}

func TestSetUpMistakesNameTheFix(t *testing.T) {
	for addr, fix := range map[string]string{
		"":                    `Listener.Addr "" is not host:port; write for example "127.0.0.1:40000"`,
		"127.0.0.1":           `is not host:port`,
		"127.0.0.1:http":      `port "http" is not a number from 0 to 65535`,
		"127.0.0.1:65536":     `port "65536" is not a number from 0 to 65535`,
		"play.example:40000":  `"play.example" is not an IP address`,
		"999.0.0.1:40000":     `"999.0.0.1" is not an IP address`,
		"[2001:db8::1]:40000": `cannot listen at [2001:db8::1]:40000`,
	} {
		_, err := udp.Listener{Addr: addr}.Listen()
		assert.ErrorContains(t, err, fix, addr)
	}
	_, err := udp.Listener{Addr: "127.0.0.1:0", Queue: -1}.Listen()
	assert.ErrorContains(t, err, "udp: Listener.Queue is -1; give the number of datagrams")
	_, err = udp.Listener{Addr: "127.0.0.1:0", StrangerQueue: -1}.Listen()
	assert.ErrorContains(t, err, "udp: Listener.StrangerQueue is -1")

	good := onPort("127.0.0.1", 40000)
	_, err = udp.Dialer{Queue: -2}.Dial(good)
	assert.ErrorContains(t, err, "udp: Dialer.Queue is -2")
	_, err = udp.Dialer{LocalAddr: "here"}.Dial(good)
	assert.ErrorContains(t, err, `Dialer.LocalAddr "here" is not host:port`)
	_, err = udp.Dialer{LocalAddr: "[::1]:0"}.Dial(good)
	assert.ErrorContains(t, err, "of different IP versions")
	for _, server := range []netip.AddrPort{{}, onPort("127.0.0.1", 0), onPort("0.0.0.0", 1), onPort("::", 1)} {
		_, err = udp.Dialer{}.Dial(server)
		assert.ErrorContains(t, err, "is not the address of a server", server)
	}
}

// raw opens a UDP socket without the limits of this package.
func raw(t testing.TB) *net.UDPConn {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func TestBadSizesAreDroppedAndCounted(t *testing.T) {
	server := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	hostile := raw(t)
	for _, size := range []int{0, entangle.MaxDatagram + 1, 60000, entangle.MaxDatagram} {
		_, err := hostile.WriteToUDPAddrPort(make([]byte, size), server.LocalAddr())
		require.NoError(t, err)
	}
	buf := make([]byte, entangle.MaxDatagram)
	eventually(t, func() bool { return server.Stats().Received == 1 })
	n, _, err := server.Receive(buf)
	require.NoError(t, err)
	assert.Equal(t, entangle.MaxDatagram, n)
	s := server.Stats()
	assert.EqualValues(t, 3, s.BadSize+s.ReadErrors, "systems that do not cut a datagram report an error for it")
	assert.EqualValues(t, entangle.MaxDatagram, s.ReceivedBytes)

	sent, err := server.Send([]transport.Datagram{
		{Addr: hostile.LocalAddr().(*net.UDPAddr).AddrPort(), Data: make([]byte, entangle.MaxDatagram+1)},
		{Addr: hostile.LocalAddr().(*net.UDPAddr).AddrPort()},
		{Addr: onPort("127.0.0.1", 0), Data: []byte("to no port")},
	})
	require.NoError(t, err)
	assert.Zero(t, sent)
	assert.EqualValues(t, 3, server.Stats().Unsendable)
}

func TestFullQueueDropsTheNewestAndCounts(t *testing.T) {
	server := listen(t, udp.Listener{Addr: "127.0.0.1:0", StrangerQueue: 8})
	client := dial(t, udp.Dialer{}, server.LocalAddr())
	for i := range 20 {
		sent, err := client.Send(one(server.LocalAddr(), fmt.Sprint(i)))
		require.NoError(t, err)
		require.Equal(t, 1, sent)
	}
	eventually(t, func() bool { return server.Stats().QueueFull == 12 })
	buf := make([]byte, entangle.MaxDatagram)
	for i := range 8 {
		n, _, err := server.Receive(buf)
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprint(i), string(buf[:n]))
	}
	_, _, err := server.Receive(buf)
	assert.ErrorIs(t, err, transport.ErrEmpty)
	assert.EqualValues(t, 20, client.Stats().Sent)
}

// The system answers "port unreachable" to each datagram for a server that is not started
// yet, which shows up as an error of the next system call.
func TestServerThatStartsLateIsReached(t *testing.T) {
	early := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	addr := early.LocalAddr()
	require.NoError(t, early.Close())
	client := dial(t, udp.Dialer{}, addr)
	buf := make([]byte, entangle.MaxDatagram)
	eventually(t, func() bool {
		_, err := client.Send(one(addr, "anybody?"))
		require.NoError(t, err)
		_, _, err = client.Receive(buf)
		require.ErrorIs(t, err, transport.ErrEmpty)
		return client.Stats().Sent+client.Stats().Unsendable > 200
	})
	late := listen(t, udp.Listener{Addr: addr.String()})
	carry(t, client, addr, late, "at last")
}

func TestStatsCountBothWays(t *testing.T) {
	server := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	client := dial(t, udp.Dialer{}, server.LocalAddr())
	other := onPort("127.0.0.1", 1)
	sent, err := client.Send([]transport.Datagram{
		{Addr: server.LocalAddr(), Data: []byte("12345")},
		{Addr: other, Data: []byte("not its server")},
		{Addr: server.LocalAddr(), Data: []byte("123")},
	})
	require.NoError(t, err)
	assert.Equal(t, 2, sent)
	s := client.Stats()
	assert.EqualValues(t, 2, s.Sent)
	assert.EqualValues(t, 8, s.SentBytes)
	assert.EqualValues(t, 1, s.Unsendable)
	assert.Positive(t, s.SendCalls)
	eventually(t, func() bool { return server.Stats().ReceivedBytes == 8 })
	_, _, err = server.Receive(make([]byte, 4))
	require.NoError(t, err, "the one of 5 bytes does not fit, the one of 3 does")
	assert.EqualValues(t, 1, server.Stats().TooLarge)
}

// frame sends one datagram to each of count peers and receives them.
func frame(t testing.TB, count int) func() {
	server := listen(t, udp.Listener{Addr: "127.0.0.1:0"})
	clients := make([]*udp.Conn, count)
	batch := make([]transport.Datagram, count)
	for i := range clients {
		clients[i] = dial(t, udp.Dialer{}, server.LocalAddr())
		batch[i] = transport.Datagram{Addr: clients[i].LocalAddr(), Data: make([]byte, 1000+i%3)}
	}
	up := []transport.Datagram{{Addr: server.LocalAddr(), Data: make([]byte, 100)}}
	buf := make([]byte, entangle.MaxDatagram)
	return func() {
		if sent, err := server.Send(batch); sent != count || err != nil {
			t.Fatal(sent, err)
		}
		for _, c := range clients {
			for received := false; !received; {
				runtime.Gosched()
				_, _, err := c.Receive(buf)
				received = err == nil
			}
			if sent, err := c.Send(up); sent != 1 || err != nil {
				t.Fatal(sent, err)
			}
		}
		for received := 0; received < count; {
			if _, _, err := server.Receive(buf); err == nil {
				received++
			} else {
				runtime.Gosched()
			}
		}
	}
}
