package plugin_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// ears collects the chats that a world receives.
type ears struct {
	send  plugin.Sender[chat]
	heard []plugin.MessageReceived[chat]
}

func (e *ears) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		e.send = plugin.NewSender[chat](w)
		read := plugin.NewReader[plugin.MessageReceived[chat]](w)
		return func() { e.heard = append(e.heard, read.Read()...) }
	})
}

func (e *ears) texts() (texts []string) {
	for _, m := range e.heard {
		texts = append(texts, m.Message.Text)
	}
	return texts
}

// party is a server and three clients, all of which collect chats.
type party struct {
	*game
	ears    *ears // collects the server's chats
	guests  []*ears
	targets *components.Targets
}

func newParty(t testing.TB) *party {
	p := &party{ears: &ears{}}
	p.game = newGame(t, func(s *plugin.Server) { s.AddSystem(plugin.AfterReceive, p.ears.system()) })
	for id := entangle.ClientID(1); id <= 3; id++ {
		e := &ears{}
		p.join(id, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, e.system()) })
		p.guests = append(p.guests, e)
	}
	p.run(30)
	p.targets = ecs.GetResource[components.Targets](p.world)
	return p
}

func (p *party) counts() (n [4]int) {
	n[0] = len(p.ears.heard)
	for i, g := range p.guests {
		n[i+1] = len(g.heard)
	}
	return n
}

// A server can send to all clients, one, all but one, or a set of them.
//
// Proves: P17, P18
func TestAServerReachesWhomItNames(t *testing.T) {
	p := newParty(t)
	require.NoError(t, p.ears.send.Send(components.Everyone, chat{Text: "all"}))
	require.NoError(t, p.ears.send.SendTo(2, chat{Text: "one"}))
	require.NoError(t, p.ears.send.Send(p.targets.Except(1), chat{Text: "but one"}))
	require.NoError(t, p.ears.send.Send(p.targets.Only(1, 3), chat{Text: "a set"}))
	p.run(10)
	assert.Equal(t, []string{"all", "a set"}, p.guests[0].texts())
	assert.Equal(t, []string{"all", "one", "but one"}, p.guests[1].texts())
	assert.Equal(t, []string{"all", "but one", "a set"}, p.guests[2].texts())
	assert.Equal(t, entangle.Nobody, p.guests[0].heard[0].From)
	assert.Empty(t, p.ears.heard)
}

// A client's message reaches the server with its sender. It reaches other clients only if it asks
// the server to relay it.
//
// Proves: P18
func TestAClientAsksTheServerToPassAMessageOn(t *testing.T) {
	p := newParty(t)
	require.NoError(t, p.guests[0].send.Send(components.Server, chat{Text: "you"}))
	p.run(10)
	assert.Equal(t, [4]int{1, 0, 0, 0}, p.counts())
	assert.Equal(t, entangle.ClientID(1), p.ears.heard[0].From)

	require.NoError(t, p.guests[0].send.Send(components.Everyone, chat{Text: "all"}))
	require.NoError(t, p.guests[1].send.SendTo(3, chat{Text: "psst"}))
	p.run(10)
	assert.Equal(t, [4]int{3, 1, 1, 2}, p.counts())
	assert.Equal(t, entangle.ClientID(1), p.guests[0].heard[0].From, "who sends to everyone gets it, too")
	last := p.guests[2].heard[1]
	assert.Equal(t, "psst", last.Message.Text)
	assert.Equal(t, entangle.ClientID(2), last.From)
}

// A message to a room is sent to the clients that are in the room at the end of the frame, not at
// the time of the send. A client's message to a room reaches only the server.
//
// Proves: V15
func TestARoomIsAskedWhenTheFrameEnds(t *testing.T) {
	p := newParty(t)
	rooms := plugin.NewRooms(p.world)
	rooms.AddClient(7, 1)
	require.NoError(t, p.ears.send.Send(p.targets.Room(7), chat{Text: "who is there?"}))
	rooms.RemoveClient(7, 1)
	rooms.AddClient(7, 2)
	p.run(10)
	assert.Equal(t, [4]int{0, 0, 1, 0}, p.counts())

	theirs := ecs.GetResource[components.Targets](p.clients[1].world)
	require.NoError(t, p.guests[1].send.Send(theirs.Room(7), chat{Text: "only the server knows rooms"}))
	p.run(10)
	assert.Equal(t, [4]int{1, 0, 1, 0}, p.counts())
}

