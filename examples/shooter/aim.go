package main

import (
	"math"
	"math/rand/v2"

	"github.com/entangle-ecs/entangle"
)

// aim is what a player aimed at.
type aim struct {
	target entangle.ClientID // the first in the way of the shot, on the player's screen
	at     Place             // where the screen showed it
}

// shotCounts counts the shots of a player at something that its screen showed.
type shotCounts struct {
	// Aimed counts those that have been judged, and Hit those of them that hit what they were aimed at.
	Aimed int `json:"aimed"`
	Hit   int `json:"hit"`
	// OnScreen and Present count those that would have hit it with lag compensation, and without.
	OnScreen int `json:"with_compensation"`
	Present  int `json:"without_compensation"`
}

// count counts a shot.
func (t *shotCounts) count(a aim, v Verdict) (hit bool) {
	hit = a.target == v.Present
	t.Aimed++
	t.Present += one(hit)
	t.OnScreen += one(a.target == v.OnScreen)
	if v.Compensated {
		hit = a.target == v.OnScreen
	}
	t.Hit += one(hit)
	return hit
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// share returns a part of the shots in percent.
func (t *shotCounts) share(part int) float64 { return 100 * float64(part) / float64(max(t.Aimed, 1)) }

// aiming finds what a player aims at on its screen.
type aiming struct {
	seen    *viewState // the frame that was drawn last
	pending map[entangle.Tick]aim
}

// at returns what a shot in a direction would hit on the screen. It is not ok for nothing.
func (s *aiming) at(from Place, angle float32) (a aim, ok bool) {
	dy, dx := math.Sincos(float64(angle))
	ray := shot{from: from, dx: dx, dy: dy}
	first := nearest{}
	for _, p := range s.seen.players {
		if !p.own {
			first.try(&ray, p.entity, p.owner, p.Place)
		}
	}
	return aim{first.owner, first.at}, first.ok
}

// target returns the nearest player on the screen. It is not ok if there is none.
func (s *aiming) target(from Place) (at Place, ok bool) {
	least := math.Inf(1)
	for _, p := range s.seen.players {
		if far := math.Hypot(float64(p.X-from.X), float64(p.Y-from.Y)); !p.own && far < least {
			at, ok, least = p.Place, true, far
		}
	}
	return at, ok
}

// bot is a player that runs to and fro, and fires at the nearest of the others whenever it can.
type bot struct {
	chance    *rand.Rand
	dx, dy    int8
	ticksLeft int // until it runs somewhere else
}

func newBot(seed uint64) *bot { return &bot{chance: rand.New(rand.NewPCG(seed, 0))} }

// press returns the bot's input.
func (b *bot) press(s *aiming, at Place, ready bool) Controls {
	if b.ticksLeft--; b.ticksLeft <= 0 {
		b.ticksLeft = 12 + b.chance.IntN(30)
		b.dx, b.dy = 0, 0
		for b.dx == 0 && b.dy == 0 { // it never rests
			b.dx, b.dy = b.turn(at.X, arenaWidth/2), b.turn(at.Y, arenaHeight/2)
		}
	}
	c := Controls{DX: b.dx, DY: b.dy}
	if target, ok := s.target(at); ok && ready {
		// Not always at the middle, so that half of a radius in the wrong direction makes a miss.
		beside := (2*b.chance.Float64() - 1) * 0.8 * playerRadius
		c.Fire, c.Aim = true, angle(at, target, beside)
	}
	return c
}

// turn draws a direction on one axis, away from a wall that is near.
func (b *bot) turn(at float32, wall float32) int8 {
	switch {
	case at > wall/2:
		return int8(-b.chance.IntN(2))
	case at < -wall/2:
		return int8(b.chance.IntN(2))
	}
	return int8(b.chance.IntN(3) - 1)
}

// angle returns the direction from a player to a point beside the middle of another one, by a distance.
func angle(from, to Place, beside float64) float32 {
	x, y := float64(to.X-from.X), float64(to.Y-from.Y)
	far := max(math.Hypot(x, y), playerRadius)
	return float32(math.Atan2(y, x) + math.Asin(beside/far))
}
