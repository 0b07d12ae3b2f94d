package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// A message that a client sends without a connection is lost, so Send returns an error.
//
// Proves: P18
func TestSendingWithoutAConnectionIsAnError(t *testing.T) {
	p := newParty(t)
	guest, send := p.clients[0], &p.guests[0].send
	ask := plugin.NewRequester[sum, total](guest.world)
	read := plugin.NewReader[plugin.ResponseReceived[sum, total]](guest.world)
	refused := func() {
		t.Helper()
		assert.ErrorIs(t, send.Send(components.Server, chat{Text: "lost"}), plugin.ErrNotConnected)
		assert.ErrorIs(t, send.SendTo(2, chat{Text: "lost"}), plugin.ErrNotConnected)
		_, err := ask.Request(sum{1, 2})
		assert.ErrorIs(t, err, plugin.ErrNotConnected)
	}
	require.NoError(t, send.Send(components.Server, chat{Text: "heard"}))
	p.run(5)
	guest.Disconnect()
	refused()
	p.run(2)
	p.connect(guest, 1)
	refused() // while it connects
	p.run(30)
	assert.Empty(t, read.Read(), "a question that was not sent has no answer")
	assert.Equal(t, []string{"heard"}, p.ears.texts())
	require.NoError(t, send.Send(components.Server, chat{Text: "again"}))
	p.run(5)
	assert.Equal(t, []string{"heard", "again"}, p.ears.texts())
}

// A server may send to a target that includes no client. A client that is named individually has to
// be connected.
//
// Proves: P18
func TestSendingToAClientThatIsNotThereIsAnError(t *testing.T) {
	p := newParty(t)
	require.NoError(t, p.ears.send.SendTo(2, chat{Text: "you"}))
	assert.ErrorIs(t, p.ears.send.SendTo(9, chat{Text: "who?"}), plugin.ErrNoSuchClient)
	require.True(t, p.server.Disconnect(2, "go"))
	assert.ErrorIs(t, p.ears.send.SendTo(2, chat{Text: "gone"}), plugin.ErrNoSuchClient)
	assert.NoError(t, p.ears.send.Send(p.targets.Only(2, 9), chat{Text: "nobody"}))
	require.NoError(t, p.server.Stop())
	assert.ErrorIs(t, p.ears.send.SendTo(1, chat{Text: "stopped"}), plugin.ErrNoSuchClient)
	assert.NoError(t, p.ears.send.Send(components.Everyone, chat{Text: "nobody"}))
}

// A host's player is a client without a connection until it has joined.
//
// Proves: C12, P18
func TestAHostsPlayerSendsOnceItHasJoined(t *testing.T) {
	var m mouth
	h := newHosted(t, m.system())
	refused := func() {
		t.Helper()
		assert.ErrorIs(t, m.order.Send(components.Server, order{}), plugin.ErrNotConnected)
		assert.ErrorIs(t, m.say.Send(components.Everyone, chat{}), plugin.ErrNotConnected)
		assert.ErrorIs(t, m.tidings.SendTo(me, tidings{}), plugin.ErrNoSuchClient)
		_, err := m.ask.Request(sum{1, 2})
		assert.ErrorIs(t, err, plugin.ErrNotConnected)
	}
	refused()
	assert.NoError(t, m.tidings.Send(components.Everyone, tidings{}), "the server speaks to nobody")
	h.play()
	require.NoError(t, m.order.Send(components.Server, order{}))
	require.NoError(t, m.say.Send(components.Everyone, chat{}))
	require.NoError(t, m.tidings.SendTo(me, tidings{}))
	_, err := m.ask.Request(sum{1, 2})
	require.NoError(t, err)
	assert.ErrorIs(t, m.tidings.SendTo(entangle.ClientID(1), tidings{}), plugin.ErrNoSuchClient)
	h.host.Player().Disconnect()
	refused()
}
