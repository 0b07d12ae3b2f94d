package plugin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// longChat returns a chat message to everybody.
func longChat(length int) []byte {
	var w bits.Writer
	w.Uvarint(0)
	w.Bool(true) // to all, without exceptions
	w.Uvarint(0)
	w.Uvarint(0)
	w.Uvarint(uint64(length))
	w.Raw([]byte(strings.Repeat("x", length)))
	w.Uvarint(0)
	return w.Finish()
}

// A client relays as much as it may to others with capped connections, for twenty seconds. The
// server's own messages still reach those soon. Relayed messages that do not fit are refused and
// counted.
//
// Proves: Z21
func TestRelaysHoldUpWhatTheServerSaysForALittleOnly(t *testing.T) {
	for _, limit := range []int{0, 100_000, 30_000} {
		for _, length := range []int{30, 430} {
			t.Run(fmt.Sprintf("%d/%d", limit, length), func(t *testing.T) {
				server, guest := &ears{}, &ears{}
				g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxBytesPerClient = limit },
					func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, server.system()) })
				g.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, guest.system()) })
				g.join(2)
				g.run(60)
				i := g.enter(100)
				refused, most := g.server.Stats().Messages.Refused, 0
				said, asked, came := "", 0, 0
				for n := range 20 * 60 {
					i.say(peer.FirstMessages, repeat(min(4000/length, 66), longChat(length))...) // within its quota
					if said == "" && n%40 == 20 {
						said, asked = fmt.Sprint("own ", n), n
						require.NoError(t, server.send.SendTo(1, chat{Text: said}))
					}
					from := len(guest.heard)
					g.run(1)
					i.acknowledge()
					for _, m := range guest.heard[from:] {
						if m.Message.Text == said {
							most, said, came = max(most, n-asked), "", came+1
						}
					}
				}
				require.True(t, g.here(100))
				assert.Equal(t, plugin.Connected, g.clients[0].State())
				assert.Greater(t, came, 6)
				assert.LessOrEqual(t, most, 80, "ticks")
				if limit > 0 {
					assert.Greater(t, g.server.Stats().Messages.Refused, refused)
				}
				t.Logf("at most %d ticks, %d times", most, came)
			})
		}
	}
}

// Eight players send to all others: 5 KB/s of reliable voice each, and chat. None of these messages
// is refused, not even after a stall.
//
// Proves: Z21
func TestNoHonestRelayIsRefused(t *testing.T) {
	var all []*ears
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients = 8 })
	for id := range entangle.ClientID(8) {
		e := &ears{}
		g.join(id+1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, e.system()) })
		all = append(all, e)
	}
	g.run(60)
	voice, said := strings.Repeat("v", 250), 0
	for n := range 20 * 60 {
		for who, e := range all {
			if (n+who)%3 == 0 {
				require.NoError(t, e.send.Send(components.Everyone, chat{Text: voice}))
				said++
			}
			if (n+who)%30 == 0 {
				require.NoError(t, e.send.Send(components.Everyone, chat{Text: "hello"}))
				said++
			}
		}
		if n == 600 {
			for range 60 { // the server runs no frame
				g.now = g.now.Add(time.Second / 60)
				for _, c := range g.clients {
					c.Step(g.now)
				}
			}
		}
		g.run(1)
	}
	g.run(60)
	messages := g.server.Stats().Messages
	assert.Zero(t, messages.Refused)
	assert.EqualValues(t, said, messages.Relayed)
	for _, e := range all {
		assert.GreaterOrEqual(t, len(e.heard), said*9/10)
	}
	assert.Zero(t, droppedBy(g.server, "packet of a client that sends too much"))
}

// Eight clients relay as much as they may to others with capped connections. The voice of eight
// players, 5 KB/s each, is still relayed among them.
//
// Proves: Z21
func TestAFloodOfRelaysStarvesNobody(t *testing.T) {
	const players, flooders = 8, 8
	var all []*ears
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.MaxClients, c.MaxBytesPerClient = players+flooders, 100_000 })
	for id := range entangle.ClientID(players) {
		e := &ears{}
		g.join(id+1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, e.system()) })
		all = append(all, e)
	}
	g.run(60)
	var bad []*intruder
	for id := range entangle.ClientID(flooders) {
		bad = append(bad, g.enter(100+id))
	}
	voice, said := strings.Repeat("v", 250), [players + 1]int{}
	refused := g.server.Stats().Messages.Refused
	for n := range 6 * 60 {
		for who, e := range all {
			if (n+who)%3 == 0 {
				require.NoError(t, e.send.Send(components.Everyone, chat{Text: voice}))
				said[who+1]++
			}
		}
		for _, i := range bad {
			i.say(peer.FirstMessages, repeat(15, longChat(250))...)
		}
		g.run(1)
		for _, i := range bad {
			i.acknowledge()
		}
	}
	for who, e := range all {
		heard := [players + 1]int{}
		for _, m := range e.heard {
			if m.From <= players {
				heard[m.From]++
			}
		}
		for from := 1; from <= players; from++ {
			if from != who+1 {
				assert.GreaterOrEqual(t, heard[from], said[from]*85/100, "%d hears %d", who+1, from) // half a second is in flight
			}
		}
	}
	assert.Greater(t, g.server.Stats().Messages.Refused, refused+1000)
}
