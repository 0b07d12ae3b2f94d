package netsim_test

import (
	"math"
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

// rewindCrowd is a server with so many entities that a tick takes several packets, and a client that presses a key in
// each tick. Two thirds of the entities move on, and a third stops and goes. The updates of 1,000 take about six packets.
type rewindCrowd struct {
	size   int
	group  int // number of entities in each group
	sim    *netsim.Sim
	server *plugin.Server
	client *plugin.Client
	on     bool

	seen, drawn map[entangle.Tick][]rewindPlace // by label; what is missing is at nowhere
	last        []rewindPlace
}

var nowhere = rewindPlace{X: -1000, Y: -1000}

func newRewindCrowd(t *testing.T, size, group int, line conditioner.Config, fps int) *rewindCrowd {
	g := &rewindCrowd{size: size, group: group, sim: netsim.New(t, netsim.Config{Seed: 1}), seen: map[entangle.Tick][]rewindPlace{}, drawn: map[entangle.Tick][]rewindPlace{}}
	g.server = newServer(t, g.sim.ServerConfig(rewindProtocol()))
	g.server.AddSystem(plugin.FixedMain, plugin.Func(g.run))
	g.sim.AddServer(g.server, g.server)
	g.client = newClient(t, g.sim.ClientConfig(rewindProtocol()))
	g.client.AddSystem(plugin.AfterSend, plugin.Func(g.draw))
	g.client.AddSystem(plugin.FixedInput, plugin.Func(func(w *ecs.World) func() {
		clock := ecs.GetResource[components.Time](w)
		return func() { g.drawn[clock.Tick] = g.last }
	}))
	peer := g.sim.AddClient(1, g.client, g.client)
	peer.SetLink(netsim.Symmetric(line))
	peer.SetFrameRate(fps)
	g.sim.Run(4 * time.Second)
	g.on = true
	return g
}

// places returns places for all entities, in which none has one.
func (g *rewindCrowd) places() []rewindPlace {
	all := make([]rewindPlace, g.size)
	for i := range all {
		all[i] = nowhere
	}
	return all
}

// groupOf returns the group of an entity: none if each has its own.
func (g *rewindCrowd) groupOf(label uint32) components.Group {
	if g.group == 1 {
		return 0
	}
	return 1 + components.Group(label)/components.Group(g.group)
}

// run moves the entities, and looks up what the player has seen.
func (g *rewindCrowd) run(w *ecs.World) func() {
	spawn := generic.NewMap3[rewindPlace, smoothLabel, components.Replicate](w)
	place, label := generic.NewMap1[rewindPlace](w), generic.NewMap1[smoothLabel](w)
	var all []ecs.Entity
	for n := range uint32(g.size) {
		all = append(all, spawn.NewWith(&rewindPlace{}, &smoothLabel{n}, &components.Replicate{Interpolate: components.Everyone, Group: g.groupOf(n)}))
	}
	owned := generic.NewMap3[steer, components.ControlledBy, components.Replicate](w)
	player := owned.NewWith(&steer{}, &components.ControlledBy{Client: 1}, &components.Replicate{})
	clock, inputs, rewind := ecs.GetResource[components.Time](w), plugin.NewInputs[steer](w), plugin.NewRewind[rewindPlace](w)
	return func() {
		if g.on && inputs.Status(player) == plugin.FreshInput {
			seen, view := g.places(), rewind.View(player)
			for k := range view.Len() {
				if e, at, ok := view.At(k); ok {
					seen[label.Get(e).N] = at
				}
			}
			g.seen[clock.Tick] = seen
		}
		for i, e := range all {
			tick := int(clock.Tick) + 13*i
			if i%3 > 0 {
				*place.Get(e) = rewindPlace{X: 100 * math.Sin(float64(tick)/17), Y: 100 * math.Cos(float64(tick)/23)}
			} else {
				*place.Get(e) = rewindPlace{X: float64((tick/60*30 + min(tick%60, 30)) % 900)}
			}
		}
	}
}

// draw stands for the drawing of a frame.
func (g *rewindCrowd) draw(w *ecs.World) func() {
	filter := generic.NewFilter2[rewindPlace, smoothLabel]().With(generic.T[components.Interpolated]())
	return func() {
		g.last = g.places()
		for q := filter.Query(w); q.Next(); {
			place, label := q.Get()
			g.last[label.N] = *place
		}
	}
}

// Where the updates of a tick take several packets, the server knows for each entity with which of them its update arrived,
// in which frame, and whether a newer one had overtaken it: on lines with much jitter and with loss, at low and high frame
// rates, and after the server stood still.
//
// Proves: L1
func TestRewoundWhereATickTakesManyPackets(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   int
		jitter time.Duration
		loss   float64
		fps    int
		stalls int
		group  int
	}{
		{"60 frames per second, 10 % loss", 1000, 15 * ms, 0.1, 60, 0, 1},
		{"240 frames per second", 1000, 15 * ms, 0, 240, 0, 1},
		{"30 frames per second", 1000, 15 * ms, 0, 30, 0, 1},
		{"30 frames per second, 10 % loss", 1000, 0, 0.1, 30, 0, 1},
		{"20 packets per tick", 4000, 15 * ms, 0, 30, 0, 1},
		{"20 packets per tick, 240 frames per second", 4000, 15 * ms, 0, 240, 0, 1},
		{"groups of which members rest", 400, 0, 0, 60, 0, 4},
		{"groups of which members rest, 240 frames per second", 400, 15 * ms, 0, 240, 0, 4},
		{"groups of which members rest, 10 % loss", 400, 15 * ms, 0.1, 60, 0, 4},
		{"a server that stands still", 1000, 10 * ms, 0, 60, 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newRewindCrowd(t, c.size, c.group, conditioner.Config{Latency: 80 * ms, Jitter: c.jitter, Loss: c.loss}, c.fps)
			for range c.stalls {
				g.sim.Run(2 * time.Second)
				g.sim.FreezeServer(200 * ms)
			}
			g.sim.Run(4 * time.Second)
			require.Greater(t, len(g.seen), 200)
			var same, differ, onlyServer, onlyDrawn int
			for tick, seen := range g.seen {
				for i, s := range seen {
					d := g.drawn[tick][i]
					switch {
					case s == nowhere && d != nowhere:
						onlyDrawn++
					case s != nowhere && d == nowhere:
						onlyServer++
					case max(math.Abs(s.X-d.X), math.Abs(s.Y-d.Y)) > rewindStep:
						differ++
					default:
						same++
					}
				}
			}
			t.Logf("%d are the same, %d differ, only the server has %d, only the client %d; %+v", same, differ, onlyServer, onlyDrawn, g.server.Stats().Rewinds)
			assert.Zero(t, onlyServer+onlyDrawn)
			assert.Zero(t, differ)
			if c.group == 1 {
				assert.Positive(t, g.server.Stats().Rewinds.Waited)
			}
		})
	}
}
