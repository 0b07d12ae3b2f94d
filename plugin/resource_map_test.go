//go:build !js

package plugin_test

import (
	"fmt"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/kelindar"
	"github.com/entangle-ecs/entangle/transport/token"
)

// ledger is a resource with maps, which only the codec of the library can encode.
type ledger struct {
	Of    map[string]int32
	Empty map[int32]string
	Notes []string
}

func ledgerProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "ledger"})
	protocol.Resource[ledger](p).Codec(kelindar.Codec[ledger]{})
	return p
}

// A resource with maps is encoded by the codec that the game provides. Equal maps are no change,
// although the library writes them in a different order each time.
//
// Proves: R29, G4
func TestAResourceOfMapsIsReplicated(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = ledgerProtocol() })
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: ledgerProtocol(), Clock: g.clock})
	require.NoError(t, err)
	w := ecs.NewWorld()
	c.Initialize(&w)
	g.clients = append(g.clients, &player{Client: c, world: &w})
	tok, err := plugin.MintToken(g.key, "ledger", token.Claims{ClientID: 1, Servers: g.server.Addrs(), Now: g.now})
	require.NoError(t, err)
	require.NoError(t, c.Connect(g.network.Dialer(), tok))

	now := &ledger{Of: map[string]int32{}, Notes: []string{"one"}}
	for i := range int32(20) {
		now.Of[fmt.Sprint("name ", i)] = i
	}
	ecs.AddResource(g.world, now)
	plugin.ReplicateResource[ledger](g.world, components.Everyone)
	g.run(60)
	got := ecs.GetResource[ledger](&w)
	assert.Equal(t, now.Of, got.Of)
	assert.Equal(t, now.Notes, got.Notes)
	assert.EqualValues(t, 1, g.server.Stats().Resources.Changed)

	now.Of["name 7"]++
	delete(now.Of, "name 8")
	g.run(10)
	assert.Equal(t, now.Of, got.Of)
	assert.EqualValues(t, 2, g.server.Stats().Resources.Changed)

	refused := plugin.NewReader[plugin.ResourceRefused](g.world)
	now.Notes = append(now.Notes, string(make([]byte, 5000)))
	var told []plugin.ResourceRefused
	for range 10 {
		g.run(1)
		told = append(told, refused.Read()...)
	}
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0].Err, protocol.ErrTooLong)
	assert.Equal(t, []string{"one"}, got.Notes)
}
