package plugin_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// costly is a kind of packet that a client floods with.
type costly struct {
	packets int // packets in each tick
	// frame returns one frame. As many frames as fit are appended to a packet.
	frame func(i *intruder) []byte
	one   bool // a packet gets only one frame
	// ordered is true if a dropped packet leaves a gap in a reliable channel, which ends the
	// connection as well.
	ordered bool
}

const rests = byte(peer.FirstMessages + 4)

// costlyPackets are all kinds of work that a connected client can cause on the server.
func costlyPackets() map[string]costly {
	frame := func(ch byte, id uint16, body []byte) []byte {
		b := append(binary.LittleEndian.AppendUint16([]byte{ch}, id), byte(len(body))|0x80*byte(min(len(body)>>7, 1)))
		if len(body) >= 0x80 {
			b = append(b, byte(len(body)>>7))
		}
		return append(b, body...)
	}
	next := func(i *intruder, ch byte, body []byte) []byte {
		i.next[ch]++
		return frame(ch, i.next[ch]-1, body)
	}
	var request bits.Writer
	request.Uvarint(0)
	request.Bits(1, 32)
	request.Bits(0, 8) // two small numbers
	question := request.Finish()
	var message bits.Writer
	message.Uvarint(1)
	message.Bits(0, 16)
	steered := message.Finish()
	return map[string]costly{
		"packets without frames": {packets: 80, frame: func(*intruder) []byte { return nil }, one: true},
		"pings":                  {packets: 80, frame: func(*intruder) []byte { return []byte{byte(peer.Clock), 1, 7} }, one: true},
		"messages that came": {packets: 30, frame: func(*intruder) []byte {
			return frame(byte(peer.FirstMessages), 0, []byte{0})
		}},
		"messages": {packets: 12, frame: func(i *intruder) []byte {
			return next(i, byte(peer.FirstMessages+3), steered)
		}},
		"fragments": {packets: 30, frame: func(i *intruder) []byte {
			i.next[rests]++
			b := binary.LittleEndian.AppendUint16([]byte{rests | 0x40}, i.next[rests])
			return append(b, 60, 60, 1, 0)
		}},
		"unknown references": {packets: 30, ordered: true, frame: func(i *intruder) []byte {
			return next(i, byte(peer.FirstMessages), chatBody(0, nil, 1))
		}},
		"requests": {packets: 5, ordered: true, frame: func(i *intruder) []byte {
			return next(i, byte(peer.Requests), question)
		}},
	}
}

// hit sends one packet of a kind.
func (i *intruder) hit(c *costly) {
	b := i.header()
	for n := 0; n == 0 || !c.one; n++ {
		f := c.frame(i)
		if len(b)+len(f) > entangle.MaxPayload {
			break // the last frame is not sent, so that there is a gap at most
		}
		b = append(b, f...)
	}
	i.send(b)
}

// flooded is a game with an honest client and a client that may flood. The data that the honest one
// receives is recorded in every tick.
type flooded struct {
	*game
	honest  *player
	flooder *intruder
	moving  ecs.Entity
	ended   []error // the errors of disconnects
	heard   []any
}

func newFlooded(t testing.TB, adjust ...func(*plugin.ServerConfig)) *flooded {
	s := &flooded{}
	s.game = newGameWith(t, func(c *plugin.ServerConfig) {
		for _, f := range adjust {
			f(c)
		}
	}, func(server *plugin.Server) {
		server.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			left := plugin.NewReader[plugin.ClientDisconnected](w)
			plugin.HandleRequest(w, func(entangle.ClientID, sum) (total, error) { return total{}, nil })
			return func() {
				for _, e := range left.Read() {
					s.ended = append(s.ended, e.Err)
				}
			}
		}))
	})
	s.honest = s.join(1)
	s.moving = s.spawn(spot{}, name{1})
	s.run(60)
	s.flooder = s.enter(100)
	return s
}

// frames runs some ticks, each after an attack.
func (s *flooded) frames(n int, attack func()) {
	for range n {
		if attack != nil && s.here(100) {
			attack()
		}
		at[spot](s.world, s.moving).X++
		s.run(1)
		s.flooder.step()
		stats := s.honest.Stats()
		s.heard = append(s.heard, [3]any{stats.PacketsIn, stats.BytesIn, spots(s.honest.world)[1]})
	}
}

func (s *flooded) dropped(reason string) uint64 { return droppedBy(s.server, reason) }

