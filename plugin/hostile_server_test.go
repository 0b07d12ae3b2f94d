package plugin_test

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
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
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// tyrant is a server that writes its payloads by hand, and its one client.
type tyrant struct {
	*game
	sess *session.Server
	conn transport.Conn
	addr netip.AddrPort
	id   uint16
	next [64]uint16
	buf  [2048]byte
	c    *player
	hash uint64               // protocol hash
	at   func() entangle.Tick // the tick of its messages
	read func(payload []byte) // reads what the client sends; it may be nil
}

// newTyrant connects an honest client to a server that implements only the session and the hello.
func newTyrant(t testing.TB) *tyrant { return newTyrantOf(t, testProtocol) }

func newTyrantOf(t testing.TB, protocolOf func() *protocol.Protocol, systems ...func(*plugin.Client)) *tyrant {
	y := &tyrant{game: newGame(t), hash: protocolOf().Hash(), at: func() entangle.Tick { return 1 }}
	l := y.network.Listener()
	conn, err := l.Listen()
	require.NoError(t, err)
	y.conn = conn
	y.sess, err = session.NewServer(session.ServerConfig{
		ProtocolID: protocol.ID("plugin test"), Key: y.key, Addresses: []netip.AddrPort{l.Addr()},
		MaxClients: 1, Entropy: rand.NewChaCha8([32]byte{1}), Start: y.now,
	})
	require.NoError(t, err)
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: protocolOf(), Clock: y.clock})
	require.NoError(t, err)
	for _, add := range systems {
		add(client)
	}
	w := ecs.NewWorld()
	client.Initialize(&w)
	y.c = &player{Client: client, world: &w}
	y.clients = append(y.clients, y.c)
	y.rejoin()
	return y
}

// rejoin connects the client and runs until it has received the hello.
func (y *tyrant) rejoin() {
	tok, err := plugin.MintToken(y.key, "plugin test", token.Claims{ClientID: 1, Servers: []netip.AddrPort{y.conn.LocalAddr()}, Now: y.now})
	require.NoError(y.t, err)
	require.NoError(y.t, y.c.Connect(y.network.Dialer(), tok))
	y.id, y.next = 0, [64]uint16{}
	for range 20 {
		y.step()
	}
	hello := binary.LittleEndian.AppendUint64([]byte{1}, y.hash)
	y.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 1))
	y.say(peer.FirstMessages, []byte{0, 0, 0}) // an empty chat: reading it proves that the hello arrived
	y.step()
}

// step runs one frame of the client and of the server's session.
func (y *tyrant) step() {
	y.run(1)
	for {
		n, from, err := y.conn.Receive(y.buf[:])
		if err != nil {
			break
		}
		y.addr = from
		if _, payload, ok := y.sess.HandleDatagram(session.Addr{AddrPort: from}, y.buf[:n], y.now); ok && y.read != nil {
			y.read(payload)
		}
		for _, ok := y.sess.PollEvent(); ok; _, ok = y.sess.PollEvent() {
		}
	}
	y.sess.Advance(y.now)
	for to, b, ok := y.sess.PollDatagram(); ok; to, b, ok = y.sess.PollDatagram() {
		_, _ = y.conn.Send([]transport.Datagram{{Addr: to.AddrPort, Data: b}})
	}
}

func (y *tyrant) send(payload []byte) {
	if b, err := y.sess.AppendPayload(nil, 0, payload, y.now); err == nil {
		_, _ = y.conn.Send([]transport.Datagram{{Addr: y.addr, Data: b}})
	}
}

func (y *tyrant) header(tick entangle.Tick) []byte {
	y.id++
	return packet.AppendHeader(nil, packet.Header{Kind: packet.Data, ID: y.id, Tick: tick})
}

