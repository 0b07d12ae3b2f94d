package plugin_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// leastWork is the lowest ServerConfig.MaxWorkPerClient.
const leastWork = 8192

// A client that reconnects has the quota that it left with: it causes no more work in total than if
// it had stayed.
//
// Proves: Z21
func TestComingAgainGainsNothing(t *testing.T) {
	c := costlyPackets()["fragments"]
	g := newGame(t)
	g.run(1)
	begun, before := g.now, g.server.Stats().Work
	const connections = 20
	for range connections {
		i := g.enter(100)
		for range 3 {
			for range c.packets {
				i.hit(&c)
			}
			g.run(1)
			i.step()
		}
		i.sess.Disconnect(g.now)
		i.step()
		g.run(1)
		work := float64(g.server.Stats().Work - before)
		require.LessOrEqual(t, work, plugin.LeastDefaultWork*(g.now.Sub(begun)+500*time.Millisecond).Seconds()+600)
	}
	assert.Zero(t, g.broken())
}

// A client that is disconnected for exceeding its quota and reconnects at once does not get the 5 s
// of tolerance again. Its packets are read only as long as it stays within its quota.
//
// Proves: Z21
func TestPatienceDoesNotBeginAnewWithAConnection(t *testing.T) {
	s := newFlooded(t)
	c := costlyPackets()["fragments"]
	flood := func(frames int) (lived int) {
		s.frames(frames, func() {
			lived++
			for range c.packets {
				s.flooder.hit(&c)
			}
		})
		return lived
	}
	s.frames(60, nil)
	flood(4 * 60)
	require.True(t, s.here(100), "it has not gone on for long enough")
	s.flooder.sess.Disconnect(s.now)
	s.flooder.step()
	s.run(20)
	s.flooder = s.enter(100)
	assert.Less(t, flood(3*60), 90)
	assert.EqualValues(t, 1, s.dropped("client that costs too much"))

	s.flooder = s.enter(100)
	assert.Less(t, flood(60), 30, "disconnected again")
	assert.EqualValues(t, 2, s.dropped("client that costs too much"))
	s.run(60 * 60)
	s.flooder = s.enter(100)
	assert.Greater(t, flood(60*4), 60*4-1, "it has made up for it")
}

// The saved quotas that all clients together may use in a frame have the same bound at any tick
// rate: a server with 1,000 ticks per second has no longer frames.
//
// Proves: Z21
func TestSavingsAreBoundedAtAnyTickRate(t *testing.T) {
	const many, most = 16, 100_000 // units, 10 ms
	c := costlyPackets()["fragments"]
	for _, rate := range []int{1, 10, 60, 1000} {
		p := func() *protocol.Protocol {
			return register(protocol.New(protocol.Config{Name: "plugin test", TickRate: rate}))
		}
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol, c.MaxClients = p(), 40 })
		var all []*intruder
		for id := range entangle.ClientID(many) {
			i := g.infiltrate(100 + id)
			hello := binary.LittleEndian.AppendUint64([]byte{1}, p().Hash())
			i.say(peer.Control, binary.LittleEndian.AppendUint64(hello, 0))
			i.say(peer.FirstMessages, chatBody(0, nil, 0))
			all = append(all, i)
			for _, i := range all {
				i.step()
			}
		}
		for range 60 {
			g.run(1)
			for _, i := range all {
				i.step()
			}
		}
		before := g.server.Stats().Work
		for _, i := range all {
			for range 240 {
				i.hit(&c)
			}
		}
		g.now = g.now.Add(time.Second / time.Duration(rate))
		g.server.Step(g.now)
		work := g.server.Stats().Work - before
		share := uint64(max(plugin.LeastDefaultWork, plugin.DefaultWorkPerTick*rate) / rate)
		assert.Greater(t, work, uint64(plugin.LeastDefaultWork/2), rate)
		assert.LessOrEqual(t, work, most+many*(share+600), rate)
		assert.Len(t, g.server.Clients(), many)
	}
}

// The lowest valid quota is enough for a client that does as much as the docs recommend: inputs in
// each of 60 ticks per second, ten messages per second, and 50 of 100 bytes that are relayed to
// seven others, like voice.
//
// Proves: Z21
func TestTheLowestQuotaLetsAnHonestClientPlay(t *testing.T) {
	const clients, seconds = 8, 10
	a := &arena{of: arenaProtocol, game: newGameWith(t, func(c *plugin.ServerConfig) {
		c.Protocol, c.MaxWorkPerClient, c.MaxClients = arenaProtocol(), leastWork, clients
	})}
	guests := make([]*ears, clients)
	for n := range guests {
		id := entangle.ClientID(n + 1)
		a.fighter(id, components.Everyone)
		guests[n] = &ears{}
		a.joinWith(arenaProtocol(), id, honest(id), func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, guests[n].system()) })
	}
	a.run(60)
	before := a.server.Stats()
	voice := chat{Text: strings.Repeat("x", 100)}
	for n := range seconds * 60 {
		for g, guest := range guests {
			if n%6 == g%6 {
				require.NoError(t, guest.send.Send(components.Server, chat{Text: "ten times a second"}))
			}
			if n%6 != 0 {
				require.NoError(t, guest.send.Send(components.Everyone, voice))
			}
		}
		a.run(1)
	}
	after := a.server.Stats()
	each := float64(after.Work-before.Work) / clients / seconds
	t.Logf("%.0f units per second of each client", each)
	assert.Less(t, each, leastWork*0.75)
	assert.Zero(t, droppedBy(a.server, "packet of a client that sends too much"))
	assert.Zero(t, after.Messages.Refused)
	assert.Greater(t, len(guests[0].heard), clients*seconds*45)
}
