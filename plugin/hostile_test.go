package plugin_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/session"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// intruder is a client with a valid token that writes its payloads by hand.
type intruder struct {
	g    *game
	sess *session.Client
	conn transport.Conn
	id   uint16     // id of the last packet
	next [64]uint16 // ids of messages, by channel
	buf  [2048]byte // the last received datagram
	out  []transport.Datagram
}

// infiltrate connects an intruder at the session level.
func (g *game) infiltrate(id entangle.ClientID) *intruder {
	g.t.Helper()
	tok, err := plugin.MintToken(g.key, "plugin test", token.Claims{ClientID: id, Servers: g.server.Addrs(), Now: g.now})
	require.NoError(g.t, err)
	conn, err := g.network.Dialer().Dial(g.server.Addrs()[0])
	require.NoError(g.t, err)
	i := &intruder{g: g, sess: session.NewClient(session.ClientConfig{Token: tok}), conn: conn}
	require.NoError(g.t, i.sess.Connect(g.now))
	for range 10 {
		i.step()
		g.run(1)
	}
	require.Equal(g.t, session.StateConnected, i.sess.State())
	return i
}

// enter sends the hello of an honest client of the same protocol.
func (g *game) enter(id entangle.ClientID) *intruder {
	g.t.Helper()
	i := g.infiltrate(id)
	hello := binary.LittleEndian.AppendUint64([]byte{1}, testProtocol().Hash())
	i.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
	i.say(peer.FirstMessages, chatBody(0, nil, 0))
	g.run(2)
	require.True(g.t, g.here(id))
	return i
}

func (g *game) here(id entangle.ClientID) bool {
	for _, c := range g.server.Clients() {
		if c.ID == id {
			return true
		}
	}
	return false
}

// step reads the packets that have arrived and sends the packets of the session.
func (i *intruder) step() {
	for {
		n, _, err := i.conn.Receive(i.buf[:])
		if err != nil {
			break
		}
		i.sess.HandleDatagram(i.buf[:n], i.g.now)
	}
	i.sess.Advance(i.g.now)
	for to, b, ok := i.sess.PollDatagram(); ok; to, b, ok = i.sess.PollDatagram() {
		i.out = append(i.out[:0], transport.Datagram{Addr: to, Data: b})
		_, _ = i.conn.Send(i.out)
	}
}

// send seals a payload and sends it.
func (i *intruder) send(payload []byte) {
	b, err := i.sess.AppendPayload(nil, payload, i.g.now)
	if err == nil {
		_, _ = i.conn.Send([]transport.Datagram{{Addr: i.sess.Server(), Data: b}})
	}
}

func (i *intruder) header() []byte {
	i.id++
	return packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: i.id, Tick: 1})
}

// say sends messages on a channel with ids in its frames, as many per packet as fit.
func (i *intruder) say(ch channel.ID, bodies ...[]byte) {
	b := i.header()
	for _, body := range bodies {
		if len(b)+len(body)+5 > entangle.MaxPayload {
			i.send(b)
			b = i.header()
		}
		b = binary.LittleEndian.AppendUint16(append(b, byte(ch)), i.next[ch])
		i.next[ch]++
		b = append(b, byte(len(body))|0x80*byte(min(len(body)>>7, 1)))
		if len(body) >= 0x80 {
			b = append(b, byte(len(body)>>7))
		}
		b = append(b, body...)
	}
	i.send(b)
}

// chatBody encodes a chat message to an audience. Its reference table has refs references to an
// entity that the server never had.
func chatBody(ids int, except []entangle.ClientID, refs int) []byte {
	var w bits.Writer
	w.Uvarint(0) // chat is the first message
	w.Bool(except != nil)
	w.Uvarint(uint64(ids))
	for id := range ids {
		w.Bits(uint64(id)+1000, 64)
	}
	w.Uvarint(uint64(refs))
	for range refs {
		w.Bool(true)
		repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: 77}, Yours: true})
	}
	w.Uvarint(2)
	w.Raw([]byte("hi"))
	w.Uvarint(uint64(min(refs, 1)))
	return w.Finish()
}

func repeat(n int, body []byte) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = body
	}
	return all
}

// broken returns the number of clients that the server has disconnected for breaking the protocol.
func (g *game) broken() (n uint64) {
	for _, d := range g.server.Stats().Dropped {
		if d.Reason == "client broke the protocol" {
			n += d.Count
		}
	}
	return n
}

