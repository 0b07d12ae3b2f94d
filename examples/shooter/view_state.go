package main

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// viewState is the drawn state of a world at the end of a frame.
type viewState struct {
	players []shownPlayer
	bullets []shownBullet
}

// shownPlayer is a player in the drawn state.
type shownPlayer struct {
	Player
	Place
	Score
	entity ecs.Entity
	owner  entangle.ClientID
	own    bool // of the client that shows it
}

// shownBullet is a bullet in the drawn state.
type shownBullet struct {
	Bullet
	id     bulletID
	entity ecs.Entity
}

// recordDrawn returns a system that records the drawn state.
func (s *viewState) recordDrawn(w *ecs.World) func() {
	players := generic.NewFilter4[Player, Place, Score, components.ControlledBy]()
	bullets := generic.NewFilter3[Bullet, Fired, components.ControlledBy]()
	controlled := ecs.ComponentID[components.Controlled](w)
	return func() {
		s.players, s.bullets = s.players[:0], s.bullets[:0]
		for q := players.Query(w); q.Next(); {
			player, place, score, by := q.Get()
			s.players = append(s.players, shownPlayer{*player, *place, *score, q.Entity(), by.Client, q.Has(controlled)})
		}
		slices.SortFunc(s.players, func(a, b shownPlayer) int { return cmp.Compare(a.Hue, b.Hue) })
		for q := bullets.Query(w); q.Next(); {
			bullet, fired, by := q.Get()
			s.bullets = append(s.bullets, shownBullet{*bullet, bulletID{by.Client, fired.Tick}, q.Entity()})
		}
	}
}