func droppedBy(s *plugin.Server, reason string) (n uint64) {
	for _, d := range s.Stats().Dropped {
		if d.Reason == reason {
			n += d.Count
		}
	}
	return n
}

// A client floods with packets of each kind. The server processes only as many as one client's
// quota allows, drops and counts the rest, and disconnects the client. In every tick the other
// clients receive the same data as without the flood.
//
// Proves: Z21
func TestAClientThatCostsTooMuchIsDroppedAndDisconnected(t *testing.T) {
	const ticks = 8 * 60
	calm := newFlooded(t)
	before := calm.server.Stats().Work
	calm.frames(ticks, nil)
	others := calm.server.Stats().Work - before
	for name, c := range costlyPackets() {
		t.Run(name, func(t *testing.T) {
			s := newFlooded(t)
			before, begun := s.server.Stats().Work, s.now
			lived := 0
			s.frames(ticks, func() {
				lived++
				for range c.packets {
					s.flooder.hit(&c)
				}
				work := float64(s.server.Stats().Work - before - min(others, s.server.Stats().Work-before))
				seconds := s.now.Sub(begun).Seconds() + 0.75
				require.LessOrEqual(t, work, seconds*plugin.LeastDefaultWork+2000)
			})
			assert.False(t, s.here(100))
			assert.Equal(t, calm.heard, s.heard)
			assert.Equal(t, plugin.Connected, s.honest.State())
			if c.ordered && s.broken() > 0 {
				return
			}
			assert.Equal(t, []error{plugin.ErrOverQuota}, s.ended)
			assert.Greater(t, lived, 5*60, "not for a burst")
			assert.EqualValues(t, 1, s.dropped("client that costs too much"))
			assert.Greater(t, s.dropped("packet of a client that sends too much"), uint64(1000))
			assert.Zero(t, s.broken())
		})
	}
}

// A packet of any kind causes at most 32 times the work of an honest client's packets.
//
// Proves: Z21
func TestNoPacketCostsMuchMoreThanAnother(t *testing.T) {
	s := newFlooded(t)
	var works []uint64 // the work of each tick in which a packet arrived
	for range 600 {
		before := s.server.Stats().Work
		s.frames(1, nil)
		if work := s.server.Stats().Work - before; work > 0 {
			works = append(works, work)
		}
	}
	slices.Sort(works)
	usual := works[len(works)/2]
	require.Greater(t, len(works), 100)
	for name, c := range costlyPackets() {
		s := newFlooded(t)
		s.frames(60, nil)
		most := uint64(0)
		for range 30 {
			before := s.server.Stats().Work
			s.frames(1, func() { s.flooder.hit(&c) })
			most = max(most, s.server.Stats().Work-before)
		}
		t.Logf("%s: %d units, usually %d", name, most-usual, usual)
		assert.GreaterOrEqual(t, most, 25+usual, name)
		assert.LessOrEqual(t, most, 32*usual+usual, name) // plus the work of the honest client, which also sent packets
	}
}

// A packet has at most one frame of the clock and one of inputs, as every honest client writes it.
//
// Proves: Z21
func TestTwoPingsInAPacketEndTheConnection(t *testing.T) {
	s := newFlooded(t)
	c := costlyPackets()["pings"]
	s.frames(1, func() { s.flooder.hit(&c) })
	require.True(t, s.here(100))
	c.one = false
	s.frames(1, func() { s.flooder.hit(&c) })
	assert.False(t, s.here(100))
	assert.EqualValues(t, 1, s.broken())
}

// A client pays for each recipient of its relayed messages, and for their bytes. A relay beyond its
// quota is refused and counted; its other messages still arrive, and no other client is harmed.
//
// Proves: Z21
func TestRelaysAreChargedByTheirRecipients(t *testing.T) {
	const clients, burst, frames = 13, 1000, 2 * 40
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = clients })
	for id := range entangle.ClientID(clients - 1) {
		g.join(id + 1)
	}
	g.run(30)
	i := g.enter(100)
	g.run(60)
	begun, copies := g.server.Stats(), uint64(0)
	said := uint64(0)
	for n := range frames {
		before := g.server.Stats()
		if n%40 == 0 {
			i.say(peer.FirstMessages, repeat(burst, chatBody(0, []entangle.ClientID{}, 0))...)
			said += burst
		}
		g.run(1)
		i.step()
		after := g.server.Stats()
		made := clients * (after.Messages.Relayed - before.Messages.Relayed)
		assert.LessOrEqual(t, 4*made, uint64(plugin.LeastDefaultWork*3/8+plugin.LeastDefaultWork/60), "in one frame, of what was saved up")
		assert.GreaterOrEqual(t, after.Work-before.Work, 4*made)
		copies += made
	}
	assert.NotZero(t, copies)
	assert.LessOrEqual(t, 4*copies, uint64(plugin.LeastDefaultWork*3/4+plugin.LeastDefaultWork*frames/60))
	messages := g.server.Stats().Messages
	assert.Equal(t, said, copies/clients+messages.Refused-begun.Messages.Refused, "what is beyond is counted")
	assert.True(t, g.here(100))
	assert.Zero(t, droppedBy(g.server, "packet of a client that sends too much"))
	for _, c := range g.clients {
		assert.Equal(t, plugin.Connected, c.State())
	}
}

