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
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// costly is a kind of packet that a client floods with.
type costly struct {
	packets int // in each tick
	// frames are appended to a packet, as many as fit.
	frame func(i *intruder) []byte
	one   bool // or only one of them
	// ordered: what is dropped leaves a gap in a reliable channel, which ends the connection as
	// well.
	ordered bool
}

const rests = byte(peer.FirstMessages + 4)

// costlyPackets are all that a client which is connected can have the server do.
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
	request.Bits(0, 64)
	question := request.Finish()
	var message bits.Writer
	message.Uvarint(1)
	message.Bits(0, 16)
	steered := message.Finish()
	groups := make([]byte, 1+4*128)
	groups[0] = 3
	return map[string]costly{
		"packets without frames": {packets: 40, frame: func(*intruder) []byte { return nil }, one: true},
		"pings":                  {packets: 40, frame: func(*intruder) []byte { return []byte{byte(peer.Clock), 1, 7} }, one: true},
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
		"groups that are asked for": {packets: 30, ordered: true, frame: func(i *intruder) []byte {
			return next(i, byte(peer.Control), groups)
		}},
	}
}

// hit sends one packet of a kind.
func (i *intruder) hit(c *costly) {
	b := i.header()
	for n := 0; n == 0 || !c.one; n++ {
		f := c.frame(i)
		if len(b)+len(f) > entangle.MaxPayload {
			break // the last one is not sent, which leaves a gap at most
		}
		b = append(b, f...)
	}
	i.send(b)
}

// flooded is a game with an honest client, of which it is noted what it gets in every tick, and a
// client that may flood.
type flooded struct {
	*game
	honest  *player
	flooder *intruder
	moving  ecs.Entity
	ended   []string // why clients were disconnected
	heard   []any
}

func newFlooded(t testing.TB, adjust ...func(*plugin.ServerConfig)) *flooded {
	s := &flooded{}
	s.game = newGameWith(t, func(c *plugin.ServerConfig) {
		for _, f := range adjust {
			f(c)
		}
	}, func(server *plugin.Server) {
		server.AddSystem(plugin.Receive, plugin.Func(func(w *ecs.World) func() {
			left := plugin.NewReader[plugin.ClientDisconnected](w)
			plugin.HandleRequest(w, func(entangle.ClientID, sum) (total, error) { return total{}, nil })
			return func() {
				for _, e := range left.Read() {
					s.ended = append(s.ended, e.Reason)
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

func (s *flooded) dropped(reason string) (n uint64) {
	for _, d := range s.server.Stats().Dropped {
		if d.Reason == reason {
			n += d.Count
		}
	}
	return n
}

// A client floods with each kind of packet there is. The server takes no more of it in than the
// budget of one client, drops and counts the rest, and disconnects it; what the others get is in
// every tick as it is without.
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
				seconds := s.now.Sub(begun).Seconds() + 2.5
				require.LessOrEqual(t, work, seconds*plugin.DefaultWorkPerPacket*plugin.LeastDefaultPackets+2000)
			})
			assert.False(t, s.here(100))
			assert.Equal(t, calm.heard, s.heard)
			assert.Equal(t, plugin.Connected, s.honest.State())
			if c.ordered && s.broken() > 0 {
				return
			}
			assert.Equal(t, []string{"it sent more than the server takes from one client"}, s.ended)
			assert.Greater(t, lived, 5*60, "not for a burst")
			assert.EqualValues(t, 1, s.dropped("client that costs too much"))
			assert.Greater(t, s.dropped("packet of a client that sends too much"), uint64(1000))
			assert.Zero(t, s.broken())
		})
	}
}

// The work of a packet of any kind is at most 20 times that of what an honest client sends.
//
// Proves: Z21
func TestNoPacketCostsMuchMoreThanAnother(t *testing.T) {
	s := newFlooded(t)
	var works []uint64 // of the ticks in which a packet came
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
		assert.GreaterOrEqual(t, most, 32+usual, name)
		assert.LessOrEqual(t, most, 20*usual+usual, name) // that of the honest client, which came as well
	}
}

// A packet has one frame of a stream at most, as every client writes it.
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

// A client pays for each of those that its messages are passed on to: with its budget of work,
// and with what it may pass on in a frame, again and again.
//
// Proves: Z21
func TestRelaysAreChargedByTheirRecipients(t *testing.T) {
	const clients, saved, perFrame, burst = 13, 1 << 20 / 128, 24 << 10 / 128, 1000
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = clients })
	for id := range entangle.ClientID(clients - 1) {
		g.join(id + 1)
	}
	g.run(30)
	i := g.enter(100)
	g.run(60)
	begun, copies, bursts := g.server.Stats(), uint64(0), uint64(0)
	for n := range 2 * 40 {
		before := g.server.Stats()
		if n%40 == 0 {
			i.say(peer.FirstMessages, repeat(burst, chatBody(0, []entangle.ClientID{}, 0))...)
			bursts++
		}
		g.run(1)
		i.step()
		after := g.server.Stats()
		made := clients * (after.Messages.Relayed - before.Messages.Relayed)
		assert.LessOrEqual(t, made, uint64(saved+clients))
		assert.GreaterOrEqual(t, after.Work-before.Work, 2*made)
		copies += made
	}
	assert.NotZero(t, copies)
	assert.LessOrEqual(t, copies, uint64(saved+perFrame*2*40+2*clients))
	messages := g.server.Stats().Messages
	assert.Equal(t, bursts*burst, copies/clients+messages.Refused-begun.Messages.Refused, "what is beyond is counted")
	assert.True(t, g.here(100))
	for _, c := range g.clients {
		assert.Equal(t, plugin.Connected, c.State())
	}
}

// A budget of the game's own holds, one below zero is none, and so does the default that goes with
// the number of packets.
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
	s := flood(10, func(c *plugin.ServerConfig) { c.MaxPacketsPerClient, c.MaxWorkPerClient = -1, -1 })
	assert.True(t, s.here(100))
	assert.Zero(t, s.dropped("packet of a client that sends too much"))
	s = flood(10, func(c *plugin.ServerConfig) { c.MaxPacketsPerClient = 4000 })
	assert.True(t, s.here(100))
	assert.Zero(t, s.dropped("packet of a client that sends too much"))
	s = flood(10, func(c *plugin.ServerConfig) { c.MaxPacketsPerClient, c.MaxWorkPerClient = -1, 20_000 })
	assert.False(t, s.here(100))
}

// Nothing of a stall harms an honest client: its server stands still for 4.5 s, or its packets
// are all held back for as long and come at once, while it drives, talks and asks.
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
				if round%3 != n { // one of them stands still as well
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
		assert.Equal(t, plugin.Connected, c.State(), c.Reason())
	}
	assert.Greater(t, len(p.ears.heard), 12*2*200)
}