// say sends one message of at most 500 bytes on a channel with ids in its frames.
func (y *tyrant) say(ch channel.ID, body []byte) {
	b := binary.LittleEndian.AppendUint16(append(y.header(y.at()), byte(ch)|0x80), y.next[ch])
	y.next[ch]++
	y.send(append(b, body...))
}

// act sends an action of a group of one entity, with the components in set: one bit each for flag,
// name and spot.
func (y *tyrant) act(kind repl.Kind, group repl.Handle, tick, base entangle.Tick, set uint64) {
	y.records(tick, action(kind, group, tick, base, set))
}

// action makes an action of a group of one entity.
func action(kind repl.Kind, group repl.Handle, tick, base entangle.Tick, set uint64) record {
	return record{repl.Record{Kind: kind, Group: group, Tick: tick, From: repl.From{Base: base}}, func(w *bits.Writer) {
		w.Bits(0b1000, 4) // no predicted entities, no references and leavers; a group of one
		if kind == repl.Change {
			w.Bool(false)
		}
		w.Bits(set, 3)
		if set&2 != 0 {
			writeWhole(w, uint64(group))
		}
		if set&4 != 0 {
			w.Bits(0, 64)
		}
	}}
}

// record is the head of an action, and a function that writes the rest of it, which is not called for the end of a group.
type record struct {
	repl.Record
	body func(w *bits.Writer)
}

// records sends a message with actions of single groups, by rising handle.
func (y *tyrant) records(tick entangle.Tick, rs ...record) {
	var w bits.Writer
	w.Bits(uint64(tick), 32)
	w.Bool(false)
	appendRecords(&w, tick, rs)
	y.say(peer.Actions, w.Finish())
}

// unitPart is a part of a unit.
type unitPart struct {
	repl.UnitHead
	records []record // by rising handle
	last    bool
}

// parts sends a message with parts of units.
func (y *tyrant) parts(tick entangle.Tick, ps ...unitPart) {
	var w bits.Writer
	w.Bits(uint64(tick), 32)
	w.Bool(true)
	for i := range ps {
		w.Bool(true)
		ps[i].Append(&w, tick)
		appendRecords(&w, tick, ps[i].records)
		w.Bool(ps[i].last)
	}
	w.Bool(false)
	y.say(peer.Actions, w.Finish())
}

func appendRecords(w *bits.Writer, tick entangle.Tick, rs []record) {
	heads := repl.Heads{Tick: tick}
	for i := range rs {
		heads.Append(w, &rs[i].Record)
		if rs[i].Kind == repl.Gone {
			w.Bool(false) // no leavers
		} else {
			rs[i].body(w)
		}
	}
	heads.End(w)
}

// update sends one update of the spot of a group of one entity.
func (y *tyrant) update(group repl.Handle, tick, base entangle.Tick) {
	var w bits.Writer
	run := repl.RunHeads{Tick: tick}
	run.Begin(&w, group, repl.From{Base: base})
	w.Bool(true) // a plain block
	repl.AppendCount(&w, 1, false)
	w.Bits(4, 3)
	w.Bits(0x3f800000, 64)
	run.End(&w)
	y.send(append(append(y.header(tick), byte(peer.Updates)|0x80), w.Finish()...))
}