// An entity in a message arrives as the receiver's own entity, in both directions and when relayed.
// If the entity was spawned in the same tick, the message waits for it.
//
// Proves: P17, G5
func TestEntitiesInMessagesAreTheReceivers(t *testing.T) {
	p := newParty(t)
	e := p.spawn(spot{1, 2}, name{7})
	require.NoError(t, p.ears.send.Send(components.Everyone, chat{Text: "look", Who: e}))
	p.run(10)
	require.Len(t, p.guests[0].heard, 1)
	theirs := p.guests[0].heard[0].Message.Who
	require.True(t, p.clients[0].world.Alive(theirs))
	assert.Equal(t, name{7}, *at[name](p.clients[0].world, theirs))

	require.NoError(t, p.guests[0].send.Send(components.Everyone, chat{Text: "seen", Who: theirs}))
	p.run(10)
	require.Len(t, p.ears.heard, 1)
	assert.Equal(t, e, p.ears.heard[0].Message.Who)
	require.Len(t, p.guests[1].heard, 2)
	assert.Equal(t, name{7}, *at[name](p.clients[1].world, p.guests[1].heard[1].Message.Who))
}

func TestAMessageAboutAnEntityThatNeverComesIsDeliveredInTheEnd(t *testing.T) {
	p := newParty(t)
	e := p.world.NewEntity()
	require.NoError(t, p.ears.send.Send(components.Everyone, chat{Text: "who?", Who: e}))
	p.run(10)
	require.Len(t, p.guests[0].heard, 1, "an entity that is not replicated is no entity at once")
	assert.True(t, p.guests[0].heard[0].Message.Who.IsZero())
}

func TestSendingWhatCannotBeSentSaysWhy(t *testing.T) {
	p := newParty(t)
	err := p.ears.send.Send(components.Everyone, chat{Text: strings.Repeat("x", 5000)})
	assert.Error(t, err)
	assert.Error(t, p.ears.send.SendTo(entangle.Nobody, chat{}))
	p.run(5)
	assert.Equal(t, [4]int{}, p.counts())

	steers := plugin.NewSender[steer](p.clients[0].world)
	assert.ErrorContains(t, steers.Send(components.Everyone, steer{}), "Relay")
	assert.PanicsWithValue(t, "plugin: NewSender[plugin_test.private], which is not registered; "+
		"register it with protocol.Message[plugin_test.private](p) before the app is made",
		func() { plugin.NewSender[private](p.world) })
}

// A server disconnects a client that names more recipients than allowed, so the client's own Send
// refuses such a message.
func TestAMessageToMoreClientsThanAClientMayNameIsAnError(t *testing.T) {
	p := newParty(t)
	guest := p.guests[0]
	sets := ecs.GetResource[components.Targets](p.clients[0].world)
	var ids []entangle.ClientID
	for id := entangle.ClientID(2); len(ids) < 64; id++ {
		ids = append(ids, id)
	}
	require.NoError(t, guest.send.Send(sets.Only(ids...), chat{Text: "most"}))
	require.NoError(t, guest.send.Send(sets.Except(ids...), chat{Text: "most"}))
	p.run(10)
	assert.Equal(t, [4]int{2, 1, 1, 1}, p.counts())

	ids = append(ids, 100)
	for _, target := range []components.Target{sets.Only(ids...), sets.Except(ids...)} {
		assert.EqualError(t, guest.send.Send(target, chat{Text: "too many"}), "plugin: a client's message may name 64 clients; "+
			"send to components.Everyone, or to components.Server, which can send it on itself: plugin_test.chat to 65")
	}
	require.NoError(t, p.ears.send.Send(p.targets.Only(ids...), chat{Text: "a server may"}))
	p.run(10)
	assert.Equal(t, plugin.Connected, p.clients[0].State())
	assert.Equal(t, [4]int{2, 1, 2, 2}, p.counts())
}

// Proves: P17
func TestRequestsAreAnswered(t *testing.T) {
	var ask plugin.Requester[sum, total]
	var answers []plugin.ResponseReceived[sum, total]
	g := newGame(t, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			plugin.HandleRequest(w, func(from entangle.ClientID, q sum) (total, error) {
				if from != 1 || q.B < 0 {
					return total{}, errors.New("not for you")
				}
				return total{q.A + q.B}, nil
			})
			return nil
		}))
	})
	g.join(1, func(c *plugin.Client) {
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			ask = plugin.NewRequester[sum, total](w)
			read := plugin.NewReader[plugin.ResponseReceived[sum, total]](w)
			return func() { answers = append(answers, read.Read()...) }
		}))
	})
	g.run(30)
	id, err := ask.Request(sum{2, 3})
	require.NoError(t, err)
	_, err = ask.Request(sum{2, -3})
	require.NoError(t, err)
	g.run(10)
	require.Len(t, answers, 2)
	assert.Equal(t, plugin.ResponseReceived[sum, total]{ID: id, Answer: total{5}}, answers[0])
	assert.EqualError(t, answers[1].Err, "not for you")

	_, err = ask.Request(sum{1, 1})
	require.NoError(t, err)
	g.clients[0].Disconnect()
	g.run(2)
	require.Len(t, answers, 3)
	assert.ErrorContains(t, answers[2].Err, "connection ended")
}

