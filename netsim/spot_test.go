package netsim_test

import (
	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

// The components of small tests: plain values, a reference, and one without a value.
type (
	Spot   struct{ X, Y int8 }
	Health struct{ Points uint8 }
	Aim    struct{ At ecs.Entity }
	Flag   struct{}
)

func spotProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "spot", TickRate: 50})
	protocol.Component[Spot](p)
	protocol.Component[Health](p)
	protocol.Component[Aim](p)
	protocol.Component[Flag](p)
	protocol.Component[components.ChildOf](p)
	return p
}
