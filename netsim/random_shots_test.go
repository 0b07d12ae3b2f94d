package netsim_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// What inputs of random worlds fire. No two shots have the same Press, which names the input. All that a shot does
// follows from its Press and its tick.
type (
	// tracer is prespawned.
	tracer struct {
		Press uint32
		Born  entangle.Tick
		X     int32
	}
	// salvo is the blueprint of a fire intent.
	salvo struct {
		components.At
		From  ecs.Entity
		Press uint32
	}
	flight struct{ X int32 }
	glow   struct{ Burnt uint32 } // it is never sent
	volant struct {
		flight
		glow
	}
)

// shotLife is for how many ticks a shot is there.
const shotLife = 20

// ofChild marks the Press of a tracer's child.
const ofChild = 1 << 31

func shotOwner(press uint32) entangle.ClientID { return wroteBy(press &^ ofChild) }

// What an input fires, by its Press.
func firesSalvo(press uint32) bool  { return wroteBy(press) != 0 && press&7 == 0 }
func firesTracer(press uint32) bool { return wroteBy(press) != 0 && press&7 == 3 }

// isAccepted is what the server says of a salvo.
func isAccepted(press uint32) bool { return press>>3&3 != 3 }

// The ways in which tracers are spawned, by their Press.
const (
	tracerWithChild   = 1
	tracerWithSapling = 2
	tracerForOwner    = 3 // only the owner predicts it
	tracerHidden      = 4 // from its owner
	tracerInGroup     = 5
)

func tracerKind(press uint32) uint32 { return press >> 3 & 7 }

// firstX returns where a shot begins.
func firstX(press uint32) int32 { return int32(press & 0xff) }

// burntAfter returns the glow of a salvo at the end of so many ticks.
func burntAfter(press uint32, ticks int32) uint32 {
	burnt := press
	for n := range ticks {
		burnt = burnt*3 + uint32(firstX(press)+3*(n+1))
	}
	return burnt
}

// withShots registers shots. In half of the worlds with them all clients predict salvos, in the others only their owners do.
func withShots(p *protocol.Protocol, l limits) {
	protocol.Component[components.Prespawned](p)
	protocol.Component[tracer](p).Predict(protocol.Full)
	protocol.Component[flight](p).Predict(protocol.Full)
	protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, s salvo) volant {
		return volant{flight{firstX(s.Press)}, glow{s.Press}}
	})
	as := components.Replicate{Predict: components.Everyone, Interpolate: components.Everyone}
	if l.shots > 1 {
		as.Predict = components.Owner
	}
	protocol.Intent(p, func(shooter ecs.Entity, in hand) (salvo, bool) {
		return salvo{From: shooter, Press: in.Press}, firesSalvo(in.Press)
	}, as).Accept(func(_ *ecs.World, _ ecs.Entity, s salvo) bool { return isAccepted(s.Press) })
}

// shots draws whether a world has shots: 0 for none, or see withShots.
func (p *plan) shots(seed uint64) int {
	rng := rand.New(rand.NewPCG(seed, 0x73686f74))
	if n := rng.IntN(5); p.hands.on && n < 2 {
		return 1 + n
	}
	return 0
}

// shotGuns is the shared system that spawns tracers, moves shots, and ends them.
type shotGuns struct {
	me    func() entangle.ClientID // 0 on a server
	trees bool                     // tracers may have blueprints

	now              *components.Time
	shooters         *generic.Filter2[hand, components.ControlledBy]
	tracers          *generic.Filter1[tracer]
	salvos           *generic.Filter3[salvo, flight, glow]
	spawn            generic.Map4[tracer, components.ControlledBy, components.Prespawned, components.Replicate]
	spawnWithSapling generic.Map5[tracer, components.ControlledBy, components.Prespawned, components.Replicate, sapling]
	spawnChild       generic.Map3[tracer, components.Prespawned, components.ChildOf]
}

func (g *shotGuns) Finalize(*ecs.World) {}

