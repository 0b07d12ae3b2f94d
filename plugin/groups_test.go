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

type slab struct{ Data [512]uint64 }

func slabProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[slab](p)
	return p
}

// joinSlabs adds a client that knows slabs.
func joinSlabs(t *testing.T, g *game) *player {
	c, err := plugin.NewClient(plugin.ClientConfig{Protocol: slabProtocol(), Clock: g.clock})
	require.NoError(t, err)
	w := ecs.NewWorld()
	c.Initialize(&w)
	p := &player{Client: c, world: &w}
	g.clients = append(g.clients, p)
	g.connect(p, 1)
	return p
}

// A group of more than 64 KiB is not sent, in no part, and told once; when it has
// become smaller it is there, in many packets and all at once. Others are not held up.
//
// Proves: P9, Z8
func TestAGroupThatIsTooLargeIsRefusedWhole(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = slabProtocol() })
	refused := plugin.NewReader[plugin.GroupRefused](g.world)
	p := joinSlabs(t, g)
	slabs := generic.NewMap2[slab, components.Replicate](g.world)
	var large []ecs.Entity
	for i := range 17 { // of 4 KiB each
		large = append(large, slabs.NewWith(&slab{Data: [512]uint64{uint64(i)}}, &components.Replicate{Group: 7}))
	}
	slabs.NewWith(&slab{}, &components.Replicate{Group: 8})
	var told []plugin.GroupRefused
	for range 60 {
		g.run(1)
		told = append(told, refused.Read()...)
	}
	require.Len(t, told, 1)
	assert.EqualValues(t, 7, told[0].Group)
	assert.Contains(t, large, told[0].Entity)
	assert.Equal(t, 1, count[slab](p.world), "the other group alone")

	g.world.RemoveEntity(large[0])
	g.world.RemoveEntity(large[1])
	for range 60 {
		g.run(1)
		n := count[slab](p.world)
		require.Contains(t, []int{1, 16}, n, "half a group")
	}
	assert.Equal(t, 16, count[slab](p.world))
	assert.Empty(t, refused.Read())
}