// A quota set by the game applies, and a negative one means no bound.
//
// Proves: Z21
func TestTheBudgetIsTheGames(t *testing.T) {
	flood := func(seconds int, adjust func(*plugin.ServerConfig)) *flooded {
		s := newFlooded(t, adjust)
		c := costlyPackets()["packets without frames"]
		s.frames(seconds*60, func() {
			for range c.packets {
				s.flooder.hit(&c)
			}
		})
		return s
	}
	s := flood(10, func(c *plugin.ServerConfig) { c.MaxWorkPerClient = -1 })
	assert.True(t, s.here(100))
	assert.Zero(t, s.dropped("packet of a client that sends too much"))
	s = flood(10, func(c *plugin.ServerConfig) { c.MaxWorkPerClient = 80*60*25 + 1000 })
	assert.True(t, s.here(100))
	assert.Zero(t, s.dropped("packet of a client that sends too much"))
	s = flood(10, func(c *plugin.ServerConfig) { c.MaxWorkPerClient = 20_000 })
	assert.False(t, s.here(100))
}

// A stall does not harm an honest client: the server stalls for 4.5 s, or the client's packets are
// held back for as long and arrive at once, while the client sends inputs, messages and requests.
//
// Proves: Z21
func TestAStallHarmsNoHonestClient(t *testing.T) {
	p := newParty(t)
	spawned := p.spawn(spot{}, name{1})
	text := strings.Repeat("x", 100)
	for round := range 12 {
		still := p.now.Add(4500 * time.Millisecond)
		for p.now.Before(still) {
			p.now = p.now.Add(time.Second / 60)
			for n, c := range p.clients {
				if round%3 != n { // one of the clients stalls as well
					require.NoError(t, p.guests[n].send.Send(components.Server, chat{Text: text}))
					c.Step(p.now)
				}
			}
		}
		at[spot](p.world, spawned).X++
		p.run(120)
	}
	for _, d := range p.server.Stats().Dropped {
		assert.NotContains(t, d.Reason, "too much", d.Count)
	}
	for _, c := range p.clients {
		assert.Equal(t, plugin.Connected, c.State(), c.Err())
	}
	assert.Greater(t, len(p.ears.heard), 12*2*200)
}

// Many clients that have saved as much of their quotas as possible can use it in one frame.
// Together they get no more than the savings of two clients, and the honest client's packets are
// also read in that frame.
//
// Proves: Z21
func TestSavingsOfManyClientsAreBoundedWithinAFrame(t *testing.T) {
	const many, saved, share = 16, plugin.LeastDefaultWork * 3 / 4, plugin.LeastDefaultWork / 60
	for name, c := range costlyPackets() {
		if c.ordered {
			continue // the first dropped packet ends their connections
		}
		t.Run(name, func(t *testing.T) {
			server, guest := &ears{}, &ears{}
			g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = 40 },
				func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
			honest := g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, guest.system()) })
			g.run(30)
			var all []*intruder
			for id := range entangle.ClientID(many) {
				all = append(all, g.enter(100+id))
			}
			for range 120 {
				g.run(1)
				for _, i := range all {
					i.step()
				}
			}
			before, heard := g.server.Stats(), len(server.heard)
			require.NoError(t, guest.send.Send(components.Server, chat{Text: "here"}))
			for _, i := range all {
				for range 240 { // the capacity of the memory network
					i.hit(&c)
				}
			}
			honest.Step(g.now) // the last to send
			g.run(1)
			after := g.server.Stats()
			const last = 500 // the last packet of each client may exceed the quota
			assert.LessOrEqual(t, after.Work-before.Work, uint64(2*saved+(many+1)*(share+last)))
			assert.Len(t, server.heard, heard+1, "the honest one")
			if name != "packets without frames" && name != "pings" {
				assert.Greater(t, droppedBy(g.server, "packet of a client that sends too much"), uint64(many*100))
			}
			for id := range entangle.ClientID(many) {
				assert.True(t, g.here(100+id))
			}
		})
	}
}

