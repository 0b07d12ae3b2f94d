package netsim_test

import (
	"fmt"
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
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// rewindStep is the precision of the wire, per axis.
const rewindStep = 0.01

type rewindPlace struct {
	X, Y float64 `net:"range=-1024..1024,step=0.01"`
}

type (
	rewindBall  struct{ X, Y float64 }
	rewindSpeed struct{ X, Y float64 }
	rewindMark  struct{ N uint32 }
)

// rewindKinds are the ways in which entities of a rewindGame behave.
const (
	evenly = iota
	stopAndGo
	teleporting
	rarely  // is sent every third tick
	bouncer // is shown by a curve
	hiding
	reborn
	placeless // loses its place for a while, and gets another one
	grouped
	rewindKinds
)

var rewindNames = [rewindKinds]string{"evenly", "stop and go", "teleporting", "rarely", "bouncer", "hiding", "reborn", "placeless", "grouped"}

func rewindProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "rewind", TickRate: 60})
	protocol.Component[rewindPlace](p).Interpolate(protocol.Linear[rewindPlace]).Rewind()
	protocol.Component[rewindBall](p).Interpolate(protocol.Linear[rewindBall]).Rewind()
	protocol.Component[rewindSpeed](p).Interpolate(protocol.Linear[rewindSpeed])
	protocol.InterpolateWith(p, protocol.Hermite[rewindBall, rewindSpeed])
	protocol.Component[rewindMark](p).Rewind()
	protocol.Component[smoothLabel](p)
	protocol.Component[components.Interpolated](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[steer](p)
	return p
}

// rewoundValue is what a screen showed of an entity, or what the server takes it to have shown.
type rewoundValue struct {
	x, y float64
	mark uint32
}

// rewindTick is the tick of a client's input.
type rewindTick struct {
	client entangle.ClientID
	tick   entangle.Tick
}

type rewoundValues map[rewindTick]map[uint32]rewoundValue

// rewindGame is a server with entities that move in many ways, and clients that press a key in each tick.
type rewindGame struct {
	t       *testing.T
	sim     *netsim.Sim
	server  *plugin.Server
	seed    uint64
	players []ecs.Entity // by client id - 1
	all     []ecs.Entity // by label
	labels  map[ecs.Entity]uint32
	on      bool

	seen    rewoundValues // by the server
	drawn   rewoundValues // by the clients
	clients []*rewindClient
}

func newRewindGame(t *testing.T, seed uint64, sendEvery int, delays, rates []int, links []netsim.Link) *rewindGame {
	g := &rewindGame{t: t, seed: seed, seen: rewoundValues{}, drawn: rewoundValues{}, labels: map[ecs.Entity]uint32{}}
	g.sim = netsim.New(t, netsim.Config{Seed: seed})
	sc := g.sim.ServerConfig(rewindProtocol())
	sc.SendEvery = sendEvery
	g.server = newServer(t, sc)
	for range links {
		g.players = append(g.players, ecs.Entity{})
	}
	g.server.AddSystem(plugin.FixedMain, plugin.Func(g.run))
	g.sim.AddServer(g.server, g.server)
	for i, link := range links {
		cc := g.sim.ClientConfig(rewindProtocol())
		cc.InputDelay.Min = delays[i]
		client := newClient(t, cc)
		player := &rewindClient{game: g, id: entangle.ClientID(i + 1), client: client}
		g.clients = append(g.clients, player)
		client.AddSystem(plugin.AfterSend, plugin.Func(player.draw))
		client.AddSystem(plugin.FixedInput, plugin.Func(player.press))
		peer := g.sim.AddClient(player.id, client, client)
		peer.SetLink(link)
		peer.SetFrameRate(rates[i])
		require.True(t, g.sim.RunUntil(10*time.Second, peer.Connected))
	}
	return g
}

func (g *rewindGame) run(w *ecs.World) func() {
	place := generic.NewMap4[rewindPlace, rewindMark, smoothLabel, components.Replicate](w)
	balls := generic.NewMap4[rewindBall, rewindSpeed, smoothLabel, components.Replicate](w)
	for label := range uint32(rewindKinds) {
		replicate := components.Replicate{Interpolate: components.Everyone}
		if label == rarely {
			replicate.SendEvery = 3
		}
		if label == bouncer {
			replicate.SendEvery = 2
			g.all = append(g.all, balls.NewWith(&rewindBall{}, &rewindSpeed{}, &smoothLabel{label}, &replicate))
			continue
		}
		g.all = append(g.all, place.NewWith(&rewindPlace{}, &rewindMark{}, &smoothLabel{label}, &replicate))
	}
	owned := generic.NewMap3[steer, components.ControlledBy, components.Replicate](w)
	for i := range g.players {
		g.players[i] = owned.NewWith(&steer{}, &components.ControlledBy{Client: entangle.ClientID(i + 1)}, &components.Replicate{})
	}
	move, shoot := g.move(w), g.shoot(w)
	return func() {
		shoot()
		move()
	}
}

