package netsim_test

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// What players of arenas fire. Nothing of it meets a body.
type (
	// arenaBullet is prespawned, and so is its child.
	arenaBullet struct {
		X, Speed float32
		Left     uint8
	}
	// arenaShotKey says which shot it is.
	arenaShotKey struct {
		Owner entangle.ClientID
		Tick  entangle.Tick
		Kind  uint8
	}
	// arenaShell is the blueprint of a fire intent, and of what the server fires by itself.
	arenaShell struct {
		components.At
		Ship ecs.Entity
		Kind uint8
	}
	arenaFlight struct{ X, Speed float32 }
	arenaFuse   struct{ Burnt float32 } // it is never sent
	arenaFired  struct {
		arenaFlight
		arenaFuse
	}
)

// The kinds of shots, which are also the values of arenaHand.Fire.
const (
	firesNothing uint8 = iota
	firesBullet
	firesParent // a bullet with a child
	firesIntent
	isChild
	isBlueprint // of the server
)

// shotLife returns the ticks for which a shot is there.
func (s *arenaSetup) shotLife() int32 { return int32(3 * s.rate) }

// arenaShot is the state of a shot.
type arenaShot struct{ X, Speed, Burnt float32 }

type arenaVolley map[arenaShotKey]arenaShot

func (s *arenaSetup) registerShots(p *protocol.Protocol) {
	protocol.Component[components.Prespawned](p)
	protocol.Component[components.ChildOf](p)
	protocol.Component[arenaBullet](p).Predict(protocol.Full)
	protocol.Component[arenaShotKey](p).Predict(protocol.Full)
	protocol.Component[arenaFlight](p).Predict(protocol.Full)
	protocol.Blueprint(p, func(w *ecs.World, _ ecs.Entity, b arenaShell) (f arenaFired) {
		f.Speed = float32(b.Kind) / 64
		if w.Alive(b.Ship) && w.Has(b.Ship, ecs.ComponentID[arenaPlace](w)) {
			f.arenaFlight.X = valueOn[arenaPlace](w, b.Ship).X
		}
		f.Burnt = f.arenaFlight.X
		return f
	})
	protocol.Intent(p, func(ship ecs.Entity, in arenaHand) (arenaShell, bool) {
		return arenaShell{Ship: ship, Kind: firesIntent}, in.Fire == firesIntent
	}, components.Replicate{Predict: components.Everyone})
}

// arenaGuns is the shared system that spawns bullets, moves what was fired, and ends it.
type arenaGuns struct {
	setup *arenaSetup
	world *ecs.World
	now   *components.Time

	ships   *generic.Filter3[arenaPlace, arenaHand, components.ControlledBy]
	bullets *generic.Filter1[arenaBullet]
	shells  *generic.Filter3[arenaShell, arenaFlight, arenaFuse]
	spawn   generic.Map5[arenaBullet, arenaShotKey, components.ControlledBy, components.Prespawned, components.Replicate]
	child   generic.Map4[arenaBullet, arenaShotKey, components.Prespawned, components.ChildOf]
}

func (g *arenaGuns) Initialize(w *ecs.World) {
	remote := generic.T[components.Remote]()
	g.world, g.now = w, ecs.GetResource[components.Time](w)
	g.ships = generic.NewFilter3[arenaPlace, arenaHand, components.ControlledBy]().Without(remote)
	g.bullets = generic.NewFilter1[arenaBullet]().Without(remote)
	g.shells = generic.NewFilter3[arenaShell, arenaFlight, arenaFuse]().Without(remote)
	g.spawn = generic.NewMap5[arenaBullet, arenaShotKey, components.ControlledBy, components.Prespawned, components.Replicate](w)
	g.child = generic.NewMap4[arenaBullet, arenaShotKey, components.Prespawned, components.ChildOf](w, generic.T[components.ChildOf]())
}

func (g *arenaGuns) Finalize(*ecs.World) {}

func (g *arenaGuns) Update(w *ecs.World) {
	type shot struct {
		x   float32
		key arenaShotKey
	}
	var fired []shot
	for q := g.ships.Query(w); q.Next(); {
		if place, in, by := q.Get(); in.Fire == firesBullet || in.Fire == firesParent {
			fired = append(fired, shot{place.X, arenaShotKey{by.Client, g.now.Tick, in.Fire}})
		}
	}
	for _, s := range fired {
		e := g.spawn.NewWith(&arenaBullet{s.x, 0.125, uint8(g.setup.shotLife())}, &s.key, &components.ControlledBy{Client: s.key.Owner}, &components.Prespawned{}, &components.Replicate{Predict: components.Everyone})
		if s.key.Kind == firesParent {
			s.key.Kind = isChild
			g.child.NewWith(&arenaBullet{s.x, 0.25, uint8(g.setup.shotLife() + 9)}, &s.key, &components.Prespawned{Salt: 1}, &components.ChildOf{}, e)
		}
	}
	g.fly(w)
}