// A client that floods for a second and then pauses for longer may continue for a while, but not
// forever.
//
// Proves: Z21
func TestAFloodWithPausesIsDisconnected(t *testing.T) {
	c := costlyPackets()["fragments"]
	s := newFlooded(t)
	lived := 0
	s.frames(60*60, func() {
		if lived++; lived%150 < 60 {
			for range c.packets {
				s.flooder.hit(&c)
			}
		}
	})
	assert.False(t, s.here(100))
	assert.EqualValues(t, 1, s.dropped("client that costs too much"))
	assert.Greater(t, lived, 10*60)
}

type swarm struct {
	Who []ecs.Entity `net:"max=4000"`
}

// newGap is a game with an intruder on whose ordered channel n swarms wait for the message before
// them. heard receives the number of entities of each swarm that is read.
func newGap(t *testing.T, n int, known bool, heard *[]int) (*game, *intruder) {
	p := func() *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "plugin test"})
		protocol.Component[spot](p)
		protocol.Component[name](p)
		protocol.Message[swarm](p)
		return p
	}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = p() }, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			r := plugin.NewReader[plugin.MessageReceived[swarm]](w)
			return func() {
				for _, m := range r.Read() {
					*heard = append(*heard, len(m.Message.Who))
				}
			}
		}))
	})
	for id := range uint32(200) {
		g.spawn(spot{}, name{id})
	}
	i := g.infiltrate(100)
	hello := binary.LittleEndian.AppendUint64([]byte{1}, p().Hash())
	i.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
	g.run(2)
	for range 60 {
		i.acknowledge()
		g.run(1)
	}
	i.next[peer.FirstMessages] = 1 // message 0 is sent last
	for k := range n {
		i.say(peer.FirstMessages, swarmBody((k+1)%30, known))
		if k%20 == 0 {
			g.run(1)
		}
	}
	return g, i
}

// swarmBody is a swarm without entities, whose reference table has thousands of unknown entities,
// or hundreds that may be known.
func swarmBody(values int, known bool) []byte {
	refs := 4000
	if known {
		refs = 400
	}
	var w bits.Writer
	w.Uvarint(0)
	w.Uvarint(uint64(refs))
	for n := range refs {
		w.Bool(known)
		if known {
			repl.AppendRef(&w, repl.Ref{ID: repl.ID{Group: repl.Handle(n % 8)}, Yours: true})
		}
	}
	w.Uvarint(uint64(values))
	for range values {
		w.Uvarint(0)
	}
	return w.Finish()
}

// One packet closes the gap of an ordered channel behind which the maximum number of messages wait,
// each with hundreds of entities. Each is read once, in order, over as many frames as the client's
// quota requires.
//
// Proves: Z21
func TestAGapThatCloses(t *testing.T) {
	for _, known := range []bool{false, true} {
		const held = 210
		var heard []int
		g, i := newGap(t, held, known, &heard)
		g.run(120)
		require.Empty(t, heard)
		i.next[peer.FirstMessages] = 0
		i.say(peer.FirstMessages, swarmBody(0, known))
		most, frames := uint64(0), 0
		for ; len(heard) <= held; frames++ {
			require.Less(t, frames, 600)
			before := g.server.Stats().Work
			g.run(1)
			i.acknowledge()
			most = max(most, g.server.Stats().Work-before)
		}
		for n, values := range heard {
			require.Equal(t, n%30, values, "message %d", n)
		}
		assert.LessOrEqual(t, most, uint64(plugin.LeastDefaultWork*3/4+plugin.LeastDefaultWork/60+500))
		assert.True(t, g.here(100))
		t.Logf("known %v: at most %d units in a frame, all in %d frames", known, most, frames)
	}
}