// A server that refers to entities that never existed, spawns an entity twice, or despawns one that
// does not exist does a client no harm: invalid records have no effect.
//
// Proves: Z17
func TestAServerThatMakesNoSense(t *testing.T) {
	y := newTyrant(t)
	require.Equal(t, plugin.Connected, y.c.State())
	y.act(repl.Full, 0, 10, 0, 6)
	y.act(repl.Full, 0, 10, 0, 6) // the same full again
	y.act(repl.Full, 0, 20, 0, 6) // another generation, without a despawn of the first one
	y.act(repl.Gone, 5, 20, 0, 0) // never existed
	y.act(repl.Change, 6, 20, 10, 6)
	y.update(7, 30, 20)
	y.update(0, 30, 25) // from a baseline that the client does not have
	y.update(0, 31, 20)
	change := action(repl.Change, 0, 32, 31, 4)
	y.parts(32, unitPart{repl.UnitHead{Number: 1}, []record{change}, false})                                          // its second part never comes
	y.parts(32, unitPart{repl.UnitHead{Number: 2, Needs: []repl.Need{{Group: 9, Tick: 32}}}, []record{change}, true}) // never met
	y.parts(32, unitPart{repl.UnitHead{Number: 3}, []record{action(repl.Change, 6, 32, 20, 6)}, true})
	y.parts(33, unitPart{repl.UnitHead{Number: 4, Part: 1}, []record{action(repl.Full, 0, 33, 0, 6)}, true}, // the last part first
		unitPart{repl.UnitHead{Number: 4}, []record{action(repl.Full, 0, 33, 0, 6)}, false}) // the group twice
	y.parts(33, unitPart{repl.UnitHead{Number: 4}, nil, true}) // again, without a group
	y.step()
	assert.Equal(t, plugin.Connected, y.c.State(), y.c.Err())
	assert.Len(t, spots(y.c.world), 1)
	assert.Equal(t, 1, count[components.Remote](y.c.world))
	y.act(repl.Gone, 0, 40, 33, 0)
	y.act(repl.Gone, 0, 50, 40, 0)
	y.step()
	assert.Equal(t, plugin.Connected, y.c.State(), y.c.Err())
	assert.Zero(t, count[components.Remote](y.c.world))
}

// Data that no server writes ends the connection and despawns all entities of that connection.
//
// Proves: Z17
func TestWhatNoServerSendsEndsTheConnection(t *testing.T) {
	for name, attack := range map[string]func(y *tyrant){
		"an update of what is not there": func(y *tyrant) {
			y.act(repl.Full, 3, 20, 0, 2)
			y.update(3, 30, 20)
		},
		"noise for actions": func(y *tyrant) { y.say(peer.Actions, []byte{1, 2, 3, 4, 255, 255, 255, 255}) },
		"a part of a unit twice": func(y *tyrant) {
			y.parts(20, unitPart{}, unitPart{})
		},
		"a part behind the last one": func(y *tyrant) {
			y.parts(20, unitPart{UnitHead: repl.UnitHead{Part: 1}, last: true}, unitPart{UnitHead: repl.UnitHead{Part: 2}})
		},
		"a part of which there are too many": func(y *tyrant) {
			y.parts(20, unitPart{UnitHead: repl.UnitHead{Part: repl.MaxUnitParts}})
		},
		"noise for updates":         func(y *tyrant) { y.send(append(y.header(9), byte(peer.Updates)|0x80, 255, 255)) },
		"an unknown control kind":   func(y *tyrant) { y.say(peer.Control, []byte{5, 0, 0, 0, 0}) },
		"an answer nobody asked":    func(y *tyrant) { y.say(peer.Requests, make([]byte, 16)) },
		"an unknown message":        func(y *tyrant) { y.say(peer.FirstMessages, []byte{0xfe}) },
		"an unknown resource":       func(y *tyrant) { y.say(peer.Resources, []byte{0xfe}) },
		"half of a resource":        func(y *tyrant) { y.say(peer.Resources, []byte{0x10}) },
		"the end of no resource":    func(y *tyrant) { y.say(peer.Resources, []byte{0}) },
		"bytes after a message":     func(y *tyrant) { y.say(peer.Control, []byte{1, 0}) },
		"a frame on no channel":     func(y *tyrant) { y.send(append(y.header(9), 60|0x80, 0, 0, 1)) },
		"a goodbye that is no text": func(y *tyrant) { y.send(append(packet.AppendHeader(nil, packet.Header{Kind: packet.Goodbye}), 7)) },
	} {
		t.Run(name, func(t *testing.T) {
			y := newTyrant(t)
			y.act(repl.Full, 0, 10, 0, 6)
			y.step()
			require.Equal(t, plugin.Connected, y.c.State(), y.c.Err())
			require.Len(t, spots(y.c.world), 1)
			attack(y)
			y.step()
			assert.Equal(t, plugin.Disconnected, y.c.State())
			assert.ErrorContains(t, y.c.Err(), "the server broke the protocol")
			assert.ErrorIs(t, y.c.Err(), plugin.ErrProtocolBroken)
			assert.Zero(t, count[components.Remote](y.c.world))
		})
	}
}