func (g *arenaGuns) fly(w *ecs.World) {
	var ended []ecs.Entity
	for q := g.bullets.Query(w); q.Next(); {
		b := q.Get()
		b.X += b.Speed
		if b.Left--; b.Left == 0 {
			ended = append(ended, q.Entity())
		}
	}
	for q := g.shells.Query(w); q.Next(); {
		plan, f, fuse := q.Get()
		f.X += f.Speed
		fuse.Burnt += f.X
		if g.now.Tick.Sub(plan.Tick) >= g.setup.shotLife() {
			ended = append(ended, q.Entity())
		}
	}
	for _, e := range ended {
		plugin.Despawn(w, e)
	}
}

// launch returns the server's system that spawns blueprints.
func (g *arenaGuns) launch(server *arenaServer) func(w *ecs.World) func() {
	return func(w *ecs.World) func() {
		spawn := generic.NewMap2[arenaShell, components.Replicate](w)
		now := ecs.GetResource[components.Time](w)
		return func() {
			if now.Tick%23 == 0 && !server.still {
				spawn.NewWith(&arenaShell{At: components.At{Tick: now.Tick + entangle.Tick(now.Tick%4)*5 + 1}, Kind: isBlueprint}, &components.Replicate{Predict: components.Everyone})
			}
		}
	}
}

// readShots returns the shots of a world, and how many are there twice.
func readShots(w *ecs.World) (all arenaVolley, waiting, twice int) {
	all = arenaVolley{}
	add := func(key arenaShotKey, s arenaShot) {
		if _, there := all[key]; there {
			twice++
		}
		all[key] = s
	}
	for q := generic.NewFilter2[arenaBullet, arenaShotKey]().Query(w); q.Next(); {
		b, key := q.Get()
		add(*key, arenaShot{X: b.X, Speed: b.Speed})
	}
	owner := ecs.ComponentID[components.ControlledBy](w)
	for q := generic.NewFilter3[arenaShell, arenaFlight, arenaFuse]().Query(w); q.Next(); {
		plan, f, fuse := q.Get()
		key := arenaShotKey{Tick: plan.Tick, Kind: plan.Kind}
		if q.Has(owner) {
			key.Owner = (*components.ControlledBy)(w.Get(q.Entity(), owner)).Client
		}
		add(key, arenaShot{f.X, f.Speed, fuse.Burnt})
	}
	for q := generic.NewFilter1[arenaShell]().Without(generic.T[arenaFlight]()).Query(w); q.Next(); {
		waiting++
	}
	return all, waiting, twice
}

// arenaShotOracle checks the shots of a client: each is there once, one of the client's own does not come back after it has
// gone, and from some time after its tick on each is as the server had it, or gone if the server did not fire it.
type arenaShotOracle struct {
	guest *arenaGuest
	sums  arenaShotSums

	now     *components.Time
	jumps   uint64
	resyncs uint64
	began   bool
	last    arenaVolley
	gone    map[arenaShotKey]bool // own ones
	frames  map[entangle.Tick]arenaVolley
	exact   map[entangle.Tick]bool // the ticks of which the client had all state, when it had none of a later one
	early   map[arenaShotKey]bool  // the shots that were there before all state of their tick was
	since   entangle.Tick          // of the client, when its clock jumped last
}

// arenaShotSums counts what was seen.
type arenaShotSums struct {
	bullets, children, intents, blueprints int // compared states
	waiting, misfires, matched, burnt      int
}

func (s *arenaShotSums) add(o *arenaShotSums) {
	s.bullets, s.children, s.intents, s.blueprints = s.bullets+o.bullets, s.children+o.children, s.intents+o.intents, s.blueprints+o.blueprints
	s.waiting, s.misfires, s.matched, s.burnt = s.waiting+o.waiting, s.misfires+o.misfires, s.matched+o.matched, s.burnt+o.burnt
}

func (s *arenaShotSums) requireAll(t assert.TestingT) {
	assert.Positive(t, s.bullets, "no bullet was compared: %+v", *s)
	assert.Positive(t, s.children, "no child of a bullet was compared: %+v", *s)
	assert.Positive(t, s.intents, "no fire intent was compared: %+v", *s)
	assert.Positive(t, s.blueprints, "no blueprint was compared: %+v", *s)
	assert.Positive(t, s.waiting, "no shot waited for its tick: %+v", *s)
	assert.Positive(t, s.misfires, "no shot was a misfire: %+v", *s)
	assert.Positive(t, s.matched, "no shot was matched: %+v", *s)
	assert.Positive(t, s.burnt, "nothing that is not sent was compared: %+v", *s)
}

