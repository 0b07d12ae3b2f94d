package stage_test

import (
	"bytes"
	"context"
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/stage"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// players is a cast without a game, with the sides that were created from it.
type players struct {
	server  *plugin.Server
	clients []*plugin.Client
}

func (p *players) cast(clients int) stage.Cast {
	return stage.Cast{
		Rate: 60, Clients: clients,
		Protocol: func() *protocol.Protocol { return protocol.New(protocol.Config{Name: "stage"}) },
		Server: func(c plugin.ServerConfig) (server *plugin.Server, err error) {
			p.server, err = plugin.NewServer(c)
			return p.server, err
		},
		Client: func(c plugin.ClientConfig, id entangle.ClientID) (*plugin.Client, error) {
			client, err := plugin.NewClient(c)
			p.clients = append(p.clients, client)
			return client, err
		},
	}
}

// All sides play in one process, on a virtual clock, with a key and without.
func TestAllSidesPlayTogether(t *testing.T) {
	for _, key := range []string{"", token.NewKey().Hex()} {
		var p players
		s, err := stage.Open(p.cast(3), stage.Sides{Mode: stage.All, Key: key}, stage.Line{Latency: program.Span(20 * time.Millisecond)})
		require.NoError(t, err)
		require.NoError(t, s.PlayOn(t.Context(), func() (bool, error) { return s.Step(90), s.Failed() }))
		assert.Equal(t, 90, s.Played)
		assert.Equal(t, 1500*time.Millisecond, s.Now().Round(time.Millisecond))
		assert.Len(t, s.Worlds, 4)
		for i, c := range p.clients {
			assert.Equal(t, plugin.Connected, c.State())
			assert.Equal(t, entangle.ClientID(i+1), c.ID())
		}
		s.End()
	}
}

// If a line loses everything, the play ends with the reason.
func TestAPlayFailsWithItsClient(t *testing.T) {
	var p players
	s, err := stage.Open(p.cast(1), stage.Sides{}, stage.Line{Loss: 1})
	require.NoError(t, err)
	err = s.PlayOn(t.Context(), func() (bool, error) { return s.Step(0), s.Failed() })
	assert.ErrorContains(t, err, "the client is disconnected: ")
}

// A line can be changed while all sides play.
func TestALineIsChangedInPlay(t *testing.T) {
	var p players
	s, err := stage.Open(p.cast(2), stage.Sides{}, stage.Line{})
	require.NoError(t, err)
	defer s.End()
	rtts := func() (all []time.Duration) {
		require.NoError(t, s.PlayOn(t.Context(), func() (bool, error) { return s.Step(s.Played/180*180 + 180), s.Failed() }))
		for _, c := range p.clients {
			all = append(all, c.Stats().Link.RTT)
		}
		return all
	}
	for _, rtt := range rtts() {
		assert.Less(t, rtt, 80*time.Millisecond)
	}
	require.NoError(t, s.SetLine(stage.Line{Latency: program.Span(100 * time.Millisecond)}))
	for _, rtt := range rtts() {
		assert.Greater(t, rtt, 150*time.Millisecond)
	}
	assert.Error(t, s.SetLine(stage.Line{Loss: 2}))
}

// The sides find each other over UDP, each on a stage of its own.
func TestSidesPlayInSeparateProcesses(t *testing.T) {
	var there, here players
	server, err := stage.Open(there.cast(1), stage.Sides{Mode: stage.Server, Addr: "127.0.0.1:0"}, stage.Line{})
	require.NoError(t, err)
	defer server.End()
	assert.True(t, server.Alone())
	_, err = stage.Open((&players{}).cast(1), stage.Sides{Mode: stage.Server, Addr: there.server.Addrs()[0].String()}, stage.Line{})
	require.ErrorContains(t, err, "choose another with -addr")

	client, err := stage.Open(here.cast(1), stage.Sides{Mode: stage.Client, Addr: there.server.Addrs()[0].String()}, stage.Line{})
	require.NoError(t, err)
	defer client.End()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	err = client.PlayOn(ctx, func() (bool, error) {
		server.Frame()
		client.Frame()
		return here.clients[0].State() == plugin.Connected, client.Failed()
	})
	require.NoError(t, err)
	require.NoError(t, ctx.Err())
}

func TestOptionsSayWhatToWrite(t *testing.T) {
	for says, sides := range map[string]stage.Sides{
		"it can be all, server, client or key": {Mode: "both"},
		"64 hexadecimal digits":                {Mode: stage.All, Key: "secret"},
	} {
		assert.ErrorContains(t, sides.Check(), says)
	}
	for says, line := range map[string]stage.Line{
		"latency can't be below zero":   {Latency: -1},
		"jitter can't be below zero":    {Jitter: -1},
		"loss is 1.5; it can be 0 to 1": {Loss: 1.5},
	} {
		assert.ErrorContains(t, line.Check(), says)
	}
	var sides stage.Sides
	set := flag.NewFlagSet("", flag.ContinueOnError)
	sides.Bind(set, "a client")
	require.NoError(t, set.Parse(nil))
	assert.NoError(t, sides.Check())
	var key bytes.Buffer
	require.NoError(t, stage.PrintKey(&key))
	assert.Len(t, key.String(), 65)
}