func (g *shotGuns) Initialize(w *ecs.World) {
	local := generic.T[components.Remote]()
	g.now = ecs.GetResource[components.Time](w)
	g.shooters = generic.NewFilter2[hand, components.ControlledBy]().Without(local)
	g.tracers, g.salvos = generic.NewFilter1[tracer]().Without(local), generic.NewFilter3[salvo, flight, glow]().Without(local)
	g.spawn = generic.NewMap4[tracer, components.ControlledBy, components.Prespawned, components.Replicate](w)
	if g.trees {
		g.spawnWithSapling = generic.NewMap5[tracer, components.ControlledBy, components.Prespawned, components.Replicate, sapling](w)
	}
	g.spawnChild = generic.NewMap3[tracer, components.Prespawned, components.ChildOf](w, generic.T[components.ChildOf]())
}

func (g *shotGuns) Update(w *ecs.World) {
	var ended []ecs.Entity
	for q := g.tracers.Query(w); q.Next(); {
		shot := q.Get()
		if shot.X += 5; g.now.Tick.Sub(shot.Born) >= shotLife {
			ended = append(ended, q.Entity())
		}
	}
	for q := g.salvos.Query(w); q.Next(); {
		plan, at, fuse := q.Get()
		at.X += 3
		fuse.Burnt = fuse.Burnt*3 + uint32(at.X)
		if g.now.Tick.Sub(plan.Tick) >= shotLife-1 {
			ended = append(ended, q.Entity())
		}
	}
	for _, e := range ended {
		if w.Alive(e) {
			plugin.Despawn(w, e)
		}
	}
	var fired []uint32
	for q := g.shooters.Query(w); q.Next(); {
		if in, by := q.Get(); firesTracer(in.Press) && wroteBy(in.Press) == by.Client {
			fired = append(fired, in.Press)
		}
	}
	for _, press := range fired {
		g.fire(press)
	}
}

// fire spawns a tracer.
func (g *shotGuns) fire(press uint32) {
	shot, owner := tracer{Press: press, Born: g.now.Tick, X: firstX(press)}, components.ControlledBy{Client: wroteBy(press)}
	mark, replicate := components.Prespawned{Salt: press}, components.Replicate{Predict: components.Everyone, Interpolate: components.Everyone}
	switch kind := tracerKind(press); {
	case kind == tracerForOwner && g.me() != 0 && g.me() != owner.Client:
		return
	case kind == tracerForOwner:
		replicate.Predict = components.Owner
	case kind == tracerHidden:
		replicate.Target = components.NotOwner
	case kind == tracerInGroup:
		replicate.Group = 1
	case kind == tracerWithSapling && g.trees:
		g.spawnWithSapling.NewWith(&shot, &owner, &mark, &replicate, &sapling{Seed: uint16(press)})
		return
	}
	e := g.spawn.NewWith(&shot, &owner, &mark, &replicate)
	if tracerKind(press) == tracerWithChild {
		shot.Press |= ofChild
		mark.Salt |= ofChild
		g.spawnChild.NewWith(&shot, &mark, &components.ChildOf{}, e)
	}
}

// shotJudge has what the server has fired.
type shotJudge struct {
	scene *randomScene
	fired map[uint32]firedShot // by Press
	still bool                 // nothing more is to be fired
}

// firedShot is a salvo or a tracer of the server.
type firedShot struct {
	entity  ecs.Entity
	shooter ecs.Entity // of a salvo
	tick    entangle.Tick
	hidden  bool // from its owner, with its shooter, while a salvo waited
}

