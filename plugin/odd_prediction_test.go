package plugin_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// A prediction setting that has no effect is logged once.
func TestAPredictionOfNothingIsLogged(t *testing.T) {
	const nothing, nobody = "has no component that its clients would compute", "on an entity without components.ControlledBy"
	var log bytes.Buffer
	type sketch struct{ components.At }
	type lid struct{ Open bool }
	withHands := func() *protocol.Protocol {
		p := crateProtocol()
		protocol.Component[components.ChildOf](p)
		protocol.Blueprint(p, func(*ecs.World, ecs.Entity, sketch) struct{ lid } { return struct{ lid }{} })
		return p
	}
	g := newGameWith(t, func(c *plugin.ServerConfig) {
		c.Protocol, c.Log = withHands(), slog.New(slog.NewTextHandler(&log, nil))
	})
	g.joinWith(withHands(), 1)
	boxes := generic.NewMap2[crate, components.Replicate](g.world)
	names := generic.NewMap2[name, components.Replicate](g.world)
	owned := generic.NewMap3[crate, components.ControlledBy, components.Replicate](g.world)
	hands := generic.NewMap2[crate, components.ChildOf](g.world, generic.T[components.ChildOf]())

	sketches := generic.NewMap2[sketch, components.Replicate](g.world)

	boxes.NewWith(&crate{}, &components.Replicate{Predict: components.Everyone})
	sketches.NewWith(&sketch{}, &components.Replicate{Predict: components.Everyone}) // its clients compute the lid
	owned.NewWith(&crate{}, &components.ControlledBy{Client: 1}, &components.Replicate{Predict: components.Owner})
	owned.NewWith(&crate{}, &components.ControlledBy{}, &components.Replicate{Predict: components.Owner}) // the entity may get an owner later
	names.NewWith(&name{}, &components.Replicate{Predict: components.Nobody})
	body := names.NewWith(&name{}, &components.Replicate{Predict: components.Everyone})
	hands.NewWith(&crate{}, &components.ChildOf{}, body)
	g.run(30)
	assert.NotContains(t, log.String(), nothing)
	assert.NotContains(t, log.String(), nobody)

	for range 2 {
		names.NewWith(&name{}, &components.Replicate{Predict: components.Everyone})
		boxes.NewWith(&crate{}, &components.Replicate{Predict: components.Owner})
		g.run(10)
	}
	assert.Equal(t, 1, strings.Count(log.String(), nothing), log.String())
	assert.Equal(t, 1, strings.Count(log.String(), nobody), log.String())
}
