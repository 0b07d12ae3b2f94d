package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// aheadProtocol has one component that is predicted.
func aheadProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[spot](p).Predict(protocol.Full)
	protocol.Component[name](p)
	return p
}

// The confirmed state of a predicted entity can be read next to it, its twin shows it, and both
// exist for as long as the server has the entity.
//
// Proves: B23, B30
func TestTheConfirmedStateOfWhatIsPredicted(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = aheadProtocol() })
	w := ecs.NewWorld()
	client, err := plugin.NewClient(plugin.ClientConfig{Protocol: aheadProtocol(), Clock: g.clock, ConfirmedTwins: true})
	require.NoError(t, err)
	client.Initialize(&w)
	c := &player{Client: client, world: &w}
	g.clients = append(g.clients, c)
	g.connect(c, 1)
	m := generic.NewMap3[spot, name, components.Replicate](g.world)
	e := m.NewWith(&spot{1, 2}, &name{7}, &components.Replicate{Predict: components.Everyone})
	g.run(60)

	filter := generic.NewFilter1[components.Predicted]()
	q := filter.Query(&w)
	require.True(t, q.Next())
	there := q.Entity()
	q.Close()
	spots := plugin.NewConfirmed[spot](&w)
	value, _, ok := spots.Get(there)
	require.True(t, ok)
	assert.Equal(t, spot{1, 2}, value)
	twin, ok := c.Twin(there)
	require.True(t, ok)
	assert.Equal(t, there, at[components.ConfirmedOf](&w, twin).Entity)
	assert.True(t, w.Has(twin, ecs.ComponentID[components.Remote](&w)))
	assert.Equal(t, name{7}, *at[name](&w, twin))

	at[spot](g.world, e).X = 5
	g.run(10)
	value, _, _ = spots.Get(there)
	assert.Equal(t, spot{5, 2}, value)
	assert.Equal(t, spot{5, 2}, *at[spot](&w, twin))
	assert.Equal(t, spot{5, 2}, *at[spot](&w, there), "it is put right")

	gone := plugin.NewReader[plugin.EntityDespawned](&w)
	g.world.RemoveEntity(e)
	for range 30 {
		g.run(1)
		for _, d := range gone.Read() {
			value, _, ok = spots.Get(d.Entity)
			assert.True(t, ok, "whoever is told may ask")
			assert.Equal(t, spot{5, 2}, value)
		}
	}
	assert.False(t, w.Alive(there))
	assert.False(t, w.Alive(twin))
	_, _, ok = spots.Get(there)
	assert.False(t, ok)
}