// The rare things that shots do.
const (
	shotAhead       = "fired: a salvo ahead of its tick"
	shotInTick      = "fired: a salvo in its tick"
	shotRefused     = "fired: a salvo that the server refused"
	shotMisfired    = "fired: a shot that the server does not have"
	shotMatched     = "fired: a shot that became the server's"
	shotWaits       = "fired: a salvo that waits at another client"
	shotPredicted   = "fired: a salvo that another client predicts"
	shotShown       = "fired: a salvo that is interpolated"
	shotTwice       = "fired: a tracer that is there twice for a while"
	shotBullet      = "fired: a tracer that another client predicts"
	shotChild       = "fired: a child of a tracer"
	shotUnconfirmed = "fired: a shot at a client without a confirmed tick"
	shotEarly       = "fired: a tracer of an earlier tick, of which state of a future one has arrived"
	shotTooLate     = "fired: a salvo that was given up, and has come back"
	shotNowhere     = "fired: an input for an orphaned shooter"
	shotHidden      = "fired: a salvo that was hidden with its shooter, and has come back"
)

var shotBranches = []string{
	shotAhead, shotInTick, shotRefused, shotMisfired, shotMatched, shotWaits, shotPredicted, shotShown, shotBullet, shotChild,
	plantedPrespawn,
}

func (j *shotJudge) count(branch string) { j.scene.rare.count[branch]++ }

func (j *shotJudge) fail(name string, tick entangle.Tick, format string, values ...any) {
	require.Failf(j.scene.t, "a shot is wrong", "%s at tick %d: "+format, append([]any{name, tick}, values...)...)
}

// wrotePress reports whether a client wrote an input with a Press for an entity and a tick.
func (j *inputJudge) wrotePress(at helm, tick entangle.Tick, press uint32) bool {
	for _, e := range []ecs.Entity{at.entity, {}} {
		for _, stream := range j.streams[helm{at.client, e}] {
			w, ok := stream.acts[tick]
			if ok && !w.none && w.Press == press || stream.jumped && stream.events[press] {
				return true
			}
		}
	}
	return false
}

// jumped reports whether the clock of a client has jumped while it drove an entity. It may write the input of a tick a second time
// then, and the second one fires nothing.
func (j *inputJudge) jumped(at helm) bool {
	for _, e := range []ecs.Entity{at.entity, {}} {
		for _, stream := range j.streams[helm{at.client, e}] {
			if stream.jumped {
				return true
			}
		}
	}
	return false
}

