package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// The blueprint of random worlds, and what is assembled from it: a component that the server sends as well, and one that is never
// sent.
type (
	// sapling has a Tick that counts from the tick of its command on: see nursery. 0 is the next tick.
	sapling struct {
		components.At
		Seed  uint16
		Rings uint16 // of the trunk, when the blueprint was refreshed
	}
	trunk struct{ Rings uint16 }
	bark  struct{ Pattern uint32 }
	tree  struct {
		trunk
		bark
	}
)

func patternOf(seed uint16) uint32 { return uint32(seed)*2654435761 + 1 }

func withSaplings(p *protocol.Protocol) {
	protocol.Component[trunk](p).Predict(protocol.Full)
	protocol.Blueprint(p, func(_ *ecs.World, _ ecs.Entity, s sapling) tree {
		return tree{trunk{s.Rings + 1}, bark{patternOf(s.Seed)}}
	}).Refresh(func(w *ecs.World, e ecs.Entity, s *sapling) {
		if id := ecs.ComponentID[trunk](w); w.Has(e, id) {
			s.Rings = (*trunk)(w.Get(e, id)).Rings
		}
	})
}

// saplingPlan is the part of a plan that concerns blueprints. It has its own random numbers.
type saplingPlan struct {
	rng *rand.Rand
	on  bool
}

func newSaplingPlan(seed uint64) saplingPlan {
	rng := rand.New(rand.NewPCG(seed, 0x7361706c))
	return saplingPlan{rng: rng, on: rng.IntN(2) == 0}
}

// plant spawns an entity with a blueprint in tick n from now, gives one that is there a blueprint, takes one away, or changes what
// was assembled.
func (p *plan) plant(n int) {
	f := &p.saplings
	if !f.on || f.rng.IntN(8) > 0 {
		return
	}
	at := inTick(n)
	if f.rng.IntN(3) == 0 {
		p.plantNew(n)
		return
	}
	if len(p.entities) == 0 {
		return
	}
	switch e := p.entities[f.rng.IntN(len(p.entities))].name; f.rng.IntN(6) {
	case 0, 1, 2:
		p.say("%sinsert %s sapling=%s", at, e, p.drawSapling())
	case 3:
		p.say("%sremove %s sapling", at, e)
	case 4:
		p.say("%sremove %s trunk", at, e)
	default:
		p.say("%sset %s trunk=%d", at, e, f.rng.IntN(100))
	}
}

// drawSapling draws a blueprint, half of the time one for a later tick.
func (p *plan) drawSapling() string {
	f := &p.saplings
	ahead := 0
	if f.rng.IntN(2) == 0 {
		ahead = 1 + f.rng.IntN(40)
	}
	return fmt.Sprintf("%d,%d,0", ahead, f.rng.IntN(1000))
}

// plantNew spawns an entity that the rest of the plan does not touch.
func (p *plan) plantNew(n int) {
	f := &p.saplings
	p.names++
	e, with, relevance := fmt.Sprintf("e%d", p.names), "", 0
	if f.rng.IntN(2) == 0 {
		with = fmt.Sprintf(" life=%d path=%d,2,3", f.rng.IntN(8), f.rng.IntN(100))
	}
	if p.interest {
		relevance = []int{0, 0, 1, 2}[f.rng.IntN(4)]
	}
	p.say("%sspawn %s sapling=%s%s Replicate=Group:%d,Relevance:%d", inTick(n), e, p.drawSapling(), with, max(0, f.rng.IntN(8)-4), relevance)
	if p.predicted.on && f.rng.IntN(3) > 0 {
		p.say("%spredict %s %s", inTick(n), e, p.followers(f.rng))
	}
	if p.shown.on && f.rng.IntN(3) > 0 {
		p.say("%sinterpolate %s %s", inTick(n), e, p.followers(f.rng))
	}
	if relevance > 0 {
		p.say("%sgain %s %d", inTick(n), e, 1+f.rng.IntN(p.clients))
	}
	for range f.rng.IntN(3) {
		n += 1 + f.rng.IntN(20)
		switch f.rng.IntN(5) {
		case 4:
			p.say("%sremove %s sapling trunk", inTick(n), e)
			n += 1 + f.rng.IntN(10)
			p.say("%sinsert %s sapling=%s", inTick(n), e, p.drawSapling())
		case 0:
			p.say("%sset %s trunk=%d", inTick(n), e, f.rng.IntN(100))
		case 1:
			p.say("%slose %s %d", inTick(n), e, 1+f.rng.IntN(p.clients))
		case 2:
			p.say("%sgain %s %d", inTick(n), e, 1+f.rng.IntN(p.clients))
		default:
			p.say("%sgroup %s %d", inTick(n), e, f.rng.IntN(4))
		}
	}
	if n += 5 + f.rng.IntN(60); f.rng.IntN(4) > 0 {
		p.say("%sdespawn %s", inTick(n), e)
	}
}

