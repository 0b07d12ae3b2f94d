package plugin_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// A system of FirstTime runs in no replay. It is initialised and finalised like any other.
//
// Proves: B28
func TestASystemCanBeLeftOutOfReplays(t *testing.T) {
	var log []string
	app, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), TickPerUpdate: true})
	require.NoError(t, err)
	app.AddSystem(plugin.FixedMain, plugin.FirstTime(noting{&log}))
	w := ecs.NewWorld()
	app.Initialize(&w)
	now := time.Unix(0, 0)
	frame := func() {
		app.Step(now)
		now = now.Add(time.Second / time.Duration(app.TickRate()))
	}
	frame()
	frame()
	ecs.GetResource[components.Time](&w).Replaying = true
	frame()
	ecs.GetResource[components.Time](&w).Replaying = false
	frame()
	app.Finalize(&w)
	assert.Equal(t, []string{"initialize", "update", "update", "update", "finalize"}, log)
}

// noting is a system that records which of its methods are called.
type noting struct{ log *[]string }

func (n noting) Initialize(*ecs.World) { *n.log = append(*n.log, "initialize") }
func (n noting) Update(*ecs.World)     { *n.log = append(*n.log, "update") }
func (n noting) Finalize(*ecs.World)   { *n.log = append(*n.log, "finalize") }

func TestMisuseOfFirstTimeSaysWhatToDo(t *testing.T) {
	assert.PanicsWithValue(t, "plugin: FirstTime needs a system, got nil", func() { plugin.FirstTime(nil) })
	w := ecs.NewWorld()
	assert.PanicsWithValue(t, "plugin: FirstTime of plugin_test.noting in a world without an Entangle app; add it to the Server, Client or Host",
		func() { plugin.FirstTime(noting{new([]string)}).Initialize(&w) })
}
