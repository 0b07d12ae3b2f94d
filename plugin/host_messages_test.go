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
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// mouth sends messages in a world.
type mouth struct {
	chat    plugin.Sender[chat]
	say     plugin.Sender[chat]
	order   plugin.Sender[order]
	tidings plugin.Sender[tidings]
	ask     plugin.Requester[sum, total]
}

func (m *mouth) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		m.chat, m.order, m.tidings = plugin.NewSender[chat](w), plugin.NewSender[order](w), plugin.NewSender[tidings](w)
		m.say = m.chat.AsPlayer()
		m.ask = plugin.NewRequester[sum, total](w)
		return nil
	})
}

// The host's player gets the messages that the server sends to clients, if it is among the
// recipients: in the next frame, in order. It gets no messages for other clients.
//
// Proves: C12
func TestAHostsServerSpeaksToItsPlayer(t *testing.T) {
	var m mouth
	var got heard[plugin.MessageReceived[tidings]]
	var theirs heard[plugin.MessageReceived[tidings]]
	h := newHosted(t, m.system(), got.system()).play()
	remote := h.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, theirs.system()) })
	h.run(30)
	require.Equal(t, plugin.Connected, remote.State())

	say := func(target components.Target, text string) {
		require.NoError(t, m.tidings.Send(target, tidings{Text: text}))
	}
	say(components.Everyone, "all")
	require.NoError(t, m.tidings.SendTo(me, tidings{Text: "you"}))
	require.NoError(t, m.tidings.SendTo(1, tidings{Text: "other"}))
	say(h.targets().Except(me), "but you")
	say(h.targets().Only(me, 7), "you again")
	say(components.Nobody, "none")
	assert.Empty(t, got.take())
	h.run(1)
	assert.Empty(t, got.take(), "sent in this frame")
	tick := h.host.Tick()
	h.run(1)
	var texts []string
	for _, e := range got.take() {
		assert.Equal(t, entangle.Nobody, e.From)
		assert.Equal(t, me, e.To)
		assert.Equal(t, tick, e.Tick)
		texts = append(texts, e.Message.Text)
	}
	assert.Equal(t, []string{"all", "you", "you again"}, texts)
	h.run(10)
	assert.Empty(t, got.take())
	require.Len(t, theirs.all, 3)
	assert.EqualValues(t, 1, theirs.all[0].To)
}

// The host's player sends messages to the server, and through it to other clients, as any client
// does.
//
// Proves: C12
func TestAHostsPlayerSpeaksToItsServer(t *testing.T) {
	var m mouth
	var orders heard[plugin.MessageReceived[order]]
	var chats, theirs heard[plugin.MessageReceived[chat]]
	h := newHosted(t, m.system(), orders.system(), chats.system()).play()
	remote := h.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, theirs.system()) })
	h.run(30)
	require.Equal(t, plugin.Connected, remote.State())

	require.NoError(t, m.order.Send(components.Default, order{What: "go"}))
	require.NoError(t, m.chat.Send(components.Server, chat{Text: "for the server"}))
	require.NoError(t, m.say.Send(components.Everyone, chat{Text: "for all"}))
	require.NoError(t, m.chat.Send(components.Everyone, chat{Text: "of the server"}))
	require.NoError(t, m.say.SendTo(1, chat{Text: "for one"}))
	h.run(20)
	require.Len(t, orders.all, 1)
	assert.Equal(t, me, orders.all[0].From)
	assert.Equal(t, entangle.Nobody, orders.all[0].To)

	type line struct {
		from, to entangle.ClientID
		text     string
	}
	var here, there []line
	for _, e := range chats.all {
		here = append(here, line{e.From, e.To, e.Message.Text})
	}
	for _, e := range theirs.all {
		there = append(there, line{e.From, e.To, e.Message.Text})
	}
	assert.Equal(t, []line{
		{me, 0, "for the server"},
		{me, 0, "for all"},
		{me, 0, "for one"},
		{0, me, "of the server"},
		{me, me, "for all"},
	}, here)
	assert.ElementsMatch(t, []line{{0, 1, "of the server"}, {me, 1, "for all"}, {me, 1, "for one"}}, there)

	assert.ErrorIs(t, m.order.Send(components.Everyone, order{}), message.ErrNotRelayed)
	assert.ErrorIs(t, m.tidings.Send(components.Everyone, tidings{Text: strings.Repeat("x", 70_000)}), protocol.ErrTooLong)
	crowd := make([]entangle.ClientID, 65)
	for i := range crowd {
		crowd[i] = entangle.ClientID(i + 1)
	}
	assert.ErrorIs(t, m.say.Send(h.targets().Only(crowd...), chat{}), message.ErrTooMany, "like any client's")
	assert.NoError(t, m.chat.Send(h.targets().Only(crowd...), chat{}), "the server's")
	out := m.tidings.AsPlayer()
	assert.ErrorIs(t, out.Send(components.Server, tidings{}), message.ErrDirection)
	assert.Panics(t, func() {
		g := newGame(t)
		s := plugin.NewSender[chat](g.world)
		s.AsPlayer()
	})
}

