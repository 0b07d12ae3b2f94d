package trusted

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/transport"
)

const testProtocol = 0x1122334455667788

var (
	serverAddr = netip.MustParseAddrPort("10.0.0.9:4000")
	home       = netip.MustParseAddrPort("10.0.0.1:1000")
	away       = netip.MustParseAddrPort("10.0.0.2:1000")
)

// line is a transport whose datagrams a test carries by hand, and its own listener and dialer.
type line struct {
	addr    netip.AddrPort
	in, out []transport.Datagram
	drops   bool // what is sent
	clients map[netip.AddrPort]bool
}

func (l *line) Listen() (transport.Conn, error)             { return l, nil }
func (l *line) Dial(netip.AddrPort) (transport.Conn, error) { return l, nil }
func (l *line) LocalAddr() netip.AddrPort                   { return l.addr }
func (l *line) Local() bool                                 { return true }
func (l *line) Close() error                                { return nil }

// Admit implements transport.Admitter: each call is followed by one of Dismiss.
func (l *line) Admit(addr netip.AddrPort) {
	if l.clients[addr] {
		panic("an address is admitted twice")
	}
	l.clients[addr] = true
}

// Dismiss implements transport.Admitter.
func (l *line) Dismiss(addr netip.AddrPort) {
	if !l.clients[addr] {
		panic("an address is dismissed that is not admitted")
	}
	delete(l.clients, addr)
}

// Receive implements transport.Conn.
func (l *line) Receive(buf []byte) (int, netip.AddrPort, error) {
	if len(l.in) == 0 {
		return 0, netip.AddrPort{}, transport.ErrEmpty
	}
	d := l.in[0]
	l.in = l.in[1:]
	return copy(buf, d.Data), d.Addr, nil
}

func (l *line) Send(batch []transport.Datagram) (int, error) {
	for _, d := range batch {
		if l.drops {
			continue
		}
		l.out = append(l.out, transport.Datagram{Addr: d.Addr, Data: bytes.Clone(d.Data)})
	}
	return len(batch), nil
}

// sim is a server and clients on lines of their own.
type sim struct {
	t    testing.TB
	now  time.Time
	line *line
	*end
}

func newSim(t testing.TB, maxClients int) *sim {
	s := &sim{t: t, now: time.Unix(1_000_000, 0), line: &line{addr: serverAddr, clients: map[netip.AddrPort]bool{}}}
	server, err := Listener{Over: s.line}.Listen(connection.ServerConfig{ProtocolID: testProtocol, MaxClients: maxClients, Now: s.now})
	require.NoError(t, err)
	s.end = server.(*end)
	return s
}

// testClient is a client and its line.
type testClient struct {
	client
	sim  *sim
	line *line
}

func (s *sim) client(id entangle.ClientID, number uint64) *testClient {
	return s.clientOf(testProtocol, id, number)
}

func (s *sim) clientOf(protocolID uint64, id entangle.ClientID, number uint64) *testClient {
	l := &line{addr: home}
	c, err := Dialer{Over: l, Server: serverAddr, Client: id, UserData: []byte("hi")}.Dial(connection.ClientConfig{
		ProtocolID: protocolID, Entropy: bytes.NewReader(binary.LittleEndian.AppendUint64(nil, number)), Now: s.now,
	})
	require.NoError(s.t, err)
	return &testClient{c.(client), s, l}
}

// frame runs a frame of either end, which receives the given datagrams, and returns its events and
// what it sent. Payloads are copied.
func (s *sim) frame(e *end, l *line, from netip.AddrPort, datagrams [][]byte) (events []connection.Event, sent [][]byte) {
	for _, b := range datagrams {
		l.in = append(l.in, transport.Datagram{Addr: from, Data: b})
	}
	for event, err := e.Receive(s.now); err == nil; event, err = e.Receive(s.now) {
		event.Payload = bytes.Clone(event.Payload)
		events = append(events, event)
	}
	require.NoError(s.t, e.Flush())
	for _, d := range l.out {
		sent = append(sent, d.Data)
	}
	l.in, l.out = nil, nil
	return events, sent
}

// serve runs a frame of the server, which receives datagrams from an address.
func (s *sim) serve(from netip.AddrPort, datagrams ...[]byte) (events []connection.Event, sent [][]byte) {
	s.t.Helper()
	events, sent = s.frame(s.end, s.line, from, datagrams)
	s.consistent()
	return events, sent
}

// run runs a frame of the client, which receives datagrams of the server.
func (c *testClient) run(datagrams ...[]byte) (events []connection.Event, sent [][]byte) {
	return c.sim.frame(c.end, c.line, serverAddr, datagrams)
}

// connect connects a client from an address, and returns its slot and its hello.
func (c *testClient) connect(from netip.AddrPort) (slot int, hello []byte) {
	c.sim.t.Helper()
	_, sent := c.run()
	require.Len(c.sim.t, sent, 1)
	events, answer := c.sim.serve(from, sent...)
	require.Len(c.sim.t, events, 1)
	require.Equal(c.sim.t, connection.Connected, events[0].Kind)
	require.Equal(c.sim.t, []connection.Kind{connection.Connected}, kinds(c.run(answer...)))
	return events[0].Slot, sent[0]
}

func kinds(events []connection.Event, _ [][]byte) (all []connection.Kind) {
	for _, e := range events {
		all = append(all, e.Kind)
	}
	return all
}

// consistent checks the invariants of a server.
func (s *sim) consistent() {
	s.t.Helper()
	require.LessOrEqual(s.t, len(s.byClient), len(s.slots))
	for id, at := range s.byClient {
		require.Equal(s.t, id, s.slots[at].client)
		require.NotEqual(s.t, entangle.Nobody, id)
	}
	addrs := map[netip.AddrPort]bool{}
	for at := range s.slots {
		if c := &s.slots[at]; c.state != idle {
			require.Equal(s.t, connected, c.state)
			require.Equal(s.t, at, s.byClient[c.client])
			addrs[c.addr] = true
		}
	}
	require.Equal(s.t, addrs, s.line.clients, "the transport knows the addresses of all clients")
}

// count returns a counter of AppendDropped.
func count(e *end, reason string) uint64 {
	all := e.AppendDropped(nil)
	return all[slices.IndexFunc(all, func(d connection.Dropped) bool { return d.Reason == reason })].Count
}
