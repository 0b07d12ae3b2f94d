package plugin_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// marks is an input that refers to a few more entities than a packet can name.
type marks struct {
	At [protocol.MaxInputEntities + 6]ecs.Entity
}

// An input that refers to more entities than a packet can name arrives with those that it can name,
// and without the others, which are counted and logged once.
func TestAnInputThatRefersToManyEntities(t *testing.T) {
	p := func() *protocol.Protocol {
		p := ownedProtocol()
		protocol.Input[marks](p)
		return p
	}
	for _, many := range []int{protocol.MaxInputEntities, protocol.MaxInputEntities + 6} {
		g := newGameWith(t, func(c *plugin.ServerConfig) { c.Protocol = p() })
		var log strings.Builder
		client, err := plugin.NewClient(plugin.ClientConfig{Protocol: p(), Clock: g.clock, Log: slog.New(slog.NewTextHandler(&log, nil))})
		require.NoError(t, err)
		client.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
			mine, all := generic.NewFilter1[marks]().With(generic.T[components.Controlled]()), generic.NewFilter1[name]()
			return func() {
				var others [protocol.MaxInputEntities + 6]ecs.Entity
				for q := all.Query(w); q.Next(); {
					if n := int(q.Get().ID); n < many {
						others[n] = q.Entity()
					}
				}
				for q := mine.Query(w); q.Next(); {
					q.Get().At = others
				}
			}
		}))
		w := ecs.NewWorld()
		client.Initialize(&w)
		c := &player{Client: client, world: &w}
		g.clients = append(g.clients, c)
		g.connect(c, 1)
		var others []ecs.Entity
		for n := range many {
			others = append(others, g.spawn(spot{}, name{uint32(n)}))
		}
		m := generic.NewMap3[marks, components.ControlledBy, components.Replicate](g.world)
		driven := m.NewWith(&marks{}, &components.ControlledBy{Client: 1}, &components.Replicate{})
		g.run(120)

		got := at[marks](g.world, driven).At
		assert.Equal(t, others[:protocol.MaxInputEntities], got[:protocol.MaxInputEntities])
		for _, e := range got[protocol.MaxInputEntities:] {
			assert.True(t, e.IsZero())
		}
		excess := many - protocol.MaxInputEntities
		assert.Equal(t, excess > 0, c.Stats().Inputs.LeftOut > 0)
		assert.Equal(t, min(excess, 1), strings.Count(log.String(), "refers to more entities than a packet names"), log.String())
		assert.Zero(t, g.broken())
	}
}