// nursery has the blueprints that the server's entities have had.
type nursery struct {
	count func(branch string)
	seeds map[ecs.Entity][]uint16
	has   map[ecs.Entity]sapling // at the end of the last tick
}

func newNursery(count func(branch string)) *nursery {
	return &nursery{count, map[ecs.Entity][]uint16{}, map[ecs.Entity]sapling{}}
}

// once reports whether an entity has had one blueprint at most.
func (n *nursery) once(e ecs.Entity) bool { return len(n.seeds[e]) <= 1 }

// plant is the server's system that makes the ticks of new blueprints count from the present one. It runs after the commands.
func (n *nursery) plant(w *ecs.World) func() {
	plan, now := ecs.ComponentID[sapling](w), ecs.GetResource[components.Time](w)
	prespawned := ecs.ComponentID[tracer](w)
	return func() {
		had := n.has
		n.has = map[ecs.Entity]sapling{}
		for q := w.Query(ecs.All(plan)); q.Next(); {
			s, e := (*sapling)(q.Get(plan)), q.Entity()
			was, known := had[e]
			isNew := !known || was.Seed != s.Seed || was.Tick != s.Tick && was.Tick != 0
			if isNew {
				n.seeds[e] = append(n.seeds[e], s.Seed)
			}
			if isNew && len(n.seeds[e]) == 2 {
				n.count(plantedTwice)
			}
			if isNew && s.Tick != 0 && !q.Has(prespawned) {
				s.Tick += now.Tick
			}
			n.has[e] = *s
		}
	}
}

// saplingCourt is a system in AfterSend that checks the entities with blueprints of one world: each has what is never sent
// of its blueprint from its tick on, and not before.
type saplingCourt struct {
	t       require.TestingT
	name    string
	nursery *nursery
	count   func(branch string)
	origin  func(local ecs.Entity) (ecs.Entity, bool)
	client  func() *plugin.Client // nil on a server

	now    *components.Time
	lacks  map[ecs.Entity]entangle.Tick // since when an entity lacks what it should have
	waited map[ecs.Entity]bool          // it was there before its tick
	bark   map[ecs.Entity]bool          // it was there in the last frame
	smooth smoothness
}

// The rare things that entities with blueprints do.
const (
	plantedAhead    = "assembled: a predicted entity that waited"
	plantedLate     = "assembled: a predicted entity that arrived after its tick"
	plantedShown    = "assembled: an interpolated entity"
	plantedRemote   = "assembled: an entity that is neither"
	plantedTwice    = "assembled: an entity with a second blueprint"
	plantedFresh    = "assembled: a refreshed blueprint"
	plantedPrespawn = "assembled: a prespawned entity"
)

var plantedBranches = []string{plantedAhead, plantedLate, plantedShown, plantedRemote, plantedTwice, plantedFresh}

func (c *saplingCourt) Finalize(*ecs.World) {}

func (c *saplingCourt) Initialize(w *ecs.World) {
	c.now = ecs.GetResource[components.Time](w)
	c.lacks, c.waited, c.bark = map[ecs.Entity]entangle.Tick{}, map[ecs.Entity]bool{}, map[ecs.Entity]bool{}
}

