package plugin_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// gauge has a range that values can exceed.
type gauge struct {
	Level float32 `net:"range=0..1,step=0.01"`
}

func gaugeProtocol(options ...func(*protocol.ComponentRule[gauge])) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	rule := protocol.Component[gauge](p)
	for _, option := range options {
		option(rule)
	}
	return p
}

// A number outside its range is logged once, with its component.
func TestANumberOutsideItsRangeIsLogged(t *testing.T) {
	delta := func(c *protocol.ComponentRule[gauge]) { c.Delta() }
	for _, options := range [][]func(*protocol.ComponentRule[gauge]){nil, {delta}} {
		var log bytes.Buffer
		g := newGameWith(t, func(c *plugin.ServerConfig) {
			c.Protocol, c.Log = gaugeProtocol(options...), slog.New(slog.NewTextHandler(&log, nil))
		})
		g.joinWith(gaugeProtocol(options...), 1)
		gauges := generic.NewMap2[gauge, components.Replicate](g.world)
		e := gauges.New()
		g.run(60)
		require.NotContains(t, log.String(), "outside its range")
		for i := range 10 {
			at[gauge](g.world, e).Level = float32(i%2) * 5
			g.run(10)
		}
		assert.Equal(t, 1, strings.Count(log.String(), "a number is outside its range"), log.String())
		assert.Contains(t, log.String(), "component=plugin_test.gauge")
	}
}

// A number that walks over its limit is logged, though the nearest number inside is the one that was sent before, or
// though it is rounded in each tick.
func TestANumberThatWalksOutOfItsRangeIsLogged(t *testing.T) {
	for name, option := range map[string]func(*protocol.ComponentRule[gauge]){
		"plain":   func(*protocol.ComponentRule[gauge]) {},
		"delta":   func(c *protocol.ComponentRule[gauge]) { c.Delta() },
		"rounded": func(c *protocol.ComponentRule[gauge]) { c.Predict(protocol.Full) },
	} {
		var log bytes.Buffer
		g := newGameWith(t, func(c *plugin.ServerConfig) {
			c.Protocol, c.Log = gaugeProtocol(option), slog.New(slog.NewTextHandler(&log, nil))
		})
		g.joinWith(gaugeProtocol(option), 1)
		gauges := generic.NewMap2[gauge, components.Replicate](g.world)
		e := gauges.NewWith(&gauge{0.9}, &components.Replicate{})
		g.run(60)
		for range 10 {
			at[gauge](g.world, e).Level += 0.01
			g.run(2)
		}
		require.NotContains(t, log.String(), "outside its range", name)
		require.Zero(t, g.server.Stats().Replication.Clamped, name)
		for range 10 {
			at[gauge](g.world, e).Level += 0.01
			g.run(2)
		}
		assert.Equal(t, 1, strings.Count(log.String(), "a number is outside its range"), "%s: %s", name, log.String())
		assert.Contains(t, log.String(), "component=plugin_test.gauge", name)
		assert.NotZero(t, g.server.Stats().Replication.Clamped, name)
	}
}

// A target that includes no client, without being Nobody, is logged once.
func TestATargetOfNobodyIsLogged(t *testing.T) {
	var log bytes.Buffer
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	targets := ecs.GetResource[components.Targets](g.world)
	spots := generic.NewMap2[spot, components.Replicate](g.world)
	for _, target := range []components.Target{
		components.Default, components.Everyone, components.Nobody, components.Owner, components.NotOwner,
		targets.Only(7), targets.Except(7), targets.Room(7),
	} {
		spots.NewWith(&spot{}, &components.Replicate{Target: target})
	}
	g.run(2)
	require.Empty(t, log.String())
	for _, target := range []components.Target{components.Server, 9, targets.Except(7) + components.MaxSets} {
		log.Reset()
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
		spots := generic.NewMap2[spot, components.Replicate](g.world)
		for range 2 {
			spots.NewWith(&spot{}, &components.Replicate{Target: target})
			g.run(2)
		}
		assert.Equal(t, 1, strings.Count(log.String(), "a Replicate.Target is for no client"), "%v: %s", target, log.String())
	}
}