// move moves the entities.
func (g *rewindGame) move(w *ecs.World) func() {
	clock := ecs.GetResource[components.Time](w)
	has, places, balls, speeds := generic.NewMap[rewindPlace](w), generic.NewMap1[rewindPlace](w), generic.NewMap1[rewindBall](w), generic.NewMap1[rewindSpeed](w)
	marks, replicates := generic.NewMap1[rewindMark](w), generic.NewMap1[components.Replicate](w)
	again := generic.NewMap4[rewindPlace, rewindMark, smoothLabel, components.Replicate](w)
	targets := ecs.GetResource[components.Targets](w)
	hidden := targets.Except(1)
	set := func(e ecs.Entity, now float64) {
		if w.Alive(e) && has.Has(e) {
			*places.Get(e) = rewindPlace{X: 100 * math.Sin(now/17), Y: 100 * math.Cos(now/23)}
			marks.Get(e).N = uint32(now) / 7
		}
	}
	return func() {
		tick := int(clock.Tick)
		now := float64(tick)
		for _, e := range g.all {
			g.labels[e] = g.label(e)
		}
		for _, label := range []uint32{evenly, rarely, hiding, reborn, placeless, grouped} {
			set(g.all[label], now)
		}
		set(g.all[stopAndGo], float64(tick/60*30+min(tick%60, 30)))
		set(g.all[teleporting], now+float64(tick/45*400))
		if tick%45 == 0 {
			plugin.Teleport(w, g.all[teleporting])
		}
		*balls.Get(g.all[bouncer]) = rewindBall{X: 100 * math.Sin(now/20), Y: 100 * math.Cos(now/20)}
		*speeds.Get(g.all[bouncer]) = rewindSpeed{X: 60 * 5 * math.Cos(now/20), Y: -60 * 5 * math.Sin(now/20)}
		switch replicate := replicates.Get(g.all[hiding]); tick % 50 {
		case 0:
			replicate.Target = hidden
		case 25:
			replicate.Target = components.Everyone
		}
		if alive := w.Alive(g.all[reborn]); alive && tick%70 == 0 {
			w.RemoveEntity(g.all[reborn])
		} else if !alive && tick%70 == 40 {
			g.all[reborn] = again.NewWith(&rewindPlace{}, &rewindMark{}, &smoothLabel{reborn}, &components.Replicate{Interpolate: components.Everyone})
			set(g.all[reborn], now)
		}
		if there := has.Has(g.all[placeless]); there && tick%90 == 0 {
			places.Remove(g.all[placeless])
		} else if !there && tick%90 == 60 {
			places.Assign(g.all[placeless], &rewindPlace{})
			set(g.all[placeless], now)
		}
		if tick%40 == 0 {
			replicates.Get(g.all[grouped]).Group = components.Group(1 + tick/40%3)
		}
	}
}

func (g *rewindGame) label(e ecs.Entity) uint32 {
	for label, other := range g.all {
		if other == e {
			return uint32(label)
		}
	}
	panic("no such entity")
}

// shoot looks up what the players have seen.
func (g *rewindGame) shoot(w *ecs.World) func() {
	clock := ecs.GetResource[components.Time](w)
	inputs := plugin.NewInputs[steer](w)
	places, balls, marks := plugin.NewRewind[rewindPlace](w), plugin.NewRewind[rewindBall](w), plugin.NewRewind[rewindMark](w)
	return func() {
		for i, player := range g.players {
			if !g.on || inputs.Status(player) != plugin.FreshInput {
				continue
			}
			seen := map[uint32]rewoundValue{}
			place, bouncer, mark := places.View(player), balls.View(player), marks.View(player)
			for k := range place.Len() {
				e, at, ok := place.At(k)
				if _, n, marked := mark.At(k); ok && marked {
					seen[g.labels[e]] = rewoundValue{at.X, at.Y, n.N}
				}
				if e, at, ok := bouncer.At(k); ok {
					seen[g.labels[e]] = rewoundValue{at.X, at.Y, 0}
				}
			}
			g.seen[rewindTick{entangle.ClientID(i + 1), clock.Tick}] = seen
		}
	}
}

// rewindClient is one client of a rewindGame.
type rewindClient struct {
	game   *rewindGame
	id     entangle.ClientID
	client *plugin.Client
	last   map[uint32]rewoundValue
	frames [rewindKinds]rewindFrames
}

// rewindFrames counts the frames that showed an entity, and those without a value after the shown time.
type rewindFrames struct{ all, starved int }

func (f *rewindFrames) share() float64 { return float64(f.starved) / float64(f.all) }

