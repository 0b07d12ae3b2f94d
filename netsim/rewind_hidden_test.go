package netsim_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// The ways in which entities of hideAndCompare are hidden and shown again.
const (
	irrelevant = iota // by plugin.Relevance
	retained          // the same, and kept where it was
	masked            // its place, by plugin.Override
	partner           // is in a group with the next one, and stays
	hidden            // by its target, in a group
	joining           // ends, and is spawned in that group again
	hiddenKinds
)

var hiddenNames = [hiddenKinds]string{"irrelevant", "retained", "masked", "partner", "hidden", "joining"}

// hidingPlan says how far the entities have moved at the end of a tick, and whether the player may see them then.
type hidingPlan func(tick int) (at float64, visible bool)

// hide returns the server's system of hideAndCompare.
func (g *rewindGame) hide(w *ecs.World, plan hidingPlan) func() {
	things := generic.NewMap4[rewindPlace, rewindMark, smoothLabel, components.Replicate](w)
	spawn := func(label uint32) ecs.Entity {
		r := components.Replicate{Interpolate: components.Everyone}
		switch label {
		case irrelevant:
			r.Relevance = components.ByInterest
		case retained:
			r.Relevance = components.Retained
		case partner, hidden, joining:
			r.Group = 1
		}
		e := things.NewWith(&rewindPlace{}, &rewindMark{}, &smoothLabel{label}, &r)
		g.labels[e] = label
		return e
	}
	for label := range uint32(hiddenKinds) {
		g.all = append(g.all, spawn(label))
	}
	owned := generic.NewMap3[steer, components.ControlledBy, components.Replicate](w)
	g.players[0] = owned.NewWith(&steer{}, &components.ControlledBy{Client: 1}, &components.Replicate{})
	clock, places := ecs.GetResource[components.Time](w), generic.NewMap1[rewindPlace](w)
	replicates, override := generic.NewMap1[components.Replicate](w), plugin.NewOverride[rewindPlace](w)
	relevance, except := plugin.NewRelevance(w), ecs.GetResource[components.Targets](w).Except(1)
	shoot := g.shoot(w)
	return func() {
		shoot()
		tick := int(clock.Tick)
		now, visible := plan(tick)
		for _, label := range []int{irrelevant, retained} {
			if visible {
				relevance.Show(g.all[label], 1)
			} else {
				relevance.Hide(g.all[label], 1)
			}
		}
		target := components.Everyone
		if !visible {
			target = except
		}
		override.SetTarget(g.all[masked], target)
		replicates.Get(g.all[hidden]).Target = target
		if alive := w.Alive(g.all[joining]); alive && tick%50 == 0 {
			w.RemoveEntity(g.all[joining])
		} else if !alive && tick%50 == 25 {
			g.all[joining] = spawn(joining)
		}
		for _, e := range g.all {
			if w.Alive(e) {
				*places.Get(e) = rewindPlace{X: 100 * math.Sin(now/17), Y: 100 * math.Cos(now/23)}
			}
		}
	}
}

// What is hidden from a player, in any way, is in its views as long as its screen showed it, and no longer.
//
// Proves: L4
func TestWhatIsHiddenLeavesTheView(t *testing.T) {
	counts := hideAndCompare(t, func(tick int) (at float64, visible bool) { return float64(tick), tick%60 < 30 })
	for kind, c := range counts {
		share := float64(c.same) / float64(c.all())
		t.Logf("%s: %+v, %.2f %% are the same", hiddenNames[kind], c, 100*share)
		assert.Greater(t, c.all(), 2000)
		assert.Zero(t, c.onlyServer, hiddenNames[kind])
		if kind == retained { // what stands still on the screen is in no view
			assert.InDelta(t, 0.5, share, 0.05, hiddenNames[kind])
		} else {
			assert.Greater(t, share, 0.96, hiddenNames[kind])
		}
	}
}

// An entity that rests for longer than ServerConfig.MaxRewind, sets off, and is hidden then, is in the views as long as the
// screen shows it.
//
// Proves: L1, L4
func TestWhatIsHiddenAfterARestLeavesTheView(t *testing.T) {
	counts := hideAndCompare(t, func(tick int) (at float64, visible bool) {
		const rest, period = 130, 200
		round, step := tick/period, tick%period
		return float64(round*(period-rest) + max(step-rest, 0)), step < rest+round%10 || step > rest+30
	})
	for _, kind := range []int{irrelevant, partner, hidden, joining} {
		c := counts[kind]
		t.Logf("%s: %+v", hiddenNames[kind], c)
		assert.Greater(t, c.all(), 2000)
		assert.Zero(t, c.onlyServer+c.wrong, hiddenNames[kind])
		assert.Zero(t, c.onlyDraw, hiddenNames[kind])
	}
}

