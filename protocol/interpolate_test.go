package protocol_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

type blended struct{ X float64 }

// A function needs the mode Full and the other way round. Without either, a component is shown as it was
// at each time.
//
// Proves: N11
func TestModesOfInterpolation(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  func(*protocol.ComponentRule[blended])
		mode  registry.SyncMode
		fault string
	}{
		{"nothing", func(*protocol.ComponentRule[blended]) {}, registry.Simple, ""},
		{"a function", func(r *protocol.ComponentRule[blended]) { r.Interpolate(protocol.Linear) }, registry.Full, ""},
		{"both", func(r *protocol.ComponentRule[blended]) {
			r.Interpolate(protocol.Linear).InterpolateMode(protocol.Full)
		}, registry.Full, ""},
		{"once", func(r *protocol.ComponentRule[blended]) { r.InterpolateMode(protocol.Once) }, registry.Once, ""},
		{"none", func(r *protocol.ComponentRule[blended]) { r.InterpolateMode(protocol.None) }, registry.None, ""},
		{"full alone", func(r *protocol.ComponentRule[blended]) { r.InterpolateMode(protocol.Full) }, registry.Full, "without Interpolate"},
		{"a function for nothing", func(r *protocol.ComponentRule[blended]) {
			r.Interpolate(protocol.Linear).InterpolateMode(protocol.Once)
		}, registry.Once, "remove one"},
		{"extrapolated", func(r *protocol.ComponentRule[blended]) {
			r.Interpolate(protocol.Linear).Extrapolate(time.Second)
		}, registry.Full, ""},
		{"extrapolated by nothing", func(r *protocol.ComponentRule[blended]) { r.Extrapolate(time.Second) }, registry.Simple, "without Interpolate"},
		{"extrapolated by the game", func(r *protocol.ComponentRule[blended]) {
			r.Interpolate(func(a, b blended, t float64) blended { return a }).Extrapolate(time.Second)
		}, registry.Full, "for Interpolate(Linear)"},
		{"extrapolated for long", func(r *protocol.ComponentRule[blended]) {
			r.Interpolate(protocol.Linear).Extrapolate(time.Minute)
		}, registry.Full, "up to 1s"},
		{"no mode", func(r *protocol.ComponentRule[blended]) { r.InterpolateMode(9) }, 9, "none of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := protocol.New(protocol.Config{Name: "modes"})
			c.rule(protocol.Component[blended](p))
			if c.fault == "" {
				assert.NoError(t, p.Err())
			} else {
				assert.ErrorContains(t, p.Err(), c.fault)
			}
			assert.Equal(t, c.mode, registry.Of(p).Components[0].Interpolate)
		})
	}
}
