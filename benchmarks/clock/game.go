package clock

import (
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// In this game one player moves one box by a stick that changes every eight ticks.
const (
	clockHeld  = 8
	clockStart = 1_000_000 // far from the ticks that the client counts itself
)

func clockProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "clock benchmark", TickRate: workload.TickRate})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[workload.Place](p)
	protocol.Input[workload.Stick](p)
	return p
}

// clockEntropy is a deterministic source of secrets, which are therefore not secret.
func clockEntropy(use byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{use}) }

// clockInputs records which of the player's inputs the server had, tick by tick.
type clockInputs struct {
	first entangle.Tick
	had   []plugin.InputStatus
}

// between returns the share of the server's ticks for which an input arrived in time.
func (c *clockInputs) between(from, to entangle.Tick) float64 {
	in := 0
	for t := from; t < to; t++ {
		if c.statusAt(t) == plugin.FreshInput {
			in++
		}
	}
	return float64(in) / float64(max(1, to-from))
}

func (c *clockInputs) statusAt(t entangle.Tick) plugin.InputStatus {
	if t < c.first || int(t-c.first) >= len(c.had) {
		return plugin.NoInput
	}
	return c.had[t-c.first]
}

// serverSystem gives each new client a box, and moves the boxes.
func (c *clockInputs) serverSystem(w *ecs.World) func() {
	came := plugin.NewReader[plugin.ClientConnected](w)
	box := generic.NewMap4[workload.Place, workload.Stick, components.Replicate, components.ControlledBy](w)
	filter := generic.NewFilter2[workload.Place, workload.Stick]()
	inputs := plugin.NewInputs[workload.Stick](w)
	now := ecs.GetResource[components.Time](w)
	return func() {
		for _, e := range came.Read() {
			box.NewWith(&workload.Place{}, &workload.Stick{}, &components.Replicate{}, &components.ControlledBy{Client: e.Client})
		}
		for q := filter.Query(w); q.Next(); {
			place, stick := q.Get()
			place.X, place.Y = place.X+stick.X/8, place.Y+stick.Y/8
			c.recordStatus(now.Tick, inputs.Status(q.Entity()))
		}
	}
}

func (c *clockInputs) recordStatus(tick entangle.Tick, s plugin.InputStatus) {
	if len(c.had) == 0 {
		c.first = tick
	}
	c.had = append(c.had, s)
}

// Player moves the stick to and fro.
func Player(w *ecs.World) func() {
	filter := generic.NewFilter1[workload.Stick]().With(generic.T[components.Controlled]())
	now := ecs.GetResource[components.Time](w)
	return func() {
		for q := filter.Query(w); q.Next(); {
			turn := now.Tick / clockHeld
			*q.Get() = workload.Stick{X: stickAt(turn), Y: -stickAt(turn), Fire: turn%5 == 0}
		}
	}
}

// stickAt returns positions of the stick that bring a box back to its place.
func stickAt(turn entangle.Tick) float32 {
	if turn&1 == 0 {
		return 0.5
	}
	return -0.5
}