// checkServer is a system of the server that checks its shots before anything moves in a tick.
func (j *shotJudge) checkServer(w *ecs.World) func() {
	of, control := ecs.ComponentID[components.IntentOf](w), ecs.ComponentID[components.ControlledBy](w)
	moves, glows, now := ecs.ComponentID[flight](w), ecs.ComponentID[glow](w), ecs.GetResource[components.Time](w)
	inputs, relevance := plugin.NewInputs[hand](w), plugin.NewRelevance(w)
	salvos, hands, tracers := generic.NewFilter1[salvo](), generic.NewFilter2[hand, components.ControlledBy](), generic.NewFilter1[tracer]()
	return func() {
		for q := salvos.Query(w); q.Next(); {
			plan, e := *q.Get(), q.Entity()
			owner := (*components.ControlledBy)(w.Get(e, control)).Client
			s, known := j.fired[plan.Press]
			switch {
			case !known:
				s = firedShot{entity: e, shooter: plan.From, tick: plan.Tick}
				j.fired[plan.Press] = s
				j.checkSource(&plan, owner, now.Tick)
			case s.entity != e || s.tick != plan.Tick:
				j.fail("the server", now.Tick, "%v and %v are both of one input: %+v, %+v", e, s.entity, plan, s)
			case !plan.Tick.Before(now.Tick) && !relevance.Sees(plan.From, owner): // it has waited since before the last sending
				s.hidden = true
				j.fired[plan.Press] = s
			}
			waits := now.Tick.Before(plan.Tick)
			if w.Has(e, of) != waits || w.Has(e, moves) == waits || w.Has(e, glows) == waits {
				j.fail("the server", now.Tick, "%v, %+v: that it waits is %v; it has IntentOf: %v, parts: %v, %v", e, plan, waits, w.Has(e, of), w.Has(e, moves), w.Has(e, glows))
			}
			if !waits {
				ticks := now.Tick.Sub(plan.Tick)
				is := volant{*(*flight)(w.Get(e, moves)), *(*glow)(w.Get(e, glows))}
				if want := (volant{flight{firstX(plan.Press) + 3*ticks}, glow{burntAfter(plan.Press, ticks)}}); is != want {
					j.fail("the server", now.Tick, "%v, %+v is %+v, and should be %+v", e, plan, is, want)
				}
				continue
			}
			if w.Relations().Get(e, of) != plan.From {
				j.fail("the server", now.Tick, "%v, %+v is of %v", e, plan, w.Relations().Get(e, of))
			}
		}
		for q := hands.Query(w); q.Next(); {
			in, by := q.Get()
			if !firesSalvo(in.Press) || wroteBy(in.Press) != by.Client || inputs.Status(q.Entity()) != plugin.FreshInput {
				continue
			}
			if s, ok := j.fired[in.Press]; isAccepted(in.Press) && !j.scene.judge.jumped(helm{by.Client, q.Entity()}) && (!ok || s.tick != now.Tick || s.shooter != q.Entity()) {
				j.fail("the server", now.Tick, "the input %+v of %v has fired nothing: %v, %+v", *in, q.Entity(), ok, s)
			} else if !isAccepted(in.Press) {
				j.count(shotRefused)
			}
		}
		for q := tracers.Query(w); q.Next(); {
			s := *q.Get()
			if was, known := j.fired[s.Press]; known && was.entity != q.Entity() {
				j.fail("the server", now.Tick, "%v and %v are both of one input: %+v", q.Entity(), was.entity, s)
			}
			j.fired[s.Press] = firedShot{entity: q.Entity(), tick: s.Born}
			if want := firstX(s.Press) + 5*(now.Tick-1).Sub(s.Born); s.X != want {
				j.fail("the server", now.Tick, "%v is %+v, and should be at %d", q.Entity(), s, want)
			}
		}
	}
}

// checkSource checks that a player has made the input that a salvo of the server is of.
func (j *shotJudge) checkSource(plan *salvo, owner entangle.ClientID, now entangle.Tick) {
	if !firesSalvo(plan.Press) || !isAccepted(plan.Press) || owner != wroteBy(plan.Press) || plan.Tick.Before(now) {
		j.fail("the server", now, "%+v of client %d is fired", *plan, owner)
	}
	if !j.scene.judge.wrotePress(helm{owner, plan.From}, plan.Tick, plan.Press) {
		j.fail("the server", now, "client %d made no input for %+v", owner, *plan)
	}
	if now.Before(plan.Tick) {
		j.count(shotAhead)
	} else {
		j.count(shotInTick)
	}
}

// shotCourt checks the shots of a client's world after each frame. Of each input there is one salvo in the world of its
// player from the frame on in which it was made, and the same one as long as it is there. Each shot that is simulated is as
// its Press and its tick give.
type shotCourt struct {
	*shotJudge
	guest *guest

	world  *ecs.World
	now    *components.Time
	smooth smoothness
	made   []madeInput                  // in this frame
	mine   map[uint32]ecs.Entity        // own shots of the last frame
	gone   map[uint32]bool              // own salvos that have gone
	first  map[ecs.Entity]entangle.Tick // when a shot appeared
	blind  map[ecs.Entity]entangle.Tick // when a shot was there last without a confirmed tick
	exact  map[ecs.Entity]entangle.Tick // the tick of the server's state with which it appeared, if that was a future one
	twice  map[uint32]entangle.Tick     // since when a shot is there twice
	before plugin.PrespawnStats
}

// madeInput is an input that fires a salvo.
type madeInput struct {
	shooter ecs.Entity
	press   uint32
}

func (c *shotCourt) Finalize(*ecs.World) {}

func (c *shotCourt) Initialize(w *ecs.World) {
	c.world, c.now = w, ecs.GetResource[components.Time](w)
	c.reset()
}

