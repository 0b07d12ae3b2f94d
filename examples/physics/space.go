package main

import (
	"cmp"
	"slices"

	"github.com/jakecoffman/cp/v2"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

const (
	playerRadius, playerMass = 1.5, 2
	ballRadius, ballMass     = 1.0, 0.5

	pushForce  = 60   // newtons
	drag       = 0.55 // the share of its speed that a disc still has after a second
	restSpeed  = 0.25 // metres per second; a slower disc stops
	bounciness = 0.8
)

// slide returns the system that simulates the physics of a tick. Server and clients run the same
// system, which clients also run in replays.
//
// The state of the game is in the components only: a tick fills the space with bodies made from
// them, steps it once, writes the places of the bodies back, and empties the space. If the engine
// kept its bodies from tick to tick, it would have to be rolled back as well, with its hidden
// state: which bodies touched, and how hard.
func slide() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		p := newPitch(w)
		return func() {
			p.gather()
			p.step()
			p.writeDiscs()
		}
	})
}

// pitch is a space with four walls, which has no bodies between two ticks.
type pitch struct {
	space   *cp.Space
	world   *ecs.World
	filter  *generic.Filter5[Disc, Place, Motion, Push, components.SID]
	remote  ecs.ID
	seconds float64 // length of a tick
	discs   []disc
}

// disc is an entity on the pitch during a tick.
type disc struct {
	order  int32
	remote bool
	kind   Disc
	place  *Place
	motion *Motion
	push   Push
	body   *cp.Body
	shape  *cp.Shape
}

func newPitch(w *ecs.World) *pitch {
	space := cp.NewSpace()
	space.SetDamping(drag)
	fence(space)
	return &pitch{
		space: space, world: w, remote: ecs.ComponentID[components.Remote](w),
		filter:  generic.NewFilter5[Disc, Place, Motion, Push, components.SID]().Optional(generic.T[Push]()),
		seconds: ecs.GetResource[components.Time](w).Step.Seconds(),
	}
}

// gather lists the discs in the order of their shared ids. Contacts are solved one after the other,
// so their order matters, and the order of the entities in a world differs on each side.
func (p *pitch) gather() {
	p.discs = p.discs[:0]
	query := p.filter.Query(p.world)
	for query.Next() {
		kind, place, motion, push, id := query.Get()
		d := disc{order: id.ID, kind: *kind, place: place, motion: motion, remote: query.Has(p.remote)}
		if push != nil {
			d.push = *push
		}
		p.discs = append(p.discs, d)
	}
	slices.SortFunc(p.discs, func(a, b disc) int { return cmp.Compare(a.order, b.order) })
}

// step advances the space by a tick.
func (p *pitch) step() {
	for i := range p.discs {
		p.discs[i].addToSpace(p.space)
	}
	p.space.Step(p.seconds)
	for i := range p.discs {
		p.space.RemoveShape(p.discs[i].shape)
		p.space.RemoveBody(p.discs[i].body)
	}
}

// addToSpace adds a disc to the space. A disc that is neither simulated nor predicted here has
// infinite mass, so that the others bounce off it.
func (d *disc) addToSpace(space *cp.Space) {
	radius, mass := playerRadius, float64(playerMass)
	if d.kind.Ball {
		radius, mass = ballRadius, ballMass
	}
	if d.remote {
		d.body = cp.NewKinematicBody()
	} else {
		d.body = cp.NewBody(mass, cp.INFINITY) // it does not rotate
		d.body.SetForce(cp.Vector{X: float64(d.push.DX), Y: float64(d.push.DY)}.Mult(pushForce))
	}
	d.body.SetPosition(cp.Vector{X: float64(d.place.X), Y: float64(d.place.Y)})
	d.body.SetVelocity(float64(d.motion.X), float64(d.motion.Y))
	space.AddBody(d.body)
	d.shape = cp.NewCircle(d.body, radius, cp.Vector{})
	d.shape.SetElasticity(bounciness)
	space.AddShape(d.shape)
}

// writeDiscs writes the state of the discs that are simulated here from the space into their
// components.
func (p *pitch) writeDiscs() {
	for i := range p.discs {
		d := &p.discs[i]
		if d.remote {
			continue
		}
		at, speed := d.body.Position(), d.body.Velocity()
		if speed.LengthSq() < restSpeed*restSpeed {
			speed = cp.Vector{}
		}
		*d.place = Place{X: float32(at.X), Y: float32(at.Y)}
		*d.motion = Motion{X: float32(speed.X), Y: float32(speed.Y)}
	}
}

// fence adds the four walls of the pitch to a space.
func fence(space *cp.Space) {
	const thick = 2
	x, y := pitchWidth/2.0+thick, pitchHeight/2.0+thick
	corners := [...]cp.Vector{{X: -x, Y: -y}, {X: x, Y: -y}, {X: x, Y: y}, {X: -x, Y: y}}
	for i, from := range corners {
		wall := cp.NewSegment(space.StaticBody, from, corners[(i+1)%len(corners)], thick)
		wall.SetElasticity(bounciness)
		space.AddShape(wall)
	}
}
