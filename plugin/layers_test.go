package plugin_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/trusted"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// scripted is a connection layer that reports the events that a test gives it.
type scripted struct {
	connection.Server // a working layer
	events            []connection.Event
	fails             error
	closed            bool
}

func (l *scripted) Listen(config connection.ServerConfig) (connection.Server, error) {
	inner, err := trusted.Listener{Over: udp.Listener{Addr: "127.0.0.1:0"}}.Listen(config)
	l.Server = inner
	return l, err
}

func (l *scripted) Receive(now time.Time) (connection.Event, error) {
	if len(l.events) == 0 {
		return l.Server.Receive(now)
	}
	e := l.events[0]
	l.events = l.events[1:]
	return e, nil
}

func (l *scripted) Flush() error { return errors.Join(l.fails, l.Server.Flush()) }

func (l *scripted) Close(reason string, now time.Time) error {
	l.closed = true
	return l.Server.Close(reason, now)
}

// noLayer is a layer that can't be opened.
type noLayer struct{}

func (noLayer) Listen(connection.ServerConfig) (connection.Server, error) {
	return nil, errors.New("out of order")
}

func TestMistakesWithLayersSayWhatToDo(t *testing.T) {
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol()})
	require.NoError(t, err)
	assert.ErrorContains(t, s.StartWith(), "needs at least one connection layer, such as server.Netcode")
	assert.ErrorContains(t, s.StartWith(nil), "none that is nil")
	assert.ErrorContains(t, s.Start(nil), "none that is nil")
	assert.ErrorContains(t, s.StartWith(s.Netcode()), "at least one listener")
	assert.ErrorContains(t, s.StartWith(s.Netcode(udp.Listener{Addr: "127.0.0.1:0"}, transport.Listener(nil))), "none that is nil")
	assert.ErrorIs(t, s.StartWith(trusted.Listener{}), trusted.ErrNoTransport)
	assert.ErrorIs(t, s.StartWith(trusted.Listener{Over: udp.Listener{Addr: "0.0.0.0:0"}}), trusted.ErrReachable)
	works := &scripted{}
	assert.ErrorContains(t, s.StartWith(works, noLayer{}), "out of order")
	assert.True(t, works.closed, "none stays open if one can't be opened")
	assert.Equal(t, plugin.Stopped, s.State())
	require.NoError(t, s.StartWith(works))
	assert.ErrorContains(t, s.StartWith(works), "started already")
	require.NoError(t, s.Stop())

	g := newGame(t)
	c := g.join(1)
	c.Disconnect()
	assert.ErrorContains(t, c.ConnectWith(nil), "needs a connection layer")
	assert.ErrorIs(t, c.ConnectWith(trusted.Dialer{}), trusted.ErrNoTransport)
	over := g.network.Dialer()
	assert.ErrorIs(t, c.ConnectWith(trusted.Dialer{Over: over}), trusted.ErrNobody)
	assert.ErrorIs(t, c.ConnectWith(trusted.Dialer{Over: over, Client: 1}), trusted.ErrNoServer)
	assert.ErrorIs(t, c.ConnectWith(trusted.Dialer{Over: over, Client: 1, Server: g.place.Addr(), UserData: make([]byte, 257)}), trusted.ErrUserData)
	assert.Equal(t, plugin.Disconnected, c.State())
}

// A layer that breaks the rules makes the server stop, with an error that names the layer and the
// broken rule. None of the layer's events makes the server panic. A client without an id is
// disconnected.
func TestALayerThatBreaksTheRulesStopsTheServer(t *testing.T) {
	for what, c := range map[string]struct {
		events []connection.Event
		says   string
	}{
		"a slot below all":       {[]connection.Event{{Kind: connection.Connected, Slot: -1, Client: 1}}, "Connected of slot -1"},
		"a slot beyond the last": {[]connection.Event{{Kind: connection.Payload, Slot: 8}}, "Payload of slot 8, and has slots 0 to 7"},
		"no connection":          {[]connection.Event{{Kind: connection.Payload, Slot: 2, Payload: []byte{1}}}, "where nobody is connected"},
		"nobody to leave":        {[]connection.Event{{Kind: connection.Disconnected, Slot: 2}}, "where nobody is connected"},
		"connected twice": {[]connection.Event{
			{Kind: connection.Connected, Slot: 2, Client: 1}, {Kind: connection.Connected, Slot: 2, Client: 3},
		}, "where a client is connected"},
		"no kind": {[]connection.Event{{Slot: 2}}, "unknown of slot 2"},
	} {
		t.Run(what, func(t *testing.T) {
			g := newGame(t)
			require.NoError(t, g.server.Stop())
			l := &scripted{events: c.events}
			require.NoError(t, g.server.StartWith(l))
			g.run(1)
			require.ErrorIs(t, g.server.Err(), endpoint.ErrLayer)
			assert.ErrorContains(t, g.server.Err(), c.says)
			assert.Equal(t, plugin.Stopped, g.server.State())
			assert.True(t, l.closed)
		})
	}
}

func TestALayerThatFailsStopsTheServer(t *testing.T) {
	g := newGame(t)
	require.NoError(t, g.server.Stop())
	l := &scripted{events: []connection.Event{
		{Kind: connection.Connected, Slot: 3, Client: 0},
		{Kind: connection.Connected, Slot: 3, Client: 5, UserData: make([]byte, 1000)},
	}}
	require.NoError(t, g.server.StartWith(l))
	g.run(1)
	require.NoError(t, g.server.Err())
	assert.Contains(t, g.server.Stats().Dropped, plugin.Dropped{Reason: "client without an id", Count: 1})
	l.fails = errors.New("the cable is cut")
	g.run(1)
	assert.ErrorContains(t, g.server.Err(), "the cable is cut")
	assert.Equal(t, plugin.Stopped, g.server.State())
}