// Messages of a remote client reach the host's player as they reach any other client, including
// relayed ones.
//
// Proves: C12
func TestRemoteClientsSpeakToAHostsPlayer(t *testing.T) {
	var m, far mouth
	var chats heard[plugin.MessageReceived[chat]]
	h := newHosted(t, m.system(), chats.system()).play()
	remote := h.join(1, func(c *plugin.Client) { c.AddSystem(plugin.AfterReceive, far.system()) })
	h.run(30)
	require.Equal(t, plugin.Connected, remote.State())
	require.NoError(t, far.chat.SendTo(me, chat{Text: "psst"}))
	require.NoError(t, far.chat.Send(components.Server, chat{Text: "hm"}))
	h.run(10)
	var to []entangle.ClientID
	for _, e := range chats.all {
		assert.EqualValues(t, 1, e.From)
		to = append(to, e.To)
	}
	assert.Equal(t, []entangle.ClientID{entangle.Nobody, entangle.Nobody, me}, to)
}

// An entity in a message is the same entity for the server and the host's player, which share one
// world, if the player can see it. Each receiver has a value of its own.
//
// Proves: C12
func TestEntitiesInMessagesWithinAHost(t *testing.T) {
	var m mouth
	var got heard[plugin.MessageReceived[tidings]]
	var orders heard[plugin.MessageReceived[order]]
	h := newHosted(t, m.system(), got.system(), orders.system()).play()
	seen, hidden := h.spawn(spot{}, name{1}), h.spawnIn(components.Nobody, 0, spot{}, name{2})
	doomed, plain := h.spawn(spot{}, name{3}), h.world.NewEntity()
	for _, e := range []ecs.Entity{seen, hidden, doomed, plain, {}} {
		require.NoError(t, m.tidings.Send(components.Everyone, tidings{Who: e}))
		require.NoError(t, m.order.Send(components.Server, order{Who: e}))
	}
	h.run(1)
	h.world.RemoveEntity(doomed)
	h.run(1)
	var whom, ordered []ecs.Entity
	for _, e := range got.all {
		whom = append(whom, e.Message.Who)
	}
	for _, e := range orders.all {
		ordered = append(ordered, e.Message.Who)
	}
	assert.Equal(t, []ecs.Entity{seen, {}, {}, {}, {}}, whom)
	assert.Equal(t, whom, ordered)
}

