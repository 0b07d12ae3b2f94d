package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// panicText returns the text with which do panics.
func panicText(t *testing.T, do func()) (text string) {
	t.Helper()
	defer func() {
		said := recover()
		require.NotNil(t, said, "nothing was said")
		text, _ = said.(string)
	}()
	do()
	return ""
}

// Every wrong call fails at once, with an error or panic that says how to fix it.
func TestWrongCallsSayWhatToDo(t *testing.T) {
	fresh := func() *plugin.Client {
		c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol()})
		require.NoError(t, err)
		return c
	}
	w, other := ecs.NewWorld(), ecs.NewWorld()
	c := fresh()
	assert.Contains(t, panicText(t, func() { c.Update(&w) }), "call Initialize(world) first")
	assert.Contains(t, panicText(t, func() { c.Initialize(nil) }), "ecs.NewWorld()")
	assert.ErrorContains(t, c.Wait(t.Context(), plugin.Connected), "call Connect first")
	c.Initialize(&w)
	assert.Contains(t, panicText(t, func() { c.Initialize(&other) }), "make a new app")
	assert.Contains(t, panicText(t, func() { fresh().Initialize(&w) }), "a world of its own")
	assert.Contains(t, panicText(t, func() { c.Update(&other) }), "another world")
	query := w.Query(ecs.All())
	assert.Contains(t, panicText(t, func() { c.Update(&w) }), "query")
	query.Close()
	assert.Contains(t, panicText(t, func() { c.AddSystem(plugin.AfterReceive, plugin.Func(func(*ecs.World) func() { return nil })) }), "before")
	c.Update(&w)
	w.Reset()
	assert.Contains(t, panicText(t, func() { c.Update(&w) }), "World.Reset")
}

func TestASystemDoesNotUpdateItsApp(t *testing.T) {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), TickPerUpdate: true})
	require.NoError(t, err)
	c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() { return func() { c.Update(w) } }))
	w := ecs.NewWorld()
	c.Initialize(&w)
	assert.Contains(t, panicText(t, func() { c.Update(&w) }), "does not update its app")
}

func TestRegisteringTooLateIsToldAtInitialize(t *testing.T) {
	p := testProtocol()
	s, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
	require.NoError(t, err)
	protocol.Component[private](p)
	w := ecs.NewWorld()
	assert.Contains(t, panicText(t, func() { s.Initialize(&w) }), "registered after the protocol was sealed")
}

func TestOneKindOfRequestHasOneHandler(t *testing.T) {
	g := newGame(t)
	answer := func(entangle.ClientID, sum) (total, error) { return total{}, nil }
	plugin.HandleRequest(g.world, answer)
	assert.Contains(t, panicText(t, func() { plugin.HandleRequest(g.world, answer) }), "handled already")
	require.NoError(t, g.server.Stop())
	assert.ErrorContains(t, g.server.Start(nil), "needs at least one listener")
}