// A server of which no unit ever applies, because a part is missing or a need is not met, makes a client keep no more than
// its limit.
//
// Proves: Z17
func TestAServerOfUnitsThatNeverApply(t *testing.T) {
	for name, head := range map[string]repl.UnitHead{
		"a part is missing": {Part: 1},
		"one is far ahead":  {Part: repl.MaxUnitParts - 1},
		"a need is not met": {Needs: []repl.Need{{Group: 3, Tick: 20}}},
	} {
		t.Run(name, func(t *testing.T) {
			y := newTyrant(t)
			before, sent := heap(), 0
			for ; y.c.State() == plugin.Connected && sent < 3000; sent++ {
				var ps []unitPart
				for range 20 {
					head.Number++
					ps = append(ps, unitPart{head, []record{action(repl.Full, 0, 20, 0, 6)}, true})
				}
				y.parts(20, ps...)
				y.step()
			}
			assert.ErrorIs(t, y.c.Err(), plugin.ErrOverLimit)
			assert.Zero(t, count[components.Remote](y.c.world))
			assert.Less(t, heap(), before+8<<20)
		})
	}
}

// A client receives noise and partly valid replication from one server after another. It does not
// panic, keeps no entity of an ended connection, and its memory does not grow.
//
// Proves: Z17
func TestAHostileServerIsSurvived(t *testing.T) {
	const seed = 3
	rng := rand.New(rand.NewPCG(seed, 4))
	t.Logf("seed %d; repeat with: go test ./plugin -run TestAHostileServerIsSurvived", seed)
	y := newTyrant(t)
	before := heap()
	for range 60 {
		for tick := entangle.Tick(10); tick < 60 && y.c.State() == plugin.Connected; tick++ {
			for range 5 {
				y.nonsense(rng, tick)
			}
			y.step()
		}
		y.c.Disconnect()
		require.Zero(t, count[components.Remote](y.c.world))
		for range 5 {
			y.step()
		}
		y.rejoin()
		require.Equal(t, plugin.Connected, y.c.State(), y.c.Err())
	}
	assert.Less(t, heap(), before+4<<20)
}

func (y *tyrant) nonsense(rng *rand.Rand, tick entangle.Tick) {
	group := repl.Handle(rng.IntN(4))
	base := tick - 1 - entangle.Tick(rng.IntN(3))
	act := func(group repl.Handle) record {
		return action(repl.Kind(rng.IntN(3)), group, tick, base, 4|rng.Uint64N(8))
	}
	switch rng.IntN(30) {
	case 0:
		noise := make([]byte, rng.IntN(400))
		for i := range noise {
			noise[i] = byte(rng.Uint32())
		}
		y.say(channel.ID(rng.IntN(10)), noise)
	case 1, 2, 3, 4, 5:
		y.update(group, tick, base)
	case 6, 7, 8, 9, 10, 11, 12, 13:
		p := unitPart{UnitHead: repl.UnitHead{Number: rng.Uint32N(2), Part: rng.Uint32N(3)}, last: rng.IntN(2) == 0}
		for g := group; g < 4; g += 1 + repl.Handle(rng.IntN(3)) {
			p.records = append(p.records, act(g))
		}
		if rng.IntN(4) == 0 {
			p.Needs = append(p.Needs, repl.Need{Group: repl.Handle(rng.IntN(6)), Tick: base})
		}
		y.parts(tick, p)
	default:
		y.records(tick, act(group))
	}
}