// A waiting message that no honest client sends ends the connection in the frame in which it is
// read, like any other invalid message.
//
// Proves: Z7, Z21
func TestWhatWaitedForAQuotaEndsTheConnectionToo(t *testing.T) {
	const held = 150
	var heard []int
	g, i := newGap(t, held, true, &heard)
	i.say(peer.FirstMessages, []byte{0xfe}) // no such type
	g.run(120)
	i.next[peer.FirstMessages] = 0
	i.say(peer.FirstMessages, swarmBody(0, true))
	g.run(1)
	require.NotEmpty(t, heard)
	require.Less(t, len(heard), held, "the others wait for the quota")
	require.True(t, g.here(100))
	for frames := 0; g.here(100); frames++ {
		require.Less(t, frames, 600)
		g.run(1)
	}
	assert.Len(t, heard, held+1)
	assert.EqualValues(t, 1, g.broken())
}

// In one frame a client may raise half of the maximum length of a message queue, plus the messages
// of one packet, and 256 requests. It therefore does not displace the messages of other clients.
// Further ones are dropped, as by a lossy line, with no other effect on the client.
//
// Proves: Z21
func TestAFrameTakesSoManyMessagesAndRequests(t *testing.T) {
	asked := 0
	server := &ears{}
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxWorkPerClient = -1 }, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, server.system())
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			plugin.HandleRequest(w, func(entangle.ClientID, sum) (total, error) { asked++; return total{}, nil })
			return func() {}
		}))
	})
	i := g.enter(100)
	var request bits.Writer
	request.Uvarint(0)
	request.Bits(1, 32)
	request.Bits(0, 8) // two small numbers
	before := asked
	i.say(peer.Requests, repeat(600, request.Finish())...)
	g.run(1)
	assert.Greater(t, asked-before, 255)
	assert.Less(t, asked-before, 256+110)
	assert.NotZero(t, droppedBy(g.server, "packet of a client that sends too much"))

	i = g.enter(101)
	heard := len(server.heard)
	i.say(peer.FirstMessages, repeat(3000, chatBody(0, nil, 0))...)
	g.run(1)
	assert.Greater(t, len(server.heard)-heard, event.MaxMessageEvents/2-1)
	assert.Less(t, len(server.heard)-heard, event.MaxMessageEvents/2+200)
	assert.True(t, g.here(100))
	assert.True(t, g.here(101))
	assert.Zero(t, g.broken())
}

// Clients that each stay within their quota send messages of the same type as an honest client, in
// total more than a queue holds. The honest client's messages arrive, whichever client is read
// first, also in a game with fewer ticks than frames. Of the other clients' messages, none that was
// accepted is lost.
//
// Proves: Z21
func TestNobodyPushesOutWhatOthersSay(t *testing.T) {
	c := costlyPackets()["messages"]
	for _, many := range []int{12, 32} {
		for _, idle := range []int{0, 5} { // frames without a tick
			var heard []plugin.MessageReceived[steer]
			var send plugin.Sender[steer]
			server := plugin.Func(func(w *ecs.World) func() {
				r := plugin.NewReader[plugin.MessageReceived[steer]](w)
				return func() { heard = append(heard, r.Read()...) }
			})
			guest := plugin.Func(func(w *ecs.World) func() {
				send = plugin.NewSender[steer](w)
				return func() {}
			})
			g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = 40 },
				func(s *plugin.Server) { s.AddSystem(plugin.FixedMain, server) })
			honest := g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, guest) })
			g.run(30)
			var all []*intruder
			for id := range entangle.ClientID(many) {
				for _, i := range all {
					i.step()
				}
				all = append(all, g.enter(100+id))
			}
			g.run(30)
			received := g.server.Stats().Messages.Received
			heard = heard[:0]
			const rounds = 100
			for n := range rounds {
				require.NoError(t, send.Send(components.Server, steer{}))
				if n%2 == 0 {
					honest.Step(g.now)
				}
				for _, i := range all {
					for range 2 {
						i.hit(&c)
					}
				}
				honest.Step(g.now)
				for range idle {
					g.now = g.now.Add(time.Second / 600)
					g.server.Update(g.world)
				}
				g.run(1)
				for _, i := range all {
					i.acknowledge()
				}
			}
			g.run(3)
			honestly := 0
			for _, m := range heard {
				if m.From == 1 {
					honestly++
				}
			}
			assert.Equal(t, rounds, honestly)
			assert.EqualValues(t, g.server.Stats().Messages.Received-received, len(heard))
			assert.Greater(t, len(heard), rounds*1800)
			assert.NotZero(t, droppedBy(g.server, "packet of a client that sends too much"))
			for id := range entangle.ClientID(many) {
				require.True(t, g.here(100+id))
			}
		}
	}
}