// The host's player gets one response to each of its requests, even if its connection ends first.
//
// Proves: C12
func TestAHostsPlayerAsksItsServer(t *testing.T) {
	var m, far mouth
	var answers, theirs heard[plugin.ResponseReceived[sum, total]]
	var asked []entangle.ClientID
	handle := plugin.Func(func(w *ecs.World) func() {
		plugin.HandleRequest(w, func(from entangle.ClientID, q sum) (total, error) {
			asked = append(asked, from)
			if q.A < 0 {
				return total{}, errors.New("negative")
			}
			return total{q.A + q.B}, nil
		})
		return nil
	})
	h := newHosted(t, m.system(), answers.system(), handle).play()
	h.join(1, func(c *plugin.Client) {
		c.AddSystem(plugin.AfterReceive, far.system())
		c.AddSystem(plugin.AfterReceive, theirs.system())
	})
	h.run(30)
	first, err := m.ask.Request(sum{1, 2})
	require.NoError(t, err)
	second, err := m.ask.Request(sum{-1, 2})
	require.NoError(t, err)
	_, err = far.ask.Request(sum{5, 5})
	require.NoError(t, err)
	h.run(1)
	assert.Empty(t, asked)
	h.run(1)
	assert.Equal(t, []entangle.ClientID{me, me}, asked[:2])
	assert.Empty(t, answers.take())
	h.run(1)
	got := answers.take()
	require.Len(t, got, 2)
	assert.Equal(t, plugin.ResponseReceived[sum, total]{ID: first, Answer: total{3}}, got[0])
	assert.Equal(t, second, got[1].ID)
	assert.EqualError(t, got[1].Err, "negative")
	h.run(20)
	require.Len(t, theirs.all, 1)
	assert.Equal(t, total{10}, theirs.all[0].Answer)

	_, err = m.ask.Request(sum{1, 2})
	require.NoError(t, err)
	h.run(1)
	h.host.Player().Disconnect()
	h.run(3)
	got = answers.take()
	require.Len(t, got, 1)
	assert.Error(t, got[0].Err)
	require.NoError(t, h.host.Player().Connect(nil))
	h.run(3)
	_, err = m.ask.Request(sum{1, 2})
	require.NoError(t, err)
	h.run(1)
	h.host.Player().Disconnect()
	require.NoError(t, h.host.Player().Connect(nil))
	h.run(3)
	got = answers.take()
	require.Len(t, got, 1, "of the connection before")
	assert.Error(t, got[0].Err)
	h.host.Player().Disconnect()
	_, err = m.ask.Request(sum{1, 2})
	assert.ErrorIs(t, err, plugin.ErrNotConnected)
	h.run(3)
	assert.Empty(t, answers.take(), "what was not sent has no answer")
}

// A player that is disconnected because of its own request receives nothing more.
func TestAHostsPlayerIsDisconnectedByItsOwnQuestion(t *testing.T) {
	var m mouth
	var answers heard[plugin.ResponseReceived[sum, total]]
	var h *hosted
	calls := 0
	handle := plugin.Func(func(w *ecs.World) func() {
		plugin.HandleRequest(w, func(from entangle.ClientID, _ sum) (total, error) {
			calls++
			h.host.Disconnect(from, "a bad question")
			return total{}, nil
		})
		return nil
	})
	h = newHosted(t, m.system(), answers.system(), handle).play()
	for range 3 {
		_, err := m.ask.Request(sum{})
		require.NoError(t, err)
	}
	h.run(3)
	assert.Equal(t, 1, calls)
	assert.Len(t, answers.all, 3)
	assert.EqualError(t, h.host.Player().Err(), "a bad question")
}

// Messages that the server sent before the player connected do not reach the player.
func TestWhatIsSaidBeforeAHostsPlayerConnects(t *testing.T) {
	var m mouth
	var got heard[plugin.MessageReceived[tidings]]
	var orders heard[plugin.MessageReceived[order]]
	h := newHosted(t, m.system(), got.system(), orders.system())
	require.NoError(t, h.host.Start())
	say := func(text string) {
		require.NoError(t, m.tidings.Send(components.Everyone, tidings{Text: text}))
		assert.ErrorIs(t, m.order.Send(components.Server, order{What: text}), plugin.ErrNotConnected)
	}
	say("early")
	h.run(2)
	say("in the frame in which it connects")
	require.NoError(t, h.host.Player().Connect(nil))
	h.run(5)
	assert.Empty(t, got.all)
	assert.Empty(t, orders.all)
	require.NoError(t, m.order.Send(components.Server, order{What: "connected"}))
	h.run(2)
	assert.Len(t, orders.all, 1)
}

// A host's player may send any number of requests and messages, a few in each frame.
func TestAHostsPlayerSpeaksForLong(t *testing.T) {
	var m mouth
	var answers heard[plugin.ResponseReceived[sum, total]]
	var chats heard[plugin.MessageReceived[chat]]
	h := newHosted(t, m.system(), answers.system(), chats.system()).play()
	for range 600 {
		_, err := m.ask.Request(sum{1, 2})
		require.NoError(t, err)
		require.NoError(t, m.say.SendTo(me, chat{Text: strings.Repeat("x", 400)}))
		h.run(1)
	}
	h.run(3)
	assert.Equal(t, plugin.Connected, h.host.Player().State())
	assert.Len(t, answers.all, 600)
	assert.Len(t, chats.all, 1200)
}