// hideAndCompare runs games in which entities are hidden in all ways, and compares the views with the screens.
func hideAndCompare(t *testing.T, plan hidingPlan) (counts [hiddenKinds]rewindCounts) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 22))
		g := &rewindGame{t: t, seed: seed, seen: rewoundValues{}, drawn: rewoundValues{}, labels: map[ecs.Entity]uint32{}, players: make([]ecs.Entity, 1)}
		g.sim = netsim.New(t, netsim.Config{Seed: seed})
		g.server = newServer(t, g.sim.ServerConfig(rewindProtocol()))
		g.server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() { return g.hide(w, plan) }))
		g.sim.AddServer(g.server, g.server)
		client := newClient(t, g.sim.ClientConfig(rewindProtocol()))
		player := &rewindClient{game: g, id: 1, client: client}
		client.AddSystem(plugin.AfterSend, plugin.Func(player.draw))
		client.AddSystem(plugin.FixedInput, plugin.Func(player.press))
		peer := g.sim.AddClient(1, client, client)
		peer.SetLink(netsim.Symmetric(conditioner.Config{Latency: time.Duration(30+rng.IntN(60)) * ms, Loss: 0.03 * float64(seed%2)}))
		require.True(t, g.sim.RunUntil(10*time.Second, peer.Connected))
		g.sim.Run(3 * time.Second)
		g.on = true
		g.sim.Run(10 * time.Second)
		g.compareHidden(&counts)
	}
	return counts
}

// compareHidden is compare for the entities of hideAndCompare.
func (g *rewindGame) compareHidden(counts *[hiddenKinds]rewindCounts) {
	for at, seen := range g.seen {
		for label := range uint32(hiddenKinds) {
			c := &counts[label]
			s, both := seen[label]
			d, shown := g.drawn[at][label]
			switch off := max(math.Abs(s.x-d.x), math.Abs(s.y-d.y)); {
			case !both && !shown:
			case !shown:
				c.onlyServer++
			case !both:
				c.onlyDraw++
			case off <= rewindStep:
				c.same++
			default:
				c.near++
			}
		}
	}
}

// Of what a line meets, the first is hit, and an explosion meets only what is near.
//
// Proves: L3
func TestTheFirstInALineIsHit(t *testing.T) {
	sim := netsim.New(t, netsim.Config{Seed: 1})
	server := newServer(t, sim.ServerConfig(rewindProtocol()))
	shots := 0
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		place := generic.NewMap2[rewindPlace, components.Replicate](w)
		var all []ecs.Entity
		for _, x := range []float64{9, 3, 6} {
			all = append(all, place.NewWith(&rewindPlace{X: x}, &components.Replicate{}))
		}
		rewind, bot := plugin.NewRewind[rewindPlace](w), w.NewEntity()
		ball := func(_ ecs.Entity, at *rewindPlace) (plugin.Ball, bool) {
			return plugin.Ball{Center: plugin.Vec{X: at.X, Y: at.Y}, Radius: 1}, true
		}
		box := func(_ ecs.Entity, at *rewindPlace) (plugin.Box, bool) {
			return plugin.Box{Low: plugin.Vec{X: at.X - 1, Y: -1}, High: plugin.Vec{X: at.X + 1, Y: 1}}, true
		}
		return func() {
			view := rewind.View(bot)
			if view.Len() == 0 {
				return
			}
			shots++
			ray := plugin.NewRay(plugin.Vec{}, plugin.Vec{X: 10})
			hit, ok := view.RaycastBalls(ray, ball)
			assert.True(t, ok && hit.Entity == all[1], "%+v", hit)
			hit, ok = view.RaycastBoxes(ray, box)
			assert.True(t, ok && hit.Entity == all[1], "%+v", hit)
			area, met := plugin.Ball{Center: plugin.Vec{X: 7}, Radius: 0.5}, []entangle.Tick(nil)
			each := func(h plugin.RewindHit) {
				assert.Equal(t, all[2], h.Entity)
				met = append(met, h.Rewound.Tick)
			}
			view.OverlapBalls(area, ball, each)
			view.OverlapBoxes(area, box, each)
			assert.Len(t, met, 2)
		}
	}))
	sim.AddServer(server, server)
	sim.Run(200 * ms)
	assert.Greater(t, shots, 5)
}