// A message that no channel can carry gives an error from Send and does not end the connection.
func TestAMessageTooLargeForItsChannelIsAnError(t *testing.T) {
	big := func(mode protocol.Mode) func(*plugin.ServerConfig) {
		return func(c *plugin.ServerConfig) {
			p := testProtocol()
			protocol.Message[bulk](p).Mode(mode)
			c.Protocol = p
		}
	}
	for mode, most := range map[protocol.Mode]int{protocol.OrderedReliable: 64 << 10, protocol.UnorderedUnreliable: 32 << 10} {
		g := newGameWith(t, big(mode))
		send := plugin.NewSender[bulk](g.world)
		require.NoError(t, send.Send(components.Everyone, bulk{make([]byte, most-2048)}))
		assert.ErrorContains(t, send.Send(components.Everyone, bulk{make([]byte, most)}), "split it")
		g.run(1)
	}
}

type bulk struct {
	Bytes []byte `net:"max=100000"`
}

// muster refers to many entities.
type muster struct {
	Members []ecs.Entity `net:"max=5000"`
}

// A message with the maximum number of entities arrives with all of them. With one more, sending a
// message or a request is an error and a response fails: no entity is dropped silently.
func TestAMessageOfTooManyEntitiesIsAnError(t *testing.T) {
	const most = 4096
	proto := func() *protocol.Protocol {
		p := testProtocol()
		protocol.Message[muster](p)
		protocol.Request[muster, total](p)
		protocol.Request[sum, muster](p)
		return p
	}
	var m muster
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = proto() }, func(s *plugin.Server) {
		s.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			plugin.HandleRequest(w, func(entangle.ClientID, sum) (muster, error) { return m, nil })
			return nil
		}))
	})
	var got []plugin.MessageReceived[muster]
	var answers []plugin.ResponseReceived[sum, muster]
	var ask plugin.Requester[muster, total]
	var recall plugin.Requester[sum, muster]
	p := g.joinWith(proto(), 1, func(c *plugin.Client) {
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			ask, recall = plugin.NewRequester[muster, total](w), plugin.NewRequester[sum, muster](w)
			messages, responses := plugin.NewReader[plugin.MessageReceived[muster]](w), plugin.NewReader[plugin.ResponseReceived[sum, muster]](w)
			return func() {
				got, answers = append(got, messages.Read()...), append(answers, responses.Read()...)
			}
		}))
	})
	marker := ecs.ComponentID[components.Replicate](g.world)
	for range most {
		m.Members = append(m.Members, g.world.NewEntity(marker))
	}
	m.Members = append(m.Members, m.Members[0], ecs.Entity{})
	g.run(60)
	_, err := recall.Request(sum{})
	require.NoError(t, err)
	send := plugin.NewSender[muster](g.world)
	require.NoError(t, send.Send(components.Everyone, m))
	g.run(30)
	require.Len(t, got, 1)
	require.Len(t, answers, 1)
	require.NoError(t, answers[0].Err)
	for _, members := range [][]ecs.Entity{got[0].Message.Members, answers[0].Answer.Members} {
		require.Len(t, members, most+2)
		assert.NotContains(t, members[:most+1], ecs.Entity{})
		assert.Equal(t, members[0], members[most])
		assert.Zero(t, members[most+1])
	}

	m.Members = append(m.Members, g.world.NewEntity(marker))
	err = send.Send(components.Everyone, m)
	require.ErrorContains(t, err, "more than 4096 entities")
	assert.ErrorContains(t, err, "split it")
	_, err = recall.Request(sum{})
	require.NoError(t, err)
	var far muster
	for range most {
		far.Members = append(far.Members, p.world.NewEntity())
	}
	_, err = ask.Request(far)
	require.NoError(t, err)
	far.Members = append(far.Members, p.world.NewEntity())
	_, err = ask.Request(far)
	require.ErrorContains(t, err, "more than 4096 entities")
	g.run(30)
	assert.Len(t, got, 1)
	require.Len(t, answers, 2)
	assert.ErrorContains(t, answers[1].Err, "more than 4096 entities")
}