// heap returns the heap size of the process after a collection.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Clients with valid tokens send arbitrary data: noise, and the packets of honest clients with
// flipped bits. The server keeps its honest clients, and their worlds stay up to date. It
// disconnects clients that break the protocol and counts them. Its memory does not grow.
//
// Proves: Z6, C13
func TestHostileClientsHarmNobody(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 2))
	t.Logf("seed %d; repeat with: go test ./plugin -run TestHostileClientsHarmNobody", seed)
	p := newParty(t)
	moving := p.spawn(spot{}, name{1})
	before := heap()
	for round := range 60 {
		i := p.infiltrate(100)
		honest := round%3 > 0
		if honest {
			i.say(peer.Control, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64([]byte{1}, testProtocol().Hash()), 0))
		}
		for range 40 {
			i.send(i.nonsense(rng, honest))
			at[spot](p.world, moving).X++
			p.run(1)
			i.step()
		}
		_ = i.conn.Close()
		p.server.Disconnect(100, "next, please")
	}
	require.NoError(t, p.guests[0].send.Send(components.Everyone, chat{Text: "still here"}))
	p.run(10)
	for n, c := range p.clients {
		assert.Equal(t, plugin.Connected, c.State())
		assert.Equal(t, spots(p.world), spots(c.world))
		assert.Contains(t, p.guests[n].texts(), "still here")
	}
	assert.Greater(t, p.broken(), uint64(30))
	assert.Less(t, heap(), before+4<<20)
}

// nonsense returns a payload of noise, of noise behind a valid header, or of an honest client's
// frames with noise in them.
func (i *intruder) nonsense(rng *rand.Rand, honest bool) []byte {
	b := make([]byte, 1+rng.IntN(entangle.MaxPayload-200))
	for at := range b {
		b[at] = byte(rng.Uint32())
	}
	if !honest {
		return b
	}
	out := i.header()
	switch rng.IntN(3) {
	case 0:
		return append(out, b...)
	case 1:
		ch := byte(rng.IntN(11))
		out = binary.LittleEndian.AppendUint16(append(out, ch|0x80), i.next[ch])
		i.next[ch]++
		return append(out, b[:min(len(b), 500)]...)
	default:
		body := chatBody(rng.IntN(5), nil, rng.IntN(5))
		body[rng.IntN(len(body))] ^= 1 << rng.IntN(8)
		out = binary.LittleEndian.AppendUint16(append(out, byte(peer.FirstMessages)|0x80), i.next[peer.FirstMessages])
		i.next[peer.FirstMessages]++
		return append(out, body...)
	}
}

// No honest client sends any of these messages. Their sender is disconnected, and nobody else is
// affected.
func TestWhatNoClientSendsEndsTheConnection(t *testing.T) {
	request := func(number uint64) []byte {
		var w bits.Writer
		w.Uvarint(number)
		w.Bits(1, 32)
		w.Bits(0, 8) // two numbers
		return w.Finish()
	}
	var bomb bits.Writer
	bomb.Uvarint(0)
	bomb.Bool(true)
	bomb.Uvarint(1 << 60)
	var refs bits.Writer
	refs.Uvarint(0)
	refs.Bool(false)
	refs.Uvarint(0)
	refs.Uvarint(4096)
	for name, attack := range map[string]func(i *intruder){
		"an audience of more than 64": func(i *intruder) { i.say(peer.FirstMessages, chatBody(65, nil, 0)) },
		"an audience without end":     func(i *intruder) { i.say(peer.FirstMessages, bomb.Finish()) },
		"a table without entries":     func(i *intruder) { i.say(peer.FirstMessages, refs.Finish()) },
		"an unknown message":          func(i *intruder) { i.say(peer.FirstMessages, []byte{0xfe}) },
		"a message on another's channel": func(i *intruder) {
			i.say(peer.FirstMessages+1, chatBody(0, nil, 0))
		},
		"an unknown request":       func(i *intruder) { i.say(peer.Requests, request(5)) },
		"a resource":               func(i *intruder) { i.say(peer.Resources, []byte{0, 0}) },
		"replication":              func(i *intruder) { i.say(peer.Actions, []byte{0, 0, 0, 0, 0}) },
		"a group that can't exist": func(i *intruder) { i.say(peer.Control, []byte{3, 0, 0, 0, 255}) },
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t)
			c := g.join(1)
			g.spawn(spot{1, 2}, name2(7))
			i := g.enter(100)
			attack(i)
			g.run(3)
			assert.False(t, g.here(100))
			assert.EqualValues(t, 1, g.broken())
			assert.Equal(t, plugin.Connected, c.State())
			assert.Equal(t, spots(g.world), spots(c.world))
		})
	}
}

func name2(id uint32) name { return name{ID: id} }

// The server answers as many requests as an honest client can have in flight, including requests
// without a handler.
func TestRequestsThatNobodyHandlesAreAnswered(t *testing.T) {
	g := newGame(t)
	i := g.enter(100)
	var w bits.Writer
	w.Uvarint(0)
	w.Bits(1, 32)
	w.Bits(0, 8) // two numbers
	for range 3 {
		i.say(peer.Requests, repeat(256, w.Finish())...)
		g.run(1)
	}
	assert.True(t, g.here(100))
	assert.EqualValues(t, 3*256, g.server.Stats().Messages.Sent)
}

