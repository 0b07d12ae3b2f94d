package netcode_test

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
	"github.com/entangle-ecs/entangle/transport/udp"
)

const (
	floodProtocol = 77
	floodClients  = 8
	floodTick     = 50 * time.Millisecond
	perTick       = 3 // payloads of a client at 60 Hz
)

// flooded is a netcode server and its clients on loopback sockets, and a stranger's socket, on a
// virtual clock.
type flooded struct {
	t        *testing.T
	now      time.Time
	socket   *udp.Conn // the server's
	server   connection.Server
	clients  []connection.Client
	sockets  [floodClients]transport.Conn // the clients'
	stranger *net.UDPConn

	connected      int               // clients that have got their Connected event
	sent, received int               // payloads
	bySlot         [floodClients]int // payloads received, by slot
	datagrams      uint64            // datagrams that should have reached the server's socket
	overflow       int               // how many of those the kernel dropped
}

// keep is a listener that keeps the Conn that it opens.
type keep struct {
	transport.Listener
	conn **udp.Conn
}

func (k keep) Listen() (transport.Conn, error) {
	c, err := k.Listener.Listen()
	if err == nil {
		*k.conn = c.(*udp.Conn)
	}
	return c, err
}

// lay is a dialer that keeps the Conn that it opens.
type lay struct{ conn *transport.Conn }

func (l lay) Dial(server netip.AddrPort) (c transport.Conn, err error) {
	c, err = udp.Dialer{}.Dial(server)
	*l.conn = c
	return c, err
}

func newFlooded(t *testing.T) *flooded {
	f := &flooded{t: t, now: time.Now()} // tokens are minted a second later, because the server refuses those from before its start
	key := token.NewKey()
	var err error
	f.server, err = netcode.Listener{Over: []transport.Listener{keep{udp.Listener{Addr: "127.0.0.1:0"}, &f.socket}}, Key: key}.
		Listen(connection.ServerConfig{ProtocolID: floodProtocol, MaxClients: floodClients, Entropy: rand.Reader, Now: f.now})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, f.server.Close("", f.now)) })
	for i := range floodClients {
		tok, err := token.Mint(key, token.Claims{
			ProtocolID: floodProtocol, Servers: f.server.Addrs(), ClientID: entangle.ClientID(i + 1), Now: f.now.Add(time.Second),
		})
		require.NoError(t, err)
		c, err := netcode.Dialer{Over: lay{&f.sockets[i]}, Token: tok}.Dial(connection.ClientConfig{ProtocolID: floodProtocol, Entropy: rand.Reader, Now: f.now})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, c.Close("", f.now)) })
		f.clients = append(f.clients, c)
	}
	f.stranger, err = net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(f.socket.LocalAddr()))
	require.NoError(t, err)
	t.Cleanup(func() { f.stranger.Close() })
	for deadline := time.Now().Add(10 * time.Second); f.connected < floodClients; time.Sleep(time.Millisecond) {
		require.True(t, time.Now().Before(deadline), "all connect")
		f.frame()
	}
	f.waitUntilQuiet()
	f.datagrams = f.arrived()
	return f
}

// frame runs one frame of server and clients.
func (f *flooded) frame() {
	f.now = f.now.Add(floodTick)
	for _, c := range f.clients {
		for e, err := c.Receive(f.now); err == nil; e, err = c.Receive(f.now) {
			if e.Kind == connection.Connected {
				f.connected++
			}
		}
		require.NoError(f.t, c.Flush())
	}
	f.serve()
}

// serve runs one frame of the server.
func (f *flooded) serve() {
	for {
		e, err := f.server.Receive(f.now)
		if errors.Is(err, connection.ErrEmpty) {
			break
		}
		require.NoError(f.t, err)
		switch e.Kind {
		case connection.Payload:
			f.received++
			f.bySlot[e.Slot]++
		case connection.Disconnected:
			f.t.Fatal("a client was disconnected: ", e.Err)
		}
	}
	require.NoError(f.t, f.server.Flush())
}

// sendPayloads sends one payload from every client.
func (f *flooded) sendPayloads() {
	for _, c := range f.clients {
		before := c.Traffic().PacketsOut
		c.Send([]byte("an input"), f.now)
		require.NoError(f.t, c.Flush())
		f.datagrams += c.Traffic().PacketsOut - before
		f.sent++
	}
}

// arrived returns how many datagrams the reader of the server's socket has read.
func (f *flooded) arrived() uint64 {
	s := f.socket.Stats()
	return s.Received + s.QueueFull + s.ClientFull + s.BadSize + s.BadForm
}