func (c *shotCourt) reset() {
	c.mine, c.gone, c.twice = map[uint32]ecs.Entity{}, map[uint32]bool{}, map[uint32]entangle.Tick{}
	c.first, c.exact, c.blind = map[ecs.Entity]entangle.Tick{}, map[ecs.Entity]entangle.Tick{}, map[ecs.Entity]entangle.Tick{}
}

// madeBy records that the player has made an input.
func (c *shotCourt) madeBy(shooter ecs.Entity, press uint32) {
	c.made = append(c.made, madeInput{shooter, press})
}

// Update checks a frame.
func (c *shotCourt) Update(w *ecs.World) {
	client := c.guest.Client()
	stats := client.Stats().Prespawned
	if stats.Matched > c.before.Matched {
		c.count(shotMatched)
	}
	if stats.Unmatched > c.before.Unmatched {
		c.count(shotMisfired)
	}
	c.before = stats
	if c.smooth.update(client, c.now.Tick); client.State() != plugin.Connected || !c.smooth.smoothSince(c.now.Tick-1) {
		c.reset()
	}
	made := c.made
	if c.made = nil; client.State() != plugin.Connected {
		return
	}
	is := c.read(w)
	for press, all := range is {
		c.checkOne(press, all)
	}
	for press := range c.mine {
		if _, there := is[press]; !there {
			delete(c.mine, press)
			c.gone[press] = firesSalvo(press)
		}
	}
	known := ecs.ComponentID[components.Controlled](w)
	for _, m := range made {
		original, replica := c.guest.originals.of(m.shooter)
		if c.scene.rare.orphaned[original] { // the server no longer has it (docs/REPLICATION.md, "Pauses")
			c.count(shotNowhere)
			continue
		}
		if replica && w.Alive(m.shooter) && w.Has(m.shooter, known) && c.smooth.smoothSince(c.now.Tick-5) && len(is[m.press]) == 0 {
			c.fail("it has no salvo of the input %#x that it has just made for %v", m.press, m.shooter)
		}
	}
}

func (c *shotCourt) fail(format string, values ...any) {
	c.shotJudge.fail(fmt.Sprintf("client %d", c.guest.ID()), c.now.Tick, format, values...)
}

// read returns the shots of the world, and checks those that are simulated.
func (c *shotCourt) read(w *ecs.World) (all map[uint32][]ecs.Entity) {
	all = map[uint32][]ecs.Entity{}
	remote, predicted := ecs.ComponentID[components.Remote](w), ecs.ComponentID[components.Predicted](w)
	moves, glows, of := ecs.ComponentID[flight](w), ecs.ComponentID[glow](w), ecs.ComponentID[components.IntentOf](w)
	appear := func(e ecs.Entity, press uint32) {
		all[press] = append(all[press], e)
		if _, known := c.first[e]; !known {
			c.first[e] = c.now.Tick
			if tick, ok := apps.Of(w).Applier.Replicas.Tick(e); ok && c.now.Tick.Before(tick) {
				c.exact[e] = tick
			}
		}
	}
	for q := generic.NewFilter1[salvo]().Query(w); q.Next(); {
		plan, e := *q.Get(), q.Entity()
		if q.Has(remote) {
			c.count(shotShown)
		}
		if !q.Has(predicted) {
			continue
		}
		appear(e, plan.Press)
		waits, other := c.now.Tick.Before(plan.Tick), wroteBy(plan.Press) != c.guest.ID()
		switch {
		case waits && other:
			c.count(shotWaits)
		case other:
			c.count(shotPredicted)
		}
		if !c.isJudged(e, plan.Tick) {
			continue
		}
		if w.Has(e, of) != waits || w.Has(e, moves) == waits || w.Has(e, glows) == waits {
			c.fail("%v, %+v: that it waits is %v; it has IntentOf: %v, parts: %v, %v", e, plan, waits, w.Has(e, of), w.Has(e, moves), w.Has(e, glows))
		}
		if waits {
			continue
		}
		ticks := c.now.Tick.Sub(plan.Tick) + 1
		is, want := volant{*(*flight)(w.Get(e, moves)), *(*glow)(w.Get(e, glows))}, volant{flight{firstX(plan.Press) + 3*ticks}, glow{burntAfter(plan.Press, ticks)}}
		if is != want || ticks >= shotLife {
			c.fail("%v, %+v is %+v, and should be %+v", e, plan, is, want)
		}
	}
	for q := generic.NewFilter1[tracer]().Query(w); q.Next(); {
		s, e := *q.Get(), q.Entity()
		if !q.Has(predicted) {
			continue
		}
		appear(e, s.Press)
		if shotOwner(s.Press) != c.guest.ID() {
			c.count(shotBullet)
		}
		if s.Press&ofChild != 0 {
			c.count(shotChild)
		}
		ticks := c.now.Tick.Sub(s.Born)
		switch want := firstX(s.Press) + 5*ticks; {
		case s.X == want && ticks < shotLife || !c.isJudged(e, s.Born):
		case c.now.Tick.Before(c.exact[e]) && s.X < want:
			// State of a future tick replaces that of the past ones which came in the same frame, and is written when its tick
			// has run (docs/GUARANTEES.md, B10).
			c.count(shotEarly)
		default:
			c.fail("%v is %+v, and should be at %d", e, s, want)
		}
	}
	return all
}

