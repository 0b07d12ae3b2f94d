package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

const (
	tickRate = 60 // ticks per second of both sides
	track    = 56 // cells that a shot flies
	speed    = 40 // hundredths of a cell per tick

	// guns is how many guns there are. A ship that shoots with another one is refused.
	guns = 2
)

type (
	// Ship is the ship of a player. It counts its shots.
	Ship struct{ Shots uint32 }

	// Trigger is the input of its player. Gun 0 does not shoot.
	Trigger struct {
		Gun uint8 `net:"event"`
	}

	// Shell is the blueprint of a shot: all that is said about it before its tick.
	Shell struct {
		components.At
		Ship ecs.Entity
		Gun  uint8
	}

	// Flight is where a shot is, in hundredths of a cell. It is predicted, and compared with the server's.
	Flight struct{ X int32 }

	// Fuse is never sent. It burns faster the further the shot is, so it is right only if the shot was right
	// in each tick before.
	Fuse struct{ Burnt uint32 }

	// shot is what a shot gets in its tick, besides its blueprint.
	shot struct {
		Flight
		Fuse
	}
)

// newProtocol registers all that is sent, and how a shot comes about. Both sides call it, so that they agree.
func newProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "intents", TickRate: tickRate})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[components.Prespawned](p)
	protocol.Component[Ship](p).Predict(protocol.Full)
	protocol.Component[Flight](p).Predict(protocol.Full)
	protocol.Input[Trigger](p).Rebroadcast()
	protocol.Blueprint(p, assemble)
	protocol.Intent(p, fire, components.Replicate{Predict: components.Everyone}).Accept(accept)
	return p
}

// fire says what an input fires. It runs when the input is made, and on the server when it arrives: in both
// cases before the tick in which it acts.
func fire(ship ecs.Entity, in Trigger) (Shell, bool) {
	return Shell{Ship: ship, Gun: in.Gun}, in.Gun > 0
}

// accept refuses, on the server, what no honest client fires.
func accept(_ *ecs.World, _ ecs.Entity, b Shell) bool { return b.Gun <= guns }

// assemble makes a shot of its blueprint, in its tick and on every side.
func assemble(w *ecs.World, _ ecs.Entity, b Shell) (s shot) {
	if id := ecs.ComponentID[Ship](w); w.Alive(b.Ship) && w.Has(b.Ship, id) { // in a replay it may be there only later
		ship := (*Ship)(w.Get(b.Ship, id))
		ship.Shots++
		s.Burnt = ship.Shots
	}
	return s
}

// fly is the simulation, the same on both sides.
func fly(w *ecs.World) func() {
	all := generic.NewFilter3[Shell, Flight, Fuse]().Without(generic.T[components.Remote]())
	var ended []ecs.Entity
	return func() {
		ended = ended[:0]
		for q := all.Query(w); q.Next(); {
			b, at, fuse := q.Get()
			at.X += speed + int32(b.Gun)
			if fuse.Burnt = fuse.Burnt*3 + uint32(at.X); at.X >= 100*track {
				ended = append(ended, q.Entity())
			}
		}
		for _, e := range ended {
			plugin.Despawn(w, e)
		}
	}
}