func (o *arenaShotOracle) Initialize(w *ecs.World) {
	o.now = ecs.GetResource[components.Time](w)
	o.gone, o.frames, o.exact = map[arenaShotKey]bool{}, map[entangle.Tick]arenaVolley{}, map[entangle.Tick]bool{}
	o.early = map[arenaShotKey]bool{}
}

func (o *arenaShotOracle) Finalize(*ecs.World) {}

// Update checks a frame. It runs in AfterSend.
func (o *arenaShotOracle) Update(w *ecs.World) {
	is, waiting, twice := readShots(w)
	o.sums.waiting += waiting
	stats := o.guest.Client().Stats()
	smooth := o.began && stats.Clock.Synced && stats.Clock.Jumps == o.jumps && stats.Rollbacks.Resyncs == o.resyncs
	o.jumps, o.resyncs, o.began = stats.Clock.Jumps, stats.Rollbacks.Resyncs, stats.Clock.Synced
	if !smooth { // ticks may run twice, or not at all
		clear(o.gone)
		clear(o.frames)
		o.last, o.since = nil, o.now.Tick
	}
	if twice > 0 {
		o.guest.oracle.fail("%d shots are there twice: %v", twice, is)
	}
	for key := range o.last {
		if _, there := is[key]; !there && key.Owner == o.guest.id && !o.isGivenUp(key) {
			o.gone[key] = true
		}
	}
	o.noteConfirmed(is)
	for key := range is {
		if o.gone[key] {
			o.guest.oracle.fail("its shot %+v came back", key)
		}
	}
	o.last, o.frames[o.now.Tick] = is, is
}

// isGivenUp reports whether a shot may be missing because no rollback reaches its tick any more. It returns if the server's
// arrives after all.
func (o *arenaShotOracle) isGivenUp(key arenaShotKey) bool {
	age := o.now.Tick.Sub(key.Tick)
	return age > int32(o.guest.arena.rate) && age < o.guest.arena.shotLife()
}

// noteConfirmed records the confirmed tick, and the shots that are there before all state of their tick is.
func (o *arenaShotOracle) noteConfirmed(is arenaVolley) {
	confirmed, ok := apps.Of(o.guest.World()).Client.ConfirmedTick()
	if !ok {
		return
	}
	if !confirmed.Before(o.guest.oracle.hears.overtaken) {
		o.exact[confirmed] = true
	}
	for key := range is {
		if _, before := o.last[key]; !before && confirmed.Before(key.Tick) {
			o.early[key] = true
		}
	}
}

// confirmedAfter is the ticks after which a shot is confirmed or gone.
func (o *arenaShotOracle) confirmedAfter() entangle.Tick {
	return entangle.Tick(o.guest.arena.rate * 3 / 2)
}

// expectShots compares the frames with the ticks of the server.
func (o *arenaShotOracle) expectShots() {
	a := o.guest.arena
	prespawned := o.guest.Client().Stats().Prespawned
	o.sums.misfires += int(prespawned.Unmatched)
	o.sums.matched += int(prespawned.Matched)
	for tick, is := range o.frames {
		truth, ran := a.truth.shots[tick]
		if !ran || tick.Before(o.since+o.confirmedAfter()) {
			continue
		}
		for key, s := range is {
			if tick.Before(key.Tick + o.confirmedAfter()) {
				continue
			}
			want, there := truth[key]
			if o.mayDiffer(key) {
				s.Burnt = want.Burnt
			} else if s.Burnt != 0 {
				o.sums.burnt++
			}
			if !there || s != want {
				require.Failf(a.t, "a shot is wrong", "%v: client %d has the shot %+v in tick %d with %+v; that the server had it is %v, with %+v", a.arenaSetup, o.guest.id, key, tick, s, there, want)
			}
			o.count(key.Kind)
		}
		for key := range truth {
			parent := arenaShotKey{key.Owner, key.Tick, firesParent}
			if _, stays := truth[parent]; key.Kind == isChild && !stays {
				continue // the server's ends with its parent when that is sent
			}
			if _, there := is[key]; !there && !tick.Before(key.Tick+o.confirmedAfter()) {
				require.Failf(a.t, "a shot is not there", "%v: client %d lacks the shot %+v in tick %d", a.arenaSetup, o.guest.id, key, tick)
			}
		}
	}
}

// mayDiffer reports whether what is not sent of a shot may differ for good: it was assembled before the client was
// there, after its tick, or from the state of a tick that the client has never computed from what the server had.
func (o *arenaShotOracle) mayDiffer(key arenaShotKey) bool {
	return key.Tick.Before(o.since+o.confirmedAfter()) || key.Kind == firesIntent && !(o.exact[key.Tick-1] && o.early[key])
}

func (o *arenaShotOracle) count(kind uint8) {
	switch kind {
	case isChild:
		o.sums.children++
	case firesIntent:
		o.sums.intents++
	case isBlueprint:
		o.sums.blueprints++
	default:
		o.sums.bullets++
	}
}