// draw stands for the drawing of a frame.
func (c *rewindClient) draw(w *ecs.World) func() {
	places := generic.NewFilter3[rewindPlace, rewindMark, smoothLabel]().With(generic.T[components.Interpolated]())
	balls := generic.NewFilter2[rewindBall, smoothLabel]().With(generic.T[components.Interpolated]())
	count := c.count(w)
	return func() {
		c.last = map[uint32]rewoundValue{}
		for q := places.Query(w); q.Next(); {
			place, mark, label := q.Get()
			c.last[label.N] = rewoundValue{place.X, place.Y, mark.N}
		}
		for q := balls.Query(w); q.Next(); {
			bouncer, label := q.Get()
			c.last[label.N] = rewoundValue{bouncer.X, bouncer.Y, 0}
		}
		if c.game.on {
			count()
		}
	}
}

// count returns a function that counts the frames of entities with a place.
func (c *rewindClient) count(w *ecs.World) func() {
	places := generic.NewFilter3[rewindPlace, smoothLabel, components.Interpolated]()
	confirmed := plugin.NewConfirmed[rewindPlace](w)
	return func() {
		for q := places.Query(w); q.Next(); {
			_, label, marker := q.Get()
			_, newest, _ := confirmed.Get(q.Entity())
			shown, _ := c.client.InterpolationTime(int(marker.SendEvery))
			frames := &c.frames[label.N]
			if frames.all++; !shown.Before(newest) {
				frames.starved++
			}
		}
	}
}

// press records the last drawn frame as the one at which the player presses a key.
func (c *rewindClient) press(w *ecs.World) func() {
	clock := ecs.GetResource[components.Time](w)
	return func() {
		c.game.drawn[rewindTick{c.id, clock.Tick + entangle.Tick(c.client.InputDelay())}] = c.last
	}
}

// rewindCounts counts the values of a kind.
type rewindCounts struct {
	same, near, wrong    int
	onlyServer, onlyDraw int
}

// inexact returns the share of the values that both have and that differ.
func (c *rewindCounts) inexact() float64 {
	return float64(c.near+c.wrong) / float64(c.same+c.near+c.wrong)
}

func (c *rewindCounts) all() int { return c.same + c.near + c.wrong + c.onlyServer + c.onlyDraw }

// compare compares what the server saw with what was drawn, of all clients.
func (g *rewindGame) compare(counts *[rewindKinds]rewindCounts) {
	for i := range g.clients {
		g.compareClient(i, counts)
	}
}

func (g *rewindGame) compareClient(i int, counts *[rewindKinds]rewindCounts) {
	for at, seen := range g.seen {
		if at.client != g.clients[i].id {
			continue
		}
		drawn := g.drawn[at]
		for label := range uint32(rewindKinds) {
			c := &counts[label]
			s, both := seen[label]
			d, shown := drawn[label]
			off := max(math.Abs(s.x-d.x), math.Abs(s.y-d.y))
			switch {
			case !both && !shown:
			case !shown:
				c.onlyServer++
			case !both:
				c.onlyDraw++
			case off <= rewindStep && s.mark == d.mark:
				c.same++
			case off <= 10:
				c.near++
			default:
				c.wrong++
			}
		}
	}
}

// rewindShare is the least share of views that equal the screen. The rest are on lines with loss, where structure is sent
// again, or an update waits for that at the client.
const rewindShare = 0.998

// What the server looks at is what the screen of a client showed when an input was made, to within one step of the
// wire's precision: over networks with loss and jitter, at any frame rates and intervals, with and without an
// input delay, for curves and lines, through rests, teleports and despawns. There is no exception to the rule that nothing
// is in a view that was not on the screen.
//
// Proves: L1, L4
func TestRewoundIsWhatWasOnTheScreen(t *testing.T) {
	rates := []int{30, 60, 60, 60, 144}
	var total [rewindKinds]rewindCounts
	for seed := range uint64(24) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 20))
			var links []netsim.Link
			var delays, fps []int
			for range 3 {
				latency := time.Duration(rng.IntN(100)) * ms
				line := conditioner.Config{Latency: latency, Jitter: min(latency, time.Duration(rng.IntN(15))*ms), Loss: 0.05 * float64(rng.IntN(2))}
				links = append(links, netsim.Symmetric(line))
				delays, fps = append(delays, rng.IntN(5)), append(fps, rates[rng.IntN(len(rates))])
			}
			g := newRewindGame(t, seed, 1+int(seed%3), delays, fps, links)
			g.sim.Run(4 * time.Second)
			g.on = true
			g.sim.Run(10 * time.Second)
			require.Greater(t, len(g.seen), 1500)
			g.compare(&total)
			stats := g.server.Stats().Rewinds
			require.GreaterOrEqual(t, int(stats.Views), len(g.seen))
			require.Zero(t, stats.Clamped, "an honest client's times are possible")
			t.Logf("%v, delays %v, %v frames per second: %+v", links, delays, fps, stats)
		})
	}
	for kind, c := range total {
		share := float64(c.same) / float64(c.all())
		t.Logf("%s: %+v, %.2f %% are the same", rewindNames[kind], c, 100*share)
		assert.Greater(t, c.all(), 10_000)
		assert.Zero(t, c.onlyServer, "%s: nothing is in a view that was not on the screen", rewindNames[kind])
		assert.Greater(t, share, rewindShare, rewindNames[kind])
	}
}
