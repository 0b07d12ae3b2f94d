package plugin_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// chats returns the payloads of n empty chats.
func (y *tyrant) chats(n int) (payloads [][]byte) {
	for range n {
		b := binary.LittleEndian.AppendUint16(append(y.header(y.at()), byte(peer.FirstMessages)|0x80), y.next[peer.FirstMessages])
		y.next[peer.FirstMessages]++
		payloads = append(payloads, append(b, 0, 0, 0))
	}
	return payloads
}

// goodbye returns a payload that ends the connection after all that were made before.
func (y *tyrant) goodbye() []byte {
	return packet.AppendReason(packet.AppendHeader(nil, packet.Header{Kind: packet.Goodbye, ID: y.id}), "out")
}

// The packets of a frame overtake each other, and one of them ends the connection. Messages that the server sent before
// that packet arrive once, and later messages do not arrive. No message reaches the next connection, where the ids of
// packets begin again.
//
// Proves: Z17
func TestAConnectionThatEndsWithinAFrame(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(y *tyrant) // sends the end and what comes after it
		want error
	}{
		"a goodbye": {func(y *tyrant) {
			payloads := append(y.chats(5), y.goodbye())
			for i := range payloads {
				y.send(payloads[(i*5+2)%6])
			}
			for _, p := range y.chats(300) {
				y.send(p)
			}
		}, plugin.ErrKicked},
		"a broken packet": {func(y *tyrant) {
			for _, p := range y.chats(5) {
				y.send(p)
			}
			y.send(append(y.header(9), 60|0x80, 0, 0, 1))
			for _, p := range y.chats(5) {
				y.send(p)
			}
		}, plugin.ErrProtocolBroken},
	} {
		t.Run(name, func(t *testing.T) {
			y := newTyrant(t)
			for range 3 {
				require.Equal(t, plugin.Connected, y.c.State(), y.c.Err())
				y.act(repl.Full, 0, 10, 0, 6)
				y.step()
				require.Len(t, spots(y.c.world), 1)
				before := y.c.Stats().Messages.Received
				c.end(y)
				y.step()
				require.Equal(t, plugin.Disconnected, y.c.State(), y.c.Err())
				if c.want != nil {
					assert.ErrorIs(t, y.c.Err(), c.want)
				}
				assert.EqualValues(t, 5, y.c.Stats().Messages.Received-before)
				assert.Zero(t, count[components.Remote](y.c.world))
				for range 5 {
					y.step()
				}
				assert.EqualValues(t, 5, y.c.Stats().Messages.Received-before)
				y.rejoin()
				require.EqualValues(t, 6, y.c.Stats().Messages.Received-before)
			}
		})
	}
}

// Thousands of packets arrive in one frame, in any order within each hundred: all are handled, each once.
//
// Proves: Z17
func TestThousandsOfPacketsInAFrame(t *testing.T) {
	const n = 3000
	y, rng := newTyrant(t), rand.New(rand.NewPCG(1, 2))
	before := y.c.Stats().Messages.Received
	payloads := y.chats(n)
	for i := 0; i < n; i += 20 {
		rng.Shuffle(20, func(a, b int) { payloads[i+a], payloads[i+b] = payloads[i+b], payloads[i+a] })
	}
	for _, p := range payloads {
		y.send(p)
	}
	for range 20 {
		y.step()
	}
	assert.Equal(t, plugin.Connected, y.c.State(), y.c.Err())
	assert.EqualValues(t, n, y.c.Stats().Messages.Received-before)
}

// If the layer reports the end of the connection, the packets of the same frame are handled before.
//
// Proves: Z17
func TestPacketsBeforeTheEndOfALayerArrive(t *testing.T) {
	y := newTyrant(t)
	before := y.c.Stats().Messages.Received
	var sealed [][]byte
	for _, p := range y.chats(50) {
		b, err := y.sess.AppendPayload(nil, 0, p, y.now)
		require.NoError(t, err)
		sealed = append(sealed, b)
	}
	y.sess.Disconnect(0, y.now)
	frames := 0
	for ; y.c.State() == plugin.Connected && frames < len(sealed); frames++ {
		_, err := y.conn.Send([]transport.Datagram{{Addr: y.addr, Data: sealed[frames]}})
		require.NoError(t, err)
		y.step()
	}
	require.Less(t, frames, len(sealed))
	require.Equal(t, plugin.Disconnected, y.c.State())
	assert.EqualValues(t, frames, y.c.Stats().Messages.Received-before)
}

// Of many entities that arrive in one frame, some wait for the next frames. None is lost.
//
// Proves: Z17
func TestManyEntitiesOfAFrameWait(t *testing.T) {
	const n, limit, inAPacket = 40_000, 1 << 14, 100
	y := newTyrant(t)
	for i := 0; i < n; i += inAPacket {
		var w bits.Writer
		w.Bits(10, 32)
		w.Bool(false) // records of single groups
		heads := repl.Heads{Tick: 10}
		for k := range inAPacket {
			heads.Append(&w, &repl.Record{Kind: repl.Full, Group: repl.Handle(i + k), Tick: 10})
			w.Bits(0b1000, 4) // as in action
			w.Bits(1, 3)
		}
		heads.End(&w)
		y.say(peer.Actions, w.Finish())
	}
	for arrived := 0; arrived < n; {
		y.step()
		now := count[components.Remote](y.c.world)
		require.LessOrEqual(t, now-arrived, limit+inAPacket)
		require.Greater(t, now-arrived, min(limit, n-arrived-1), "%v", y.c.Err())
		arrived = now
	}
}

// countedDialer dials layers that are structs with a slice: two of them can't be compared.
type countedDialer struct {
	over connection.Dialer
	ends []int // element 0: how often a layer has said that the frame ends
}

type countedLayer struct {
	connection.Client
	ends []int
}

func (d countedDialer) Dial(config connection.ClientConfig) (connection.Client, error) {
	inner, err := d.over.Dial(config)
	return countedLayer{inner, d.ends}, err
}

func (l countedLayer) Receive(now time.Time) (connection.Event, error) {
	e, err := l.Client.Receive(now)
	if errors.Is(err, connection.ErrEmpty) {
		l.ends[0]++
	}
	return e, err
}

// A layer of a game may be of any type that has the methods. A client asks it for no more events of a frame when it has
// said that there are none: a layer may have held back some, so that the frame ends.
//
// Proves: C19
func TestALayerEndsTheFrame(t *testing.T) {
	g := newGame(t)
	c := g.join(1)
	c.Disconnect()
	tok, err := plugin.MintToken(g.key, "plugin test", token.Claims{ClientID: 2, Servers: g.server.Addrs(), Now: g.now})
	require.NoError(t, err)
	dialer := countedDialer{netcode.Dialer{Over: g.network.Dialer(), Token: tok}, make([]int, 1)}
	require.NoError(t, c.ConnectWith(dialer))
	const frames = 20
	g.run(frames)
	require.Equal(t, plugin.Connected, c.State(), c.Err())
	assert.Equal(t, frames, dialer.ends[0])
	g.server.Disconnect(2, "out")
	g.run(frames)
	assert.ErrorContains(t, c.Err(), "out")
}
