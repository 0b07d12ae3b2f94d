package netsim_test

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

// State of an arena that exists on clients and not on the server. It is rolled back together with
// the predicted state.
type (
	// arenaTrail holds the positions of a body at the ends of the last eight ticks, a byte each.
	arenaTrail struct{ Bytes uint64 }
	// arenaSpark is on a child that a body has while it is dazed, and counts its ticks.
	arenaSpark struct{ Age uint8 }
)

// after returns the trail one tick later.
func (t arenaTrail) after(at arenaPlace) arenaTrail {
	return arenaTrail{t.Bytes<<8 | uint64(uint8(int(at.X*64)*31+int(at.Y*64)))}
}

// arenaOwnRules updates trails and adds and removes sparks on a client. It runs first in FixedMain,
// on the state that the last tick has left.
type arenaOwnRules struct {
	world   *ecs.World
	bodies  *generic.Filter2[arenaPlace, arenaLife]
	places  generic.Map1[arenaPlace]
	trails  generic.Map1[arenaTrail]
	dazes   generic.Map1[arenaDaze]
	spawner generic.Map2[arenaSpark, components.ChildOf]
	sparks  *arenaSparks

	bare   []ecs.Entity // without a trail
	dazed  []ecs.Entity // without a spark
	sparky []ecs.Entity // sparks of bodies that are no longer dazed
}

func (r *arenaOwnRules) Initialize(w *ecs.World) {
	r.world = w
	r.bodies = generic.NewFilter2[arenaPlace, arenaLife]().Without(generic.T[components.Remote]())
	r.places, r.trails, r.dazes = generic.NewMap1[arenaPlace](w), generic.NewMap1[arenaTrail](w), generic.NewMap1[arenaDaze](w)
	r.spawner = generic.NewMap2[arenaSpark, components.ChildOf](w, generic.T[components.ChildOf]())
	r.sparks = newArenaSparks(w)
}

func (r *arenaOwnRules) Finalize(*ecs.World) {}

func (r *arenaOwnRules) Update(*ecs.World) {
	r.bare, r.dazed, r.sparky = r.bare[:0], r.dazed[:0], r.sparky[:0]
	sparks := r.sparks.byOwner()
	for q := r.bodies.Query(r.world); q.Next(); {
		place, _ := q.Get()
		r.observe(q.Entity(), *place, sparks[q.Entity()])
	}
	for _, e := range r.bare {
		trail := arenaTrail{}.after(*r.places.Get(e))
		r.trails.Assign(e, &trail)
	}
	for _, e := range r.dazed {
		r.spawner.NewWith(&arenaSpark{Age: 1}, &components.ChildOf{}, e)
	}
	for _, e := range r.sparky {
		plugin.Despawn(r.world, e)
	}
}

// observe advances a body by a tick, as far as that moves no row.
func (r *arenaOwnRules) observe(e ecs.Entity, at arenaPlace, sparks []ecs.Entity) {
	if trail := r.trails.Get(e); trail != nil {
		*trail = trail.after(at)
	} else {
		r.bare = append(r.bare, e)
	}
	switch {
	case r.dazes.Get(e) == nil:
		r.sparky = append(r.sparky, sparks...)
	case len(sparks) == 0:
		r.dazed = append(r.dazed, e)
	default:
		r.sparks.ages.Get(sparks[0]).Age++
	}
}

// arenaSparks finds the sparks of bodies.
type arenaSparks struct {
	world *ecs.World
	all   *generic.Filter2[arenaSpark, components.ChildOf]
	ages  generic.Map1[arenaSpark]
}

func newArenaSparks(w *ecs.World) *arenaSparks {
	f := generic.NewFilter2[arenaSpark, components.ChildOf]().WithRelation(generic.T[components.ChildOf]())
	return &arenaSparks{world: w, all: f, ages: generic.NewMap1[arenaSpark](w)}
}

func (s *arenaSparks) byOwner() map[ecs.Entity][]ecs.Entity {
	of := map[ecs.Entity][]ecs.Entity{}
	for q := s.all.Query(s.world); q.Next(); {
		of[q.Relation()] = append(of[q.Relation()], q.Entity())
	}
	return of
}

// arenaOwn is the expected client-only state of a body. After an unknown action of the client, some
// of it is unknown for a while.
type arenaOwn struct {
	trail arenaTrail
	known int // number of known newest bytes of the trail
	spark uint8
	sure  bool // about the spark
}

// after returns the state of a body one tick later, given the body at the end of the earlier tick.
func (o arenaOwn) after(was *arenaBody) arenaOwn {
	o.trail, o.known = o.trail.after(was.Place), min(o.known+1, 8)
	if o.spark++; was.Daze == 0 {
		o.spark, o.sure = 0, true
	}
	return o
}

// arenaOwns maps ids of bodies to their client-only state.
type arenaOwns map[int32]arenaOwn

// after returns the state of all bodies one tick later.
func (o arenaOwns) after(was arenaState) arenaOwns {
	next := arenaOwns{}
	for i := range was {
		next[was[i].ID] = o[was[i].ID].after(&was[i])
	}
	return next
}

// own computes the client-only state from that at the confirmed tick.
func (b *belief) own(confirmed arenaOwns) {
	b.owns = map[entangle.Tick]arenaOwns{b.confirmed: confirmed}
	for t := b.confirmed + 1; !b.tick.Before(t); t++ {
		b.owns[t] = b.owns[t-1].after(b.states[t-1])
	}
}

// expectOwn checks that client-only state was rolled back with the rest.
func (o *arenaOracle) expectOwn(want arenaOwns) {
	sparks := o.sparks.byOwner()
	for q := o.trailed.Query(o.world); q.Next(); {
		id, trail := q.Get()
		own, some := want[id.ID]
		if !some {
			continue // spawned in this tick
		}
		o.sums.trails += own.known
		e, wrong := q.Entity(), (trail.Bytes^own.trail.Bytes)<<(8*(8-own.known)) != 0
		var got []uint8
		for _, spark := range sparks[e] {
			got = append(got, o.sparks.ages.Get(spark).Age)
		}
		wrongSpark := own.sure && (len(got) > 1 || own.spark == 0 && len(got) > 0 || own.spark > 0 && (len(got) == 0 || got[0] != own.spark))
		if wrong || wrongSpark {
			q.Close()
			o.fail("body %d has the trail %x and sparks %v, and should have %x (%d bytes of it) and one of %d (sure: %v)", id.ID, trail.Bytes, got, own.trail.Bytes, own.known, own.spark, own.sure)
		}
	}
}