// If one client floods all others with relayed messages, the others get only as many as their
// queues allow: they stay connected and still receive each other's messages.
//
// Proves: Z10
func TestAFloodOfRelaysLeavesTheOthersConnected(t *testing.T) {
	p := newParty(t)
	var loud []*intruder
	for id := entangle.ClientID(100); id < 104; id++ {
		loud = append(loud, p.enter(id))
	}
	before := heap()
	for range 100 {
		for _, i := range loud {
			i.say(peer.FirstMessages, repeat(500, chatBody(0, []entangle.ClientID{}, 0))...)
		}
		p.run(1)
	}
	require.NoError(t, p.guests[0].send.SendTo(2, chat{Text: "quiet"}))
	p.run(30)
	assert.Contains(t, p.guests[1].texts(), "quiet")
	for _, c := range p.clients {
		assert.Equal(t, plugin.Connected, c.State())
	}
	assert.NotZero(t, p.server.Stats().Messages.Refused)
	assert.Less(t, heap(), before+32<<20)
}

// A client that reads slowly is not disconnected because of messages from other clients, which are
// dropped and counted. The server's own messages do count towards its limit.
func TestWhatOthersSayDoesNotFillAClientsQueue(t *testing.T) {
	p := newParty(t)
	deaf := p.enter(100)
	long := chat{Text: strings.Repeat("x", 900)}
	for range 400 {
		for range 4 {
			require.NoError(t, p.guests[0].send.SendTo(100, long))
		}
		p.run(1)
		deaf.step()
	}
	assert.NotZero(t, p.server.Stats().Messages.Refused)
	require.True(t, p.here(100))
	for range 1200 { // more than a queue holds
		require.NoError(t, p.ears.send.SendTo(100, long))
	}
	p.run(1)
	assert.False(t, p.here(100))
}

// A message about an entity that the server never had, or that has despawned, is not held back,
// because that entity will not arrive. The messages sent after it are not held back either.
func TestMessagesAboutWhatIsGoneAreNotHeldBack(t *testing.T) {
	p := newParty(t)
	i := p.enter(100)
	before := len(p.ears.heard)
	i.say(peer.FirstMessages, chatBody(0, nil, 1), chatBody(0, nil, 0))
	p.run(1)
	require.Len(t, p.ears.heard, before+2)
	assert.True(t, p.ears.heard[before].Message.Who.IsZero())
	assert.Zero(t, p.server.Stats().Messages.Waited)
	assert.EqualValues(t, 1, p.server.Stats().Messages.Dangling)
}

// A client sends the handle of an entity that it was never given. It resolves to no entity, and
// nothing else happens.
//
// Proves: Z6
func TestANameThatNobodyGaveIsNoEntity(t *testing.T) {
	p := newParty(t)
	p.spawnFor(p.targets.Only(1), name{1})
	i := p.enter(100)
	before := len(p.ears.heard)
	for _, h := range []repl.Handle{repl.Private, repl.Private + 7, 2*repl.Private - 1} {
		i.say(peer.FirstMessages, chatAbout(h, 0))
	}
	p.run(2)
	require.True(t, p.here(100))
	require.Len(t, p.ears.heard, before+3)
	for _, m := range p.ears.heard[before:] {
		assert.True(t, m.Message.Who.IsZero())
	}
}

// A client that guesses network ids gets the same result in all cases: the id was never used, its
// entity is invisible to the client, or its entity has despawned. The message arrives without an
// entity.
//
// Proves: Z14
func TestGuessesAreAnsweredAlike(t *testing.T) {
	p := newParty(t)
	hidden, gone := p.spawn(spot{}, name{2}), p.spawn(spot{}, name{3})
	p.run(2)
	at[components.Replicate](p.world, hidden).Target = p.targets.Only(1) // both clients could have its network id
	p.world.RemoveEntity(gone)
	never := p.spawnFor(p.targets.Only(1), name{4})
	p.run(2)
	i := p.enter(100)
	p.run(10)
	require.True(t, p.world.Alive(hidden) && p.world.Alive(never))
	before := len(p.ears.heard)
	generations := []repl.Generation{0, 1, 42, repl.MaxGeneration}
	for h := range repl.Handle(4) {
		for _, generation := range generations {
			i.say(peer.FirstMessages, chatAbout(h, generation), chatAbout(repl.Private+h, generation), chatAbout(1000+h, generation))
		}
	}
	p.run(2)
	require.Len(t, p.ears.heard, before+12*len(generations))
	for _, m := range p.ears.heard[before:] {
		assert.True(t, m.Message.Who != hidden && m.Message.Who != never && m.Message.Who != gone)
	}
}