// A Replicate on a client's entity is logged once, because clients replicate nothing. A prespawned entity may have one.
func TestReplicateOnAClientIsLogged(t *testing.T) {
	var log bytes.Buffer
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	require.NoError(t, err)
	w := ecs.NewWorld()
	client.Initialize(&w)
	now := time.Unix(1, 0)
	client.Step(now)
	require.Empty(t, log.String())
	logged := func() int {
		for range 3 {
			now = now.Add(time.Second / 60)
			client.Step(now)
		}
		return strings.Count(log.String(), "which is the server's to put on")
	}
	bullets := generic.NewMap3[spot, components.Replicate, components.Prespawned](&w)
	bullets.New()
	disabled := generic.NewMap2[components.Predicted, components.Replicate](&w)
	disabled.New() // a rollback has taken off the rest
	assert.Zero(t, logged(), log.String())
	tagged := generic.NewMap2[spot, components.Replicate](&w)
	tagged.New()
	assert.Equal(t, 1, logged(), log.String())
}

// A system that leaves a query open is named in the error, wherever it runs.
func TestASystemThatLeavesAQueryOpenIsNamed(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for set, name := range map[plugin.Set]string{plugin.AfterReceive: "AfterReceive", plugin.FixedMain: "FixedMain", plugin.AfterSend: "AfterSend"} {
			client, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), Strict: strict})
			require.NoError(t, err)
			client.AddSystem(set, plugin.Func(func(w *ecs.World) func() {
				return func() {
					q := w.Query(ecs.All())
					q.Next()
				}
			}))
			w := ecs.NewWorld()
			client.Initialize(&w)
			w.NewEntity()
			now := time.Unix(1, 0)
			said := panicText(t, func() {
				for range 5 {
					now = now.Add(time.Second / 60)
					client.Step(now)
				}
			})
			assert.Contains(t, said, "odd_test.go", name)
			assert.Contains(t, said, "in "+name+" has left a query of the world open; iterate it to its end, or Close it", name)
		}
	}
}

// Components that the plugin adds to entities by itself are not part of a protocol.
func TestThePluginsOwnMarksAreNotRegistered(t *testing.T) {
	for name, register := range map[string]func(*protocol.Protocol){
		"components.Replicate":   func(p *protocol.Protocol) { protocol.Component[components.Replicate](p) },
		"components.Remote":      func(p *protocol.Protocol) { protocol.Component[components.Remote](p) },
		"components.Controlled":  func(p *protocol.Protocol) { protocol.Component[components.Controlled](p) },
		"components.Predicted":   func(p *protocol.Protocol) { protocol.Component[components.Predicted](p) },
		"components.ConfirmedOf": func(p *protocol.Protocol) { protocol.Component[components.ConfirmedOf](p) },
		"components.NoRollback":  func(p *protocol.Protocol) { protocol.Component[components.NoRollback](p) },
	} {
		p := protocol.New(protocol.Config{Name: "marks"})
		register(p)
		_, err := plugin.NewServer(plugin.ServerConfig{Protocol: p, Key: token.NewKey()})
		require.ErrorContains(t, err, name+" is registered, and is the plugin's own")
		_, err = plugin.NewClient(plugin.ClientConfig{Protocol: p})
		require.ErrorContains(t, err, "remove it")
	}
}

// Stats count entities separately from their groups.
func TestStatsCountEntitiesAndGroups(t *testing.T) {
	g := newGame(t)
	tagged := generic.NewMap2[spot, components.Replicate](g.world)
	var all []ecs.Entity
	for _, group := range []components.Group{0, 0, 7, 7, 7} {
		all = append(all, tagged.NewWith(&spot{}, &components.Replicate{Group: group}))
	}
	g.run(5)
	stats := g.server.Stats().Replication
	assert.Equal(t, []int{5, 3}, []int{stats.Entities, stats.Groups})
	g.world.RemoveEntity(all[0])
	g.world.RemoveEntity(all[2])
	g.run(5)
	stats = g.server.Stats().Replication
	assert.Equal(t, []int{3, 2}, []int{stats.Entities, stats.Groups})
}
