package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche-model/model"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
)

// allApps returns one app of each kind, with a system that counts how often it is initialised.
func allApps(t *testing.T) (list []plugin.App, initialised []*int) {
	t.Helper()
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), TickPerUpdate: true})
	require.NoError(t, err)
	server, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol(), TickPerUpdate: true})
	require.NoError(t, err)
	host, err := plugin.NewHost(plugin.ServerConfig{Protocol: testProtocol(), TickPerUpdate: true}, entangle.ClientID(1))
	require.NoError(t, err)
	list = []plugin.App{client, server, host}
	for _, app := range list {
		count := new(int)
		app.AddSystem(plugin.FixedMain, plugin.Func(func(*ecs.World) func() { *count++; return nil }))
		initialised = append(initialised, count)
	}
	return list, initialised
}

// A client has to be initialised before it can connect. If a model initialises its systems a second
// time when it begins to run, that has no effect.
func TestInitializingAgainWithTheSameWorldDoesNothing(t *testing.T) {
	list, initialised := allApps(t)
	for i, app := range list {
		m := model.New()
		m.AddSystem(app)
		app.Initialize(&m.World)
		m.Initialize()
		require.True(t, m.Update())
		m.Finalize()
		assert.Equal(t, 1, *initialised[i], "%T", app)
	}
}

func TestInitializingWithAnotherWorldSaysWhichToUse(t *testing.T) {
	list, _ := allApps(t)
	for _, app := range list {
		own, m := ecs.NewWorld(), model.New()
		m.AddSystem(app)
		app.Initialize(&own)
		said := panicText(t, m.Initialize)
		assert.Contains(t, said, "another world", "%T", app)
		assert.Contains(t, said, "&model.World", "%T", app)
	}
}

func TestAnAppIsNotInitializedAgainAfterItsEnd(t *testing.T) {
	list, _ := allApps(t)
	for _, app := range list {
		w := ecs.NewWorld()
		app.Initialize(&w)
		app.Finalize(&w)
		assert.Contains(t, panicText(t, func() { app.Initialize(&w) }), "finalised", "%T", app)
	}
}

func TestAnAppIsNotInitializedFromItsOwnSystems(t *testing.T) {
	list, _ := allApps(t)
	for _, app := range list {
		w := ecs.NewWorld()
		app.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() { app.Initialize(w); return nil }))
		assert.Contains(t, panicText(t, func() { app.Initialize(&w) }), "from one of its own systems", "%T", app)
	}
}