// isJudged reports whether a shot of a tick must be exact: if the client has received it within MaxRollback, and so has
// simulated it from that tick on. Before the first confirmed tick, confirmed state is written without a replay, and what it has
// become is corrected when the confirmed tick reaches it (docs/STATES.md, "Prediction in a frame").
func (c *shotCourt) isJudged(e ecs.Entity, tick entangle.Tick) bool {
	now, confirmed := apps.Of(c.world).Client.ConfirmedTick()
	if !confirmed {
		c.blind[e] = c.now.Tick
	}
	if since, blind := c.blind[e]; blind && (!confirmed || now.Before(since)) {
		c.count(shotUnconfirmed)
		return false
	}
	return c.smooth.smoothForLong(c.now.Tick) && c.first[e].Sub(tick) < randomRate-5
}

// checkOne checks the entities of one input.
func (c *shotCourt) checkOne(press uint32, all []ecs.Entity) {
	own := shotOwner(press) == c.guest.ID()
	if len(all) == 1 {
		delete(c.twice, press)
	} else {
		since, known := c.twice[press]
		if !known {
			since = c.now.Tick
			c.twice[press] = since
			c.count(shotTwice)
		}
		if own && c.smooth.smoothForLong(c.now.Tick) {
			c.fail("its shot %#x is there several times since tick %d: %v", press, since, all)
		}
	}
	if !own {
		return
	}
	if was, there := c.mine[press]; there && was != all[0] && c.smooth.smoothForLong(c.now.Tick) {
		c.fail("its shot %#x was %v, and is %v", press, was, all[0])
	}
	switch fired := c.fired[press]; {
	case !c.gone[press]:
	case fired.hidden: // docs/PREDICTION.md, "Shots ahead of their tick"
		c.count(shotHidden)
	case c.first[all[0]].Sub(fired.tick) > randomRate: // MaxRollback (docs/PREDICTION.md, "Bullets")
		c.count(shotTooLate)
	case c.smooth.smoothForLong(c.now.Tick):
		c.fail("its salvo %#x has come back as %v", press, all[0])
	}
	c.mine[press] = all[0]
}

// expectNoShots returns an error if a client has shots that the server does not have, at rest.
func (c *shotCourt) expectNoShots() error {
	for press, all := range c.read(c.world) {
		for _, e := range all {
			if _, ok := c.guest.originals.of(e); !ok {
				return fmt.Errorf("client %d has the shot %#x, %v, which the server does not have", c.guest.ID(), press, e)
			}
		}
	}
	return nil
}
