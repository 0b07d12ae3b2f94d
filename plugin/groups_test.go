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

type slab struct{ Data [512]float64 }

func slabProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "plugin test"})
	protocol.Component[slab](p)
	return p
}

// joinSlabs adds a client with slabs in its protocol.
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

// A group of more than 64 KiB is not sent at all, which is logged once. When it has become smaller,
// it arrives in many packets and is applied at once. Other groups are not delayed.
//
// Proves: P9, Z8
func TestAGroupThatIsTooLargeIsRefusedWhole(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = slabProtocol() })
	refused := plugin.NewReader[plugin.GroupRefused](g.world)
	p := joinSlabs(t, g)
	slabs := generic.NewMap2[slab, components.Replicate](g.world)
	var large []ecs.Entity
	for i := range 17 { // entities of 4 KiB each
		large = append(large, slabs.NewWith(&slab{Data: [512]float64{float64(i)}}, &components.Replicate{Group: 7}))
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

// An entity that moves to a group that is too large despawns, and does not block the group it left.
// It appears once the large group is sent, or when it moves back to the former group.
//
// Proves: R41
func TestWhoGoesToAGroupThatIsTooLargeHoldsUpNobody(t *testing.T) {
	g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = slabProtocol() })
	p := joinSlabs(t, g)
	slabs := generic.NewMap2[slab, components.Replicate](g.world)
	spawn := func(n float64, group components.Group) ecs.Entity {
		return slabs.NewWith(&slab{Data: [512]float64{n}}, &components.Replicate{Group: group})
	}
	shown := func() (ns []float64) {
		f := generic.NewFilter1[slab]()
		for q := f.Query(p.world); q.Next(); {
			ns = append(ns, q.Get().Data[0])
		}
		return ns
	}
	first, second := spawn(1, 7), spawn(2, 7)
	var large []ecs.Entity
	for range 17 {
		large = append(large, spawn(3, 8))
	}
	g.run(60)
	require.ElementsMatch(t, []float64{1, 2}, shown())

	to := func(group components.Group) { at[components.Replicate](g.world, second).Group = group }
	to(8)
	g.run(10)
	assert.Equal(t, []float64{1}, shown())
	for range 30 { // also while the large group changes in every tick
		at[slab](g.world, first).Data[0] += 4
		g.world.RemoveEntity(large[0])
		large = append(large[1:], spawn(3, 8))
		g.run(1)
	}
	g.run(5)
	assert.Equal(t, []float64{121}, shown())
	to(7)
	g.run(10)
	assert.ElementsMatch(t, []float64{121, 2}, shown())
	to(8)
	g.run(10)
	for _, e := range large[:15] {
		g.world.RemoveEntity(e)
	}
	g.run(30)
	assert.ElementsMatch(t, []float64{121, 2, 3, 3}, shown())
}