// chatAbout encodes a chat about one entity of the server.
func chatAbout(h repl.Handle, generation repl.Generation) []byte {
	var w bits.Writer
	w.Uvarint(0)
	w.Bool(false)
	w.Uvarint(0)
	w.Uvarint(1)
	w.Bool(true)
	repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: h, Generation: generation}, Yours: true})
	w.Uvarint(0)
	w.Uvarint(1)
	return w.Finish()
}

// receive returns the packets that have arrived.
func (i *intruder) receive() (payloads [][]byte) {
	for {
		n, _, err := i.conn.Receive(i.buf[:])
		if err != nil {
			return payloads
		}
		if payload, ok := i.sess.HandleDatagram(i.buf[:n], i.g.now); ok {
			payloads = append(payloads, slices.Clone(payload))
		}
	}
}

// acknowledge tells the server that all its packets arrived, after reading their ids.
func (i *intruder) acknowledge() {
	h := packet.Header{Kind: packet.AckOnly, Tick: 1}
	for _, payload := range i.receive() {
		if got, _, err := packet.ParseHeader(payload); err == nil && got.Kind == packet.Data {
			h.Ack, h.AckBits = got.ID, 1<<32-1
			if got.ID < 33 {
				h.AckBits = 1<<got.ID - 1
			}
			i.send(packet.AppendHeader(nil, h))
		}
	}
}

// A game may disconnect clients and stop the server while it answers a request.
func TestAnAnswerMayDisconnectAndStop(t *testing.T) {
	for _, stop := range []bool{false, true} {
		t.Run(fmt.Sprintf("stop=%v", stop), func(t *testing.T) {
			var ask plugin.Requester[sum, total]
			var server *plugin.Server
			g := newGame(t, func(s *plugin.Server) {
				server = s
				s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
					plugin.HandleRequest(w, func(entangle.ClientID, sum) (total, error) {
						if stop {
							return total{}, server.Stop()
						}
						for id := entangle.ClientID(1); id <= 3; id++ {
							server.Disconnect(id, "all of you")
						}
						return total{}, nil
					})
					return nil
				}))
			})
			g.join(1)
			g.join(2, func(c *plugin.Client) {
				c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
					ask = plugin.NewRequester[sum, total](w)
					return nil
				}))
			})
			g.join(3)
			g.run(30)
			for range 3 {
				_, err := ask.Request(sum{})
				require.NoError(t, err)
			}
			g.run(5)
			assert.Empty(t, g.server.Clients())
			assert.NoError(t, g.server.Err())
			assert.Equal(t, stop, g.server.State() == plugin.Stopped)
			for _, c := range g.clients {
				assert.Equal(t, plugin.Disconnected, c.State())
			}
			assert.Zero(t, g.broken())
		})
	}
}

// Messages sent without a connection are never delivered, not even after a later connect.
func TestMessagesWithoutAConnectionGoNowhere(t *testing.T) {
	p := newParty(t)
	guest := p.clients[0]
	require.NoError(t, p.guests[0].send.Send(components.Server, chat{Text: "in the frame in which it leaves"}))
	guest.Disconnect()
	p.run(2)
	p.connect(guest, 1)
	p.run(30)
	require.NoError(t, p.guests[0].send.Send(components.Server, chat{Text: "now"}))
	p.run(5)
	assert.Equal(t, []string{"now"}, p.ears.texts())

	require.NoError(t, p.server.Stop())
	for range 200 {
		for range 200 {
			require.NoError(t, p.ears.send.Send(components.Everyone, chat{Text: strings.Repeat("empty room ", 50)}))
		}
		p.run(1)
	}
	require.NoError(t, p.server.Start(p.place))
	p.now = p.now.Add(2e9)
	p.connect(guest, 1)
	p.run(30)
	assert.Empty(t, p.guests[0].texts())
}

// A game that removes a replicated entity from its own world gets nothing more about it except its
// despawn.
func TestAClientMayRemoveWhatTheServerSent(t *testing.T) {
	g := newGame(t)
	var o watcher
	c := g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.FixedMain, o.system()) })
	e := g.spawn(spot{1, 2}, name{7})
	g.run(30)
	require.Equal(t, []string{"spawned whole"}, o.take())
	var mine ecs.Entity
	query := c.world.Query(ecs.All(ecs.ComponentID[components.Remote](c.world)))
	for query.Next() {
		mine = query.Entity()
	}
	c.world.RemoveEntity(mine)
	at[spot](g.world, e).X++
	g.run(5)
	assert.Empty(t, o.take())
	g.world.RemoveEntity(e)
	g.run(5)
	assert.Equal(t, []string{"despawned"}, o.take())
}
