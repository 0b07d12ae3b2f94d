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

// SendEvery of an entity's Replicate applies from its spawn, after a change of it, and after the
// Replicate was removed and added again. Spawns do not wait for the interval.
//
// Proves: R35
func TestSendEveryIsTheIntervalOfAGroup(t *testing.T) {
	g := newGame(t)
	p := g.join(1)
	g.run(60)
	things := generic.NewMap3[spot, name, components.Replicate](g.world)
	e := things.NewWith(&spot{}, &name{1}, &components.Replicate{SendEvery: 20})
	marker := generic.NewMap1[components.Replicate](g.world)
	g.run(3)
	require.Len(t, spots(p.world), 1, "a spawn does not wait")
	expect := func(every int, why string) {
		t.Helper()
		steps, last := 0, spots(p.world)[1]
		for range 100 {
			at[spot](g.world, e).X++
			g.run(1)
			if now := spots(p.world)[1]; now != last {
				steps, last = steps+1, now
			}
		}
		assert.InDelta(t, 100/every, steps, 1, why)
		g.run(every + 2)
		assert.Equal(t, *at[spot](g.world, e), spots(p.world)[1])
	}
	expect(20, "from its spawn")
	at[components.Replicate](g.world, e).SendEvery = 5
	expect(5, "changed")
	marker.Remove(e)
	g.run(10)
	marker.Assign(e, &components.Replicate{SendEvery: 10})
	expect(10, "put on again")
}

// A bound that a client's cap does not allow to keep is logged and counted. A bound that is kept is
// not.
//
// Proves: R36
func TestABrokenBoundIsTold(t *testing.T) {
	for _, c := range []struct {
		maxAge uint16
		broken bool
	}{{200, false}, {0, false}, {1, true}} {
		g := newGameWith(t, func(config *plugin.ServerConfig) { config.MaxBytesPerClient = plugin.LeastBytes })
		told := plugin.NewReader[plugin.BoundExceeded](g.world)
		p := g.join(7)
		things := generic.NewMap3[spot, name, components.Replicate](g.world)
		var all []ecs.Entity
		for i := range 100 {
			all = append(all, things.NewWith(&spot{}, &name{uint32(i)}, &components.Replicate{MaxAge: c.maxAge, Group: components.Group(i + 1)}))
		}
		var events []plugin.BoundExceeded
		for i := range 300 {
			for _, e := range all[:len(all)*min(i/100, 1)] {
				at[spot](g.world, e).X++
			}
			g.run(1)
			events = append(events, told.Read()...)
		}
		require.Len(t, spots(p.world), 100)
		if !c.broken {
			assert.Empty(t, events)
			assert.Zero(t, g.server.Stats().Replication.Overdue)
			continue
		}
		assert.NotZero(t, g.server.Stats().Replication.Overdue)
		require.NotEmpty(t, events)
		assert.LessOrEqual(t, len(events), 4)
		e := events[0]
		assert.EqualValues(t, 7, e.Client)
		assert.Equal(t, 1, e.Bound)
		assert.Greater(t, e.Age, e.Bound)
		assert.Positive(t, e.Groups)
		assert.Equal(t, at[components.Replicate](g.world, e.Entity).Group, e.Group)
	}
}

// Without a cap, the limit of packets per tick can break a bound, which is logged as well.
//
// Proves: R36
func TestABoundThatThePacketsOfATickBreakIsTold(t *testing.T) {
	type ballast struct{ Of [250]uint32 }
	proto := func() *protocol.Protocol {
		p := testProtocol()
		protocol.Component[ballast](p)
		return p
	}
	g := newGameWith(t, func(config *plugin.ServerConfig) { config.Protocol = proto() })
	told := plugin.NewReader[plugin.BoundExceeded](g.world)
	p := g.joinWith(proto(), 7)
	things := generic.NewMap3[ballast, name, components.Replicate](g.world)
	var all []ecs.Entity
	for i := range 600 {
		all = append(all, things.NewWith(&ballast{}, &name{uint32(i)}, &components.Replicate{MaxAge: 1}))
	}
	g.run(600)
	require.Len(t, p.copies(), len(all))
	write := func(n, ticks int) (events []plugin.BoundExceeded) {
		for range ticks {
			for _, e := range all[:n] {
				at[ballast](g.world, e).Of[0]++
				for i := range 249 {
					at[ballast](g.world, e).Of[i+1] = at[ballast](g.world, e).Of[0] << 8
				}
			}
			g.run(1)
			events = append(events, told.Read()...)
		}
		return events
	}
	require.Empty(t, write(200, 20), "there are packets for all")
	require.Zero(t, g.server.Stats().Replication.Overdue)
	events := write(600, 20)
	require.Len(t, events, 1)
	assert.EqualValues(t, 7, events[0].Client)
	assert.Greater(t, events[0].Age, events[0].Bound)
	assert.Positive(t, events[0].Groups)
	assert.NotZero(t, g.server.Stats().Replication.Overdue)
}
