package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

type (
	thrown struct{ X, Y float32 }
	pace   struct{ X, Y float32 }
	turn   struct {
		Q [4]float32 `net:"quat"`
	}
)

func ownCurve(a, _ thrown, _, _ pace, _, _ float64) thrown { return a }

// A function over two components names registered ones that can be blended alone too. They may be registered
// before the call or after it.
//
// Proves: N5
func TestInterpolateWith(t *testing.T) {
	place := func(p *protocol.Protocol) { protocol.Component[thrown](p).Interpolate(protocol.Linear) }
	speed := func(p *protocol.Protocol) { protocol.Component[pace](p).Interpolate(protocol.Linear) }
	hermite := func(p *protocol.Protocol) { protocol.InterpolateWith(p, protocol.Hermite[thrown, pace]) }
	own := func(p *protocol.Protocol) { protocol.InterpolateWith(p, ownCurve) }
	for _, c := range []struct {
		name  string
		calls []func(*protocol.Protocol)
		fault string
	}{
		{"before", []func(*protocol.Protocol){hermite, place, speed}, ""},
		{"after", []func(*protocol.Protocol){place, speed, own}, ""},
		{"twice", []func(*protocol.Protocol){place, speed, own, hermite}, "twice"},
		{"nil", []func(*protocol.Protocol){place, speed, func(p *protocol.Protocol) { protocol.InterpolateWith[thrown, pace](p, nil) }}, "InterpolateWith(nil)"},
		{"the second is not registered", []func(*protocol.Protocol){place, own}, "protocol_test.pace, which is no component"},
		{"the first is not registered", []func(*protocol.Protocol){speed, own}, "protocol_test.thrown, which is no component"},
		{"an input", []func(*protocol.Protocol){place, own, func(p *protocol.Protocol) { protocol.Input[pace](p) }}, "which is no component"},
		{"the first is not blended", []func(*protocol.Protocol){func(p *protocol.Protocol) { protocol.Component[thrown](p) }, speed, own}, "for protocol_test.thrown alone"},
		{"the second is not blended", []func(*protocol.Protocol){place, func(p *protocol.Protocol) { protocol.Component[pace](p) }, own}, "for protocol_test.pace alone"},
		{"fewer floats", []func(*protocol.Protocol){func(p *protocol.Protocol) {
			protocol.InterpolateWith(p, protocol.Hermite[thrown, blended])
		}}, "has 2 floats, and protocol_test.blended has 1"},
		{"a rotation", []func(*protocol.Protocol){func(p *protocol.Protocol) {
			protocol.InterpolateWith(p, protocol.Hermite[turn, turn])
		}}, "no velocity"},
		{"a pointer", []func(*protocol.Protocol){func(p *protocol.Protocol) {
			protocol.InterpolateWith(p, func(a, b thrown, va, vb []int, seconds, t float64) thrown { return a })
		}}, "cannot be blended in memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := protocol.New(protocol.Config{Name: "curves"})
			for _, call := range c.calls {
				call(p)
			}
			if c.fault != "" {
				assert.ErrorContains(t, p.Err(), c.fault)
				return
			}
			assert.NoError(t, p.Err())
			for _, info := range registry.Of(p).Components {
				if other := registry.Of(p).Components[info.With]; info.Curve != nil {
					assert.Equal(t, "protocol_test.thrown with protocol_test.pace", info.Type.String()+" with "+other.Type.String())
				} else {
					assert.Equal(t, "protocol_test.pace", info.Type.String())
				}
			}
		})
	}
}

// A direct call computes the curve as well.
func TestHermiteOfValues(t *testing.T) {
	at := protocol.Hermite(thrown{0, 1}, thrown{2, 1}, pace{2, 2}, pace{2, -2}, 1, 0.5)
	assert.Equal(t, thrown{1, 1.5}, at)
	assert.PanicsWithValue(t, "protocol: Hermite: protocol_test.thrown has 2 floats, and protocol_test.blended has 1: a velocity has one for each of the position", func() {
		protocol.Hermite(thrown{}, thrown{}, blended{}, blended{}, 1, 0.5)
	})
}
