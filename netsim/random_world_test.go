package netsim_test

import (
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// maxEntities of a random world: few, so that they meet, and ids are used again.
const maxEntities = 20

// wild changes a server's world without a plan. While it is still it only writes
// equal values.
type wild struct {
	rng      *rand.Rand
	world    *ecs.World
	ids      wildIDs
	entities []ecs.Entity
	still    bool
}

type wildIDs struct{ place, life, marked, bulk, link, secret, replicate ecs.ID }

func (w *wild) system() plugin.System {
	return plugin.Func(func(world *ecs.World) func() {
		w.world = world
		w.ids = wildIDs{
			ecs.ComponentID[place](world), ecs.ComponentID[life](world), ecs.ComponentID[marked](world), ecs.ComponentID[bulk](world),
			ecs.ComponentID[link](world), ecs.ComponentID[secret](world), ecs.ComponentID[components.Replicate](world),
		}
		return func() { w.change(4) }
	})
}

// change does some things, one in so many of them to the structure.
func (w *wild) change(most int) {
	if w.still {
		w.rewrite()
		return
	}
	for range w.rng.IntN(most + 1) {
		switch {
		case len(w.entities) < 4 || len(w.entities) < maxEntities && w.rng.IntN(12) == 0:
			w.spawn()
		case w.rng.IntN(16) == 0:
			w.despawn(w.rng.IntN(len(w.entities)))
		case w.rng.IntN(5) == 0:
			w.reshape(w.any())
		default:
			w.write(w.any())
		}
	}
}

func (w *wild) any() ecs.Entity { return w.entities[w.rng.IntN(len(w.entities))] }

// spawn makes an entity, one in four without Replicate, which comes later if ever.
func (w *wild) spawn() {
	e := w.world.NewEntity()
	for _, id := range w.optional() {
		if w.rng.IntN(2) == 0 {
			w.world.Add(e, id)
		}
	}
	if w.rng.IntN(4) > 0 {
		w.world.Add(e, w.ids.replicate)
	}
	w.entities = append(w.entities, e)
	w.write(e)
}

func (w *wild) despawn(i int) {
	w.world.RemoveEntity(w.entities[i])
	w.entities = append(w.entities[:i], w.entities[i+1:]...)
}

func (w *wild) optional() []ecs.ID {
	return []ecs.ID{w.ids.place, w.ids.life, w.ids.marked, w.ids.bulk, w.ids.link, w.ids.secret}
}

// reshape gives an entity a component, or takes one; Replicate is only given.
func (w *wild) reshape(e ecs.Entity) {
	if !w.world.Has(e, w.ids.replicate) && w.rng.IntN(2) == 0 {
		w.world.Add(e, w.ids.replicate)
		return
	}
	ids := w.optional()
	id := ids[w.rng.IntN(len(ids))]
	if w.world.Has(e, id) {
		w.world.Remove(e, id)
		return
	}
	w.world.Add(e, id)
	w.write(e)
}

// write changes some values of an entity, sometimes beyond their range, sometimes
// to what they are.
func (w *wild) write(e ecs.Entity) {
	if p := (*place)(w.world.Get(e, w.ids.place)); p != nil {
		p.X = float32(w.rng.IntN(1100)-550) / 8
		p.Y += 0.001
	}
	if l := (*life)(w.world.Get(e, w.ids.life)); l != nil {
		l.Points = int16(w.rng.IntN(8))
	}
	if b := (*bulk)(w.world.Get(e, w.ids.bulk)); b != nil && w.rng.IntN(4) == 0 {
		b.Data[w.rng.IntN(len(b.Data))] = w.rng.Uint64()
	}
	if l := (*link)(w.world.Get(e, w.ids.link)); l != nil {
		l.To, l.Weight = w.target(), uint8(w.rng.IntN(3))
	}
	if s := (*secret)(w.world.Get(e, w.ids.secret)); s != nil {
		s.Number = w.rng.Uint32()
	}
}

// target is some replicated entity, or none.
func (w *wild) target() ecs.Entity {
	if e := w.any(); w.rng.IntN(4) > 0 && w.world.Has(e, w.ids.replicate) {
		return e
	}
	return ecs.Entity{}
}

// rewrite writes equal values, and ones that are equal on the wire.
func (w *wild) rewrite() {
	for _, e := range w.entities {
		if l := (*life)(w.world.Get(e, w.ids.life)); l != nil {
			*l = life{l.Points}
		}
		if s := (*secret)(w.world.Get(e, w.ids.secret)); s != nil {
			s.Number++
		}
	}
}