// Update checks a frame.
func (c *saplingCourt) Update(w *ecs.World) {
	plan, skin, wood := ecs.ComponentID[sapling](w), ecs.ComponentID[bark](w), ecs.ComponentID[trunk](w)
	remote, predicted := ecs.ComponentID[components.Remote](w), ecs.ComponentID[components.Predicted](w)
	shown := ecs.ComponentID[components.Interpolated](w)
	if c.client != nil {
		c.smooth.update(c.client(), c.now.Tick)
		if c.client().State() != plugin.Connected {
			clear(c.lacks)
			clear(c.waited)
			clear(c.bark)
			return
		}
	}
	bark0 := c.bark
	c.bark = map[ecs.Entity]bool{}
	for q := w.Query(ecs.All(plan)); q.Next(); {
		is := planted{entity: q.Entity(), plan: *(*sapling)(q.Get(plan)), predicted: q.Has(predicted), remote: q.Has(remote), shown: q.Has(shown), trunk: q.Has(wood), bark: q.Has(skin)}
		if c.client != nil && !is.predicted && !is.remote {
			continue
		}
		if is.original, is.known = c.origin(is.entity); is.bark {
			is.pattern = (*bark)(q.Get(skin)).Pattern
			c.bark[is.entity] = true
		}
		if is.before = bark0[is.entity]; is.shown {
			is.every = int((*components.Interpolated)(q.Get(shown)).SendEvery)
		} else if c.client != nil {
			is.every = apps.Of(w).Client.PacketInterval()
		}
		c.check(&is)
	}
}

// planted is an entity with a blueprint.
type planted struct {
	entity, original         ecs.Entity
	known                    bool // original is
	plan                     sapling
	predicted, remote, shown bool
	trunk, bark, before      bool
	pattern                  uint32
	every                    int // the interval of its timeline
}

func (c *saplingCourt) fail(p *planted, format string, values ...any) {
	require.Failf(c.t, "an entity with a blueprint is wrong", "%s at tick %d: %+v "+format, append([]any{c.name, c.now.Tick, *p}, values...)...)
}

func (c *saplingCourt) check(p *planted) {
	now := c.now.Tick
	if p.remote {
		now, _ = c.client().InterpolationTime(p.every)
	}
	due := p.plan.Tick != 0 && !now.Before(p.plan.Tick)
	once := c.nursery.once(p.original)
	if p.bark && p.pattern != patternOf(p.plan.Seed) && (once || !slices.ContainsFunc(c.nursery.seeds[p.original], func(seed uint16) bool { return p.pattern == patternOf(seed) })) {
		c.fail(p, "has a pattern of another blueprint")
	}
	switch {
	case !due:
		delete(c.lacks, p.entity)
		c.waited[p.entity] = true
		if p.bark && once && c.smooth.smoothForLong(c.now.Tick) && (!p.remote || p.shown && !p.before) {
			c.fail(p, "is assembled before its tick")
		}
		return
	case p.bark:
		delete(c.lacks, p.entity)
		if !p.before {
			c.countAssembled(p)
		}
		return
	}
	since, known := c.lacks[p.entity]
	if !known {
		since = c.now.Tick
		c.lacks[p.entity] = since
	}
	if since.Before(c.now.Tick) && c.smooth.smoothForLong(c.now.Tick) {
		c.fail(p, "is not assembled, since tick %d", since)
	}
}

func (c *saplingCourt) countAssembled(p *planted) {
	branch := ""
	switch {
	case c.client == nil:
	case p.remote && p.shown:
		branch = plantedShown
	case p.remote:
		branch = plantedRemote
	case c.waited[p.entity]:
		branch = plantedAhead
	default:
		branch = plantedLate
	}
	if branch != "" {
		c.count(branch)
	}
	if c.client != nil && p.plan.Rings > 0 {
		c.count(plantedFresh)
	}
	if c.client != nil && !p.known {
		c.count(plantedPrespawn)
	}
}

// smoothness says since when a client's clock and prediction run without a jump.
type smoothness struct {
	jumps, resyncs uint64
	synced         bool
	since          entangle.Tick
}

func (s *smoothness) update(c *plugin.Client, now entangle.Tick) {
	stats := c.Stats()
	if !s.synced || !stats.Clock.Synced || c.State() != plugin.Connected || stats.Clock.Jumps != s.jumps || stats.Rollbacks.Resyncs != s.resyncs {
		s.since = now
	}
	s.synced, s.jumps, s.resyncs = stats.Clock.Synced && c.State() == plugin.Connected, stats.Clock.Jumps, stats.Rollbacks.Resyncs
}

// smoothForLong reports whether that is long enough for all that was computed otherwise to be corrected.
func (s *smoothness) smoothForLong(now entangle.Tick) bool { return s.smoothSince(now - 2*randomRate) }

// smoothSince reports whether nothing has jumped since a tick.
func (s *smoothness) smoothSince(tick entangle.Tick) bool { return !tick.Before(s.since) }
