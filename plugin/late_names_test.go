package plugin_test

import (
	"net/netip"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// choked is a network on which a client's long datagrams are lost: those that carry messages.
// Datagrams that only acknowledge arrive.
type choked struct {
	transport.Dialer
	on *bool
}

// acknowledges is the longest datagram that passes a choked network: the header of a packet and
// that of the session around it.
const acknowledges = 48

func (c choked) Dial(server netip.AddrPort) (transport.Conn, error) {
	conn, err := c.Dialer.Dial(server)
	return &chokedConn{conn, c.on}, err
}

type chokedConn struct {
	transport.Conn
	on *bool
}

func (c *chokedConn) Send(batch []transport.Datagram) (int, error) {
	if !*c.on {
		return c.Conn.Send(batch)
	}
	for i := range batch {
		if len(batch[i].Data) <= acknowledges {
			if _, err := c.Conn.Send(batch[i : i+1]); err != nil {
				return i, err
			}
		}
	}
	return len(batch), nil
}

// asks is a request about an entity.
type asks struct {
	Text string
	Who  ecs.Entity
}

// latecomer is a game with one client of which messages can be delayed, and another one that only
// listens.
type latecomer struct {
	*game
	heard  *ears // collects the server's chats
	says   *ears // collects the client's chats
	other  *ears
	ask    plugin.Requester[asks, total]
	asked  []asks
	sight  plugin.Relevance
	choked bool
}

func newLatecomer(t testing.TB) *latecomer {
	l := &latecomer{heard: &ears{}, says: &ears{}, other: &ears{}}
	proto := func() *protocol.Protocol {
		p := testProtocol()
		protocol.Request[asks, total](p)
		return p
	}
	l.game = newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = proto() }, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, l.heard.system())
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			plugin.HandleRequest(w, func(_ entangle.ClientID, q asks) (total, error) {
				l.asked = append(l.asked, q)
				return total{}, nil
			})
			return nil
		}))
	})
	l.joinWith(proto(), 1, func(c *plugin.Client) {
		c.AddSystem(plugin.AfterReceive, l.says.system())
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			l.ask = plugin.NewRequester[asks, total](w)
			return nil
		}))
	})
	l.joinWith(proto(), 2, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, l.other.system()) })
	l.sight = plugin.NewRelevance(l.world)
	l.run(30)
	l.clients[0].Disconnect() // the other network cannot be choked
	l.run(30)
	tok, err := plugin.MintToken(l.key, "plugin test", token.Claims{ClientID: 1, Servers: l.server.Addrs(), Now: l.now})
	require.NoError(t, err)
	require.NoError(t, l.clients[0].Connect(choked{l.network.Dialer(), &l.choked}, tok))
	l.run(30)
	require.Equal(t, plugin.Connected, l.clients[0].State())
	return l
}

// show makes an entity relevant to both clients.
func (l *latecomer) show(e ecs.Entity) ecs.Entity {
	l.sight.Show(e, 1)
	l.sight.Show(e, 2)
	l.run(10)
	return e
}

func (l *latecomer) despawn(e ecs.Entity) { l.world.RemoveEntity(e) }

// say makes the client send an entity with the given name, in a chat to everybody and in a request.
func (l *latecomer) say(text string, n uint32) {
	who := l.clients[0].named(n)
	require.False(l.t, who.IsZero(), n)
	require.NoError(l.t, l.says.send.Send(components.Everyone, chat{text, who}))
	_, err := l.ask.Request(asks{text, who})
	require.NoError(l.t, err)
}

// named returns the entity with the given name in a client's world.
func (p *player) named(n uint32) (found ecs.Entity) {
	q := p.world.Query(ecs.All(ecs.ComponentID[name](p.world)))
	for q.Next() {
		if (*name)(q.Get(ecs.ComponentID[name](p.world))).ID == n {
			found = q.Entity()
		}
	}
	return found
}

// means checks at all receivers which entity the last message and the last request named.
func (l *latecomer) means(text string, who ecs.Entity, n uint32) {
	l.t.Helper()
	require.NotEmpty(l.t, l.heard.heard, text)
	require.NotEmpty(l.t, l.asked, text)
	require.NotEmpty(l.t, l.other.heard, text)
	message, request := l.heard.heard[len(l.heard.heard)-1].Message, l.asked[len(l.asked)-1]
	assert.Equal(l.t, chat{text, who}, message)
	assert.Equal(l.t, asks{text, who}, request)
	passed := l.other.heard[len(l.other.heard)-1].Message
	assert.Equal(l.t, chat{text, l.clients[1].named(n)}, passed)
}

// rest is longer than the number of ticks for which a network id is reserved after a despawn.
const rest = 64 + 40

// The entity in a client's message or request is the one that the client meant when it wrote the
// message, however long the message was in flight. If that entity has been despawned and another
// one has reused its network id, the message names no entity.
//
// Proves: P17, G5
func TestALateMessageNamesNobodyElse(t *testing.T) {
	all := components.Replicate{}
	interest := components.Replicate{Relevance: components.ByInterest}
	for what, c := range map[string]struct {
		like   components.Replicate
		waits  bool // the entity that reuses the id exists before, but is invisible
		leaves func(l *latecomer, e ecs.Entity)
	}{
		"an entity for all that despawned": {all, false, (*latecomer).despawn},
		"one of interest that despawned":   {interest, false, (*latecomer).despawn},
		"one that went out of sight":       {interest, true, func(l *latecomer, e ecs.Entity) { l.sight.Hide(e, 1) }},
	} {
		t.Run(what, func(t *testing.T) {
			l := newLatecomer(t)
			stays, goes := l.show(l.spawnOf(c.like, 1)), l.show(l.spawnOf(c.like, 2))
			var comes ecs.Entity
			if c.waits {
				comes = l.spawnOf(c.like, 3)
				l.run(10)
			}
			l.choked = true
			l.say("who goes", 2)
			l.run(5)
			c.leaves(l, goes)
			l.run(rest)
			if !c.waits {
				comes = l.spawnOf(c.like, 3)
			}
			l.show(comes)
			require.Empty(t, l.heard.heard)
			l.choked = false
			l.run(30)
			l.means("who goes", ecs.Entity{}, 0)

			l.say("who came", 3)
			l.run(10)
			l.means("who came", comes, 3)

			l.choked = true
			l.say("who stays", 1)
			l.run(3 * rest)
			l.tag(stays).Group = 7 // a move keeps its network id
			l.run(rest)
			l.choked = false
			l.run(30)
			l.means("who stays", stays, 1)
		})
	}
}
