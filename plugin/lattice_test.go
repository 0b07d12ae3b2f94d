package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// ledge is predicted and therefore quantised; sill is not.
type (
	ledge struct {
		H float32 `net:"range=0..100,step=0.5"`
	}
	sill struct {
		H float32 `net:"range=0..100,step=0.5"`
	}
)

func ledgeProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "ledge"})
	protocol.Component[ledge](p).Predict(protocol.Full)
	protocol.Component[sill](p)
	return p
}

// The server computes with the values that clients receive: values set by the systems of a tick, or
// by those of BeforeSend, are quantised in the world. A value out of range is clamped and counted.
// Everything else stays unchanged.
func TestAServerComputesWithWhatTheWireSays(t *testing.T) {
	for name, make := range map[string]func() (plugin.App, *plugin.Server){
		"server": func() (plugin.App, *plugin.Server) {
			s, err := plugin.NewServer(plugin.ServerConfig{Protocol: ledgeProtocol(), TickPerUpdate: true})
			require.NoError(t, err)
			return s, s
		},
		"host": func() (plugin.App, *plugin.Server) {
			h, err := plugin.NewHost(plugin.ServerConfig{Protocol: ledgeProtocol(), TickPerUpdate: true}, 1)
			require.NoError(t, err)
			return h, h.Server
		},
	} {
		for _, set := range []plugin.Set{plugin.AfterReceive, plugin.FixedMain, plugin.BeforeSend} {
			app, server := make()
			w := ecs.NewWorld()
			all := generic.NewFilter2[ledge, sill]()
			app.AddSystem(set, plugin.Func(func(w *ecs.World) func() {
				return func() {
					for q := all.Query(w); q.Next(); {
						l, s := q.Get()
						l.H, s.H = l.H+0.4, s.H+0.4
					}
				}
			}))
			app.Initialize(&w)
			value := generic.NewMap2[ledge, sill](&w)
			own := value.NewWith(&ledge{1.2}, &sill{})
			seen := generic.NewMap3[ledge, sill, components.Replicate](&w)
			low := seen.NewWith(&ledge{1.2}, &sill{1.2}, &components.Replicate{})
			high := seen.NewWith(&ledge{102}, &sill{}, &components.Replicate{})
			server.Step(time.Unix(0, 0))
			l, s := value.Get(low)
			assert.Equal(t, float32(1.5), l.H, "%s, %v", name, set)
			assert.Equal(t, float32(1.6), s.H, "%s, %v", name, set)
			l, _ = value.Get(high)
			assert.Equal(t, float32(100), l.H)
			l, _ = value.Get(own)
			assert.Equal(t, float32(1.6), l.H, "nobody else has it")
			assert.NotZero(t, server.Stats().Replication.Clamped)
		}
	}
}
