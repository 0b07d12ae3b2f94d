package main

import (
	"math"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// shot is a shot of the tick that runs.
type shot struct {
	shooter ecs.Entity
	owner   components.ControlledBy
	from    Place
	dx, dy  float64 // direction, of length 1
}

// shoot returns the system that fires the guns, the same on server and clients. A client fires the gun of its own
// player only, because it predicts no other. With fired, the shots of the tick are written there.
//
// The bullet has Prespawned: a client's own is there at once, and is the server's when that arrives.
func shoot(fired *[]shot) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		guns := generic.NewFilter4[Place, Gun, Controls, components.ControlledBy]().Without(generic.T[components.Remote]())
		bullets := generic.NewMap5[Bullet, Fired, components.ControlledBy, components.Prespawned, components.Replicate](w)
		now := ecs.GetResource[components.Time](w)
		var shots []shot
		return func() {
			shots = shots[:0]
			for q := guns.Query(w); q.Next(); {
				place, gun, controls, owner := q.Get()
				if gun.Reload > 0 {
					gun.Reload--
				} else if controls.Fire {
					gun.Reload = reloadTicks
					dy, dx := math.Sincos(float64(controls.Aim))
					shots = append(shots, shot{q.Entity(), *owner, *place, dx, dy})
				}
			}
			for _, s := range shots {
				bullet := Bullet{X: s.from.X, Y: s.from.Y, DX: float32(s.dx * bulletSpeed), DY: float32(s.dy * bulletSpeed), Left: stickTicks}
				bullets.NewWith(&bullet, &Fired{Tick: now.Tick}, &s.owner, &components.Prespawned{},
					&components.Replicate{Predict: components.Owner, Interpolate: components.Everyone})
			}
			if fired != nil {
				*fired = append((*fired)[:0], shots...)
			}
		}
	})
}

// fly returns the system that moves bullets to the wall, and ends them there after a while.
func fly() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		bullets := generic.NewFilter1[Bullet]().Without(generic.T[components.Remote]())
		var ended []ecs.Entity
		return func() {
			ended = ended[:0]
			for q := bullets.Query(w); q.Next(); {
				if b := q.Get(); b.step() {
					ended = append(ended, q.Entity())
				}
			}
			for _, e := range ended {
				plugin.Despawn(w, e)
			}
		}
	})
}

// step moves a bullet by a tick, and reports whether it ends.
func (b *Bullet) step() (ends bool) {
	if b.DX == 0 && b.DY == 0 {
		b.Left--
		return b.Left == 0
	}
	way := min(wayTo(b.X, b.DX, arenaWidth/2), wayTo(b.Y, b.DY, arenaHeight/2))
	b.X += b.DX * way
	b.Y += b.DY * way
	if way < 1 {
		b.DX, b.DY = 0, 0
	}
	return false
}

// wayTo returns which part of a tick's movement it is to the wall, at most 1.
func wayTo(at, by, wall float32) float32 {
	switch {
	case by > 0:
		return max(min((wall-at)/by, 1), 0)
	case by < 0:
		return max(min((-wall-at)/by, 1), 0)
	}
	return 1
}

// run returns the system that moves players, the same on server and clients.
func run() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		players := generic.NewFilter2[Place, Controls]().Without(generic.T[components.Remote]())
		step := float32(playerSpeed * ecs.GetResource[components.Time](w).Step.Seconds())
		return func() {
			for q := players.Query(w); q.Next(); {
				place, controls := q.Get()
				by := step
				if controls.DX != 0 && controls.DY != 0 {
					by /= math.Sqrt2 // a diagonal is no faster
				}
				place.X = inside(place.X+by*float32(controls.DX), arenaWidth/2-playerRadius)
				place.Y = inside(place.Y+by*float32(controls.DY), arenaHeight/2-playerRadius)
			}
		}
	})
}

func inside(at, most float32) float32 { return max(-most, min(at, most)) }

// shotRange is how far a shot reaches, in metres: through the whole arena.
const shotRange = arenaWidth + arenaHeight

// line returns the line of a shot.
func (s *shot) line() plugin.Ray {
	x, y := float64(s.from.X), float64(s.from.Y)
	return plugin.NewRay(plugin.Vec{X: x, Y: y}, plugin.Vec{X: x + s.dx*shotRange, Y: y + s.dy*shotRange})
}

// body returns the shape of a player who is at a place.
func body(at Place) plugin.Ball {
	return plugin.Ball{Center: plugin.Vec{X: float64(at.X), Y: float64(at.Y)}, Radius: playerRadius}
}

// nearest is the first of several players that a shot hits.
type nearest struct {
	ok     bool // it hits one
	entity ecs.Entity
	owner  entangle.ClientID
	at     Place   // where it was
	share  float64 // of the shot's line until there
}

// try takes another player into account.
func (n *nearest) try(s *shot, e ecs.Entity, owner entangle.ClientID, at Place) {
	line := s.line()
	if share, ok := line.Ball(body(at)); ok && (!n.ok || share < n.share) {
		*n = nearest{true, e, owner, at, share}
	}
}
