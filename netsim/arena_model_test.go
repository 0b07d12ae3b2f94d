package netsim_test

import (
	"math"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
)

// arenaBody is a body of the plain model.
type arenaBody struct {
	ID    int32
	Place arenaPlace
	Speed arenaSpeed
	Life  int8
	Team  uint8
	Daze  uint8             // 0 if it is not dazed
	Grip  int32             // 0 if it refers to no body, or to a despawned one
	Owner entangle.ClientID // Nobody if it is not a player's body
}

// arenaState is an arena at the end of a tick, in the order of ids.
type arenaState []arenaBody

func (s arenaState) findBody(id int32) *arenaBody {
	i, ok := s.searchBody(id)
	if !ok {
		return nil
	}
	return &s[i]
}

func (s arenaState) searchBody(id int32) (int, bool) {
	return slices.BinarySearchFunc(s, id, func(b arenaBody, id int32) int { return int(b.ID) - int(id) })
}

// with returns the state with body b in place of the body with the same id.
func (s arenaState) with(b arenaBody) arenaState {
	i, ok := s.searchBody(b.ID)
	if ok {
		s[i] = b
		return s
	}
	return slices.Insert(s, i, b)
}

func (s arenaState) without(id int32) arenaState {
	if i, ok := s.searchBody(id); ok {
		return slices.Delete(s, i, i+1)
	}
	return s
}

// arenaActs is what the server does to an arena in a tick after the rules, and independent of them.
type arenaActs struct {
	Spawned   []arenaBody
	Despawned []int32
	entities  []ecs.Entity // the spawned entities
}

// arenaHands holds the inputs of the players' bodies in a tick, by id.
type arenaHands map[int32]arenaHand

// step computes the next tick on plain structs: bodies move according to their inputs, pairs
// collide in the order of their ids, and bodies without life are despawned.
func (s arenaState) step(hands arenaHands, acts arenaActs) arenaState {
	next := slices.Clone(s)
	for i := range next {
		b := &next[i]
		if b.Daze == 0 && b.Owner != entangle.Nobody {
			b.Speed.steer(hands[b.ID])
		}
		b.Daze = max(b.Daze, 1) - 1
		b.Place.move(&b.Speed)
	}
	for i := range next {
		for k := range i {
			next[k].meets(&next[i])
		}
	}
	next = slices.DeleteFunc(next, func(b arenaBody) bool { return b.Life <= 0 })
	for i := range next {
		next[i].round()
	}
	for _, b := range acts.Spawned {
		next = next.with(b)
	}
	for _, id := range acts.Despawned {
		next = next.without(id)
	}
	return next.letGo()
}

// letGo clears the grips that refer to despawned bodies.
func (s arenaState) letGo() arenaState {
	for i := range s {
		if s.findBody(s[i].Grip) == nil {
			s[i].Grip = 0
		}
	}
	return s
}

// looseGrips returns the state with all grips cleared.
func (s arenaState) looseGrips() arenaState {
	s = slices.Clone(s)
	for i := range s {
		s[i].Grip = 0
	}
	return s
}

func (b *arenaBody) meets(o *arenaBody) {
	if b.Team != o.Team || !touch(&b.Place, &o.Place, &b.Speed, &o.Speed) {
		return
	}
	b.Speed, o.Speed = o.Speed, b.Speed
	b.Grip, o.Grip = o.ID, b.ID
	for _, hit := range []*arenaBody{b, o} {
		hit.Daze = arenaDazed
		if hit.Owner == entangle.Nobody {
			hit.Life--
		}
	}
}

// round rounds a body to the values that the wire can express.
func (b *arenaBody) round() {
	b.Place.X, b.Place.Y = lattice(b.Place.X, 16, 64), lattice(b.Place.Y, 16, 64)
	b.Speed.X, b.Speed.Y = lattice(b.Speed.X, 2, 256), lattice(b.Speed.Y, 2, 256)
}

func lattice(v, limit float32, perOne float64) float32 {
	return float32(math.RoundToEven(float64(min(max(v, -limit), limit))*perOne) / perOne)
}
