package plugin_test

import (
	"slices"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// eventLog is the component events that a client's system has read.
type eventLog struct {
	t      *testing.T
	world  *ecs.World
	events []string
}

// follow reads the events of a component type. When an event is read, the entity has the component,
// or does not have it if the event is its removal.
func follow[C any](l *eventLog, what string) func() {
	id := ecs.ComponentID[C](l.world)
	inserted, updated := plugin.NewReader[plugin.ComponentInserted[C]](l.world), plugin.NewReader[plugin.ComponentUpdated[C]](l.world)
	removed := plugin.NewReader[plugin.ComponentRemoved[C]](l.world)
	record := func(kind string, e ecs.Entity) {
		l.events = append(l.events, what+" "+kind)
		assert.Equal(l.t, kind != "removed", l.world.Has(e, id), "%s %s", what, kind)
	}
	return func() {
		for _, event := range inserted.Read() {
			record("inserted", event.Entity)
		}
		for _, event := range updated.Read() {
			record("updated", event.Entity)
		}
		for _, event := range removed.Read() {
			record("removed", event.Entity)
		}
	}
}

// A client despawns an entity ahead of the server, which keeps it and changes it meanwhile. Events of
// its components come when it has returned, one for each component that is not as it was last
// reported, and none if the server despawns it too.
//
// Proves: R38, B12
func TestEventsOfADespawnedEntityComeWhenItReturns(t *testing.T) {
	tag := func(g *game, e ecs.Entity) { g.world.Add(e, ecs.ComponentID[flag](g.world)) }
	untag := func(g *game, e ecs.Entity) { g.world.Remove(e, ecs.ComponentID[flag](g.world)) }
	rename := func(g *game, e ecs.Entity) { at[name](g.world, e).ID = 77 }
	for what, c := range map[string]struct {
		before, first, second func(g *game, e ecs.Entity)
		want                  []string
		ends                  bool
	}{
		"a value":                {first: rename, want: []string{"name updated"}},
		"a value twice":          {first: func(g *game, e ecs.Entity) { at[name](g.world, e).ID = 3 }, second: rename, want: []string{"name updated"}},
		"a predicted value":      {first: func(g *game, e ecs.Entity) { at[crate](g.world, e).X = 7 }, want: []string{"crate updated"}},
		"inserted":               {first: tag, want: []string{"flag inserted"}},
		"inserted and a value":   {first: tag, second: rename, want: []string{"name updated", "flag inserted"}},
		"inserted, then removed": {first: tag, second: untag},
		"removed":                {before: tag, first: untag, want: []string{"flag removed"}},
		"removed, then inserted": {before: tag, first: untag, second: tag, want: []string{"flag updated"}},
		"despawned":              {first: rename, second: func(g *game, e ecs.Entity) { g.world.RemoveEntity(e) }, ends: true},
		"not predicted any more": {first: rename, second: func(g *game, e ecs.Entity) { at[components.Replicate](g.world, e).Predict = components.Nobody }, want: []string{"name updated"}},
	} {
		t.Run(what, func(t *testing.T) {
			g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = crateProtocol() })
			l := &eventLog{t: t}
			p := g.joinWith(crateProtocol(), 1, func(c *plugin.Client) {
				c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
					l.world = w
					all := []func(){follow[crate](l, "crate"), follow[name](l, "name"), follow[flag](l, "flag")}
					return func() {
						for _, read := range all {
							read()
						}
					}
				}))
			})
			e := g.spawn(spot{}, name{1})
			g.world.Add(e, ecs.ComponentID[crate](g.world))
			at[components.Replicate](g.world, e).Predict = components.Everyone
			if c.before != nil {
				c.before(g, e)
			}
			g.run(120)
			mine := p.copies()[1]
			require.True(t, p.world.Has(mine, ecs.ComponentID[components.Predicted](p.world)))
			l.events = nil
			plugin.Despawn(p.world, mine)
			c.first(g, e)
			g.run(2)
			returned := p.world.Has(mine, ecs.ComponentID[name](p.world)) // a compared value brings it back at once
			assert.Equal(t, what == "a predicted value", returned)
			assert.Equal(t, returned, len(l.events) > 0)
			if c.second != nil {
				c.second(g, e)
			}
			g.run(60)
			assert.Equal(t, c.want, slices.Compact(l.events), "an update that is sent again is told again")
			assert.Equal(t, c.ends, !p.world.Alive(mine))
			if !c.ends {
				assert.Equal(t, *at[name](g.world, e), *at[name](p.world, mine))
			}
		})
	}
}