// waitUntilQuiet waits until the reader has read nothing for a while.
func (f *flooded) waitUntilQuiet() {
	for last, calm := f.arrived(), 0; calm < 20; time.Sleep(time.Millisecond) {
		calm++
		if now := f.arrived(); now != last {
			last, calm = now, 0
		}
	}
}

// keepUp waits until the reader has read all sent datagrams, so that the kernel's buffer does not
// overflow. Datagrams that the kernel drops are counted, and not waited for again.
func (f *flooded) keepUp() {
	for deadline := time.Now().Add(5 * time.Second); f.arrived() < f.datagrams; time.Sleep(20 * time.Microsecond) {
		if time.Now().After(deadline) {
			f.waitUntilQuiet()
			now := f.arrived()
			f.overflow += int(f.datagrams - min(now, f.datagrams))
			f.datagrams = now
			return
		}
	}
}

// junk returns a datagram of a stranger, with or without the form of a packet.
func (f *flooded) junk(i int, formed bool) []byte {
	switch {
	case !formed:
		return make([]byte, 1+i%1100)
	case i%2 == 0: // a request with a token that was not sealed
		b := append(make([]byte, 0, 1078), 0)
		b = append(b, token.Version...)
		b = binary.LittleEndian.AppendUint64(b, floodProtocol)
		b = binary.LittleEndian.AppendUint64(b, uint64(f.now.Unix()+20))
		return b[:1078]
	default: // an answer to a challenge that was not sealed
		return append([]byte{0x13, byte(i)}, make([]byte, 308+16)...)
	}
}

// Strangers send 100,000 junk datagrams on real sockets, in 20 frames of a 20th of a second each.
// They wait for the server's reader after each burst, so that only the server decides what is
// dropped, however slow the machine is.
//
// Proves: Z22
func TestAFloodOfStrangersCostsClientsNothing(t *testing.T) {
	const (
		burst  = 100
		bursts = 5000 / burst
	)
	frames := 20
	if testing.Short() {
		frames = 4
	}
	for name, formed := range map[string]bool{"that cannot be packets": false, "that could be packets": true} {
		t.Run(name, func(t *testing.T) {
			f := newFlooded(t)
			for range frames / 2 {
				for i := range bursts {
					for j := range burst {
						_, err := f.stranger.Write(f.junk(j, formed))
						require.NoError(t, err)
					}
					f.datagrams += burst
					f.keepUp()
					if (i+1)*perTick/bursts > i*perTick/bursts {
						f.sendPayloads()
					}
				}
				f.keepUp()
				f.frame()
				f.datagrams = f.arrived() // skips the clients' own packets, which were not counted
			}
			f.waitUntilQuiet()
			f.serve()
			assert.Equal(t, frames/2*perTick*floodClients, f.sent)
			assert.Less(t, f.sent-f.received, f.overflow+max(f.sent/100, 1), "of %d payloads; %d lost in the kernel", f.sent, f.overflow)
			s := f.socket.Stats()
			assert.Zero(t, s.ClientFull)
			if formed {
				assert.Positive(t, s.QueueFull, "strangers sent more than their room")
			} else {
				assert.GreaterOrEqual(t, s.BadForm, uint64(frames/2*5000*9/10), "none of them took room")
			}
		})
	}
}

// A hostile client, or an attacker who forges its address, floods with datagrams that look like its
// packets. The other clients lose nothing, even of bursts that exceed their reserved room, and no
// client is disconnected.
//
// Proves: Z22
func TestAFloodFromAClientsAddressCostsOthersNothing(t *testing.T) {
	const (
		flood  = 6000
		burst  = 100 // payloads of each client in a frame; udp.DefaultClientQueue is 32
		frames = 3
	)
	f := newFlooded(t)
	forged := transport.Datagram{Addr: f.socket.LocalAddr(), Data: append([]byte{0x15, 9}, make([]byte, 100)...)}
	batch := make([]transport.Datagram, 100)
	for i := range batch {
		batch[i] = forged
	}
	for range frames {
		for range flood / len(batch) {
			sent, err := f.sockets[0].Send(batch)
			require.NoError(t, err)
			f.datagrams += uint64(sent)
			f.keepUp()
		}
		for range burst {
			f.sendPayloads()
			f.keepUp()
		}
		f.serve()
		f.datagrams = f.arrived()
	}
	f.waitUntilQuiet()
	f.serve()
	lost := 0
	for at, received := range f.bySlot {
		if received < burst*frames {
			lost++
			t.Logf("%d of %d of slot %d arrived", received, burst*frames, at)
		}
	}
	assert.LessOrEqual(t, lost, 1+f.overflow, "of the one that floods")
	assert.GreaterOrEqual(t, f.socket.Stats().ClientFull, uint64(frames*(flood-udp.DefaultListenerQueue)))
}
