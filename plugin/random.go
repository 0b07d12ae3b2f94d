package plugin

import (
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/event"
)

// Random generates the random numbers of a simulation. They depend on a seed, the tick and a key
// only, so they are the same on the server, on predicting clients, and in replays. The numbers of a
// generator that continues from tick to tick would differ.
type Random struct {
	world *ecs.World
	time  *components.Time
	sid   ecs.ID
	seed  uint64
	state *rand.PCG
	rand  *rand.Rand
}

// NewRandom returns random numbers for one system. It is made in the system's Initialize and kept.
// The seed must be the same on all sides: give each system its own one, as a constant or as a value
// sent by the server. It panics if no app is initialised in the world.
func NewRandom(w *ecs.World, seed uint64) Random {
	if event.HubOf(w) == nil {
		panic("plugin: NewRandom in a world without an Entangle app; call it from a system's Initialize, which the app calls")
	}
	state := rand.NewPCG(0, 0)
	return Random{
		world: w, time: ecs.GetResource[components.Time](w), sid: ecs.ComponentID[components.SID](w),
		seed: seed, state: state, rand: rand.New(state),
	}
}

// Of returns the numbers for a key in the current tick: every call with that key in that tick
// returns the same ones. The generator is valid until the next call of Of or For.
func (r *Random) Of(key uint64) *rand.Rand {
	r.state.Seed(scramble(r.seed^scramble(uint64(r.time.Tick))), scramble(key))
	return r.rand
}

// For returns the numbers for an entity in the current tick, by its components.SID. All entities
// without a SID get the same numbers.
func (r *Random) For(e ecs.Entity) *rand.Rand {
	const entities = 1 << 32
	if !r.world.Has(e, r.sid) {
		return r.Of(entities)
	}
	sid := (*components.SID)(r.world.Get(e, r.sid)).ID
	return r.Of(entities | uint64(uint32(sid)))
}

// scramble mixes the bits of a number like splitmix64, so that similar numbers give unrelated ones.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
