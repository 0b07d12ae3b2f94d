package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
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

// Roster is a resource with fields of all kinds.
type Roster struct {
	Serial uint32
	Title  string
	Points []int16
	Best   ecs.Entity
	Team   []ecs.Entity
}

// Climate is a resource that changes in every tick.
type Climate struct{ Serial uint32 }

func resourceProtocol() *protocol.Protocol {
	p := spotProtocol()
	protocol.Resource[Roster](p)
	protocol.Resource[Climate](p)
	return p
}

// council is a random game with two resources, and entities to which they refer.
type council struct {
	t       *testing.T
	rng     *rand.Rand
	sim     *netsim.Sim
	roster  generic.Resource[Roster]
	climate generic.Resource[Climate]
	targets *components.Targets
	spots   generic.Map2[Spot, components.Replicate]
	all     []ecs.Entity
	serial  uint32
	target  components.Target
	still   bool // only the entities still change: they are spawned, despawned, shown and hidden
	freeze  bool
}

func newCouncil(t *testing.T, seed uint64, link conditioner.Config) *council {
	c := &council{t: t, rng: rand.New(rand.NewPCG(seed, 1)), target: components.Everyone}
	c.sim = netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(link)})
	server := newServer(t, c.sim.ServerConfig(resourceProtocol()))
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		c.roster, c.climate = generic.NewResource[Roster](w), generic.NewResource[Climate](w)
		c.spots = generic.NewMap2[Spot, components.Replicate](w)
		c.targets = ecs.GetResource[components.Targets](w)
		c.climate.Add(&Climate{})
		return func() { c.update(w) }
	}))
	c.sim.AddServer(server, server)
	c.replicate()
	plugin.ReplicateResource[Climate](c.sim.World(), components.Everyone)
	return c
}

func (c *council) replicate() {
	plugin.ReplicateResource[Roster](c.sim.World(), c.target)
}

// update runs one tick of the game.
func (c *council) update(w *ecs.World) {
	if c.freeze {
		return
	}
	c.climate.Get().Serial++
	c.step(w)
	c.all = alive(w, c.all)
}

func (c *council) step(w *ecs.World) {
	what := c.rng.IntN(20)
	if c.still {
		what = []int{4, 6, 7, 7, 7, 7, 7, 7, 7, 7}[what%10]
	}
	switch what {
	case 0:
		if c.roster.Has() {
			c.roster.Remove()
		}
	case 1:
		plugin.StopResource[Roster](w)
	case 2, 3:
		c.target = c.anyTarget()
		c.replicate()
	case 4, 5:
		c.all = append(c.all, c.spots.NewWith(&Spot{int8(len(c.all)), 0}, &components.Replicate{Target: c.anyTarget()}))
	case 6:
		if len(c.all) > 10 {
			w.RemoveEntity(c.pick())
		}
	case 7:
		if e := c.pick(); w.Alive(e) && !e.IsZero() {
			_, tag := c.spots.Get(e)
			tag.Target = c.anyTarget()
		}
	default:
		c.writeResources()
	}
}

func alive(w *ecs.World, all []ecs.Entity) (left []ecs.Entity) {
	for _, e := range all {
		if w.Alive(e) {
			left = append(left, e)
		}
	}
	return left
}

func (c *council) anyTarget() components.Target {
	return []components.Target{components.Everyone, c.targets.Only(1), c.targets.Except(1), c.targets.Only(2, 3)}[c.rng.IntN(4)]
}

func (c *council) pick() ecs.Entity {
	if len(c.all) == 0 {
		return ecs.Entity{}
	}
	return c.all[c.rng.IntN(len(c.all))]
}

func (c *council) writeResources() {
	if !c.roster.Has() {
		c.roster.Add(&Roster{})
	}
	r := c.roster.Get()
	c.serial++
	r.Serial, r.Best = c.serial, c.pick()
	r.Title = strings.Repeat("x", c.rng.IntN(1000))
	r.Points, r.Team = make([]int16, c.rng.IntN(20)), make([]ecs.Entity, c.rng.IntN(10))
	for i := range r.Team {
		r.Team[i] = c.pick()
	}
}

// enter adds a client, and checks in every frame that it never gets an older value than before.
func (c *council) enter(id entangle.ClientID) *netsim.Peer {
	client := newClient(c.t, c.sim.ClientConfig(resourceProtocol()))
	client.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		roster, climate := generic.NewResource[Roster](w), generic.NewResource[Climate](w)
		var newest, warmest uint32
		return func() {
			if roster.Has() {
				require.GreaterOrEqual(c.t, roster.Get().Serial, newest)
				newest = roster.Get().Serial
			}
			if climate.Has() {
				require.GreaterOrEqual(c.t, climate.Get().Serial, warmest)
				warmest = climate.Get().Serial
			}
		}
	}))
	return c.sim.AddClient(id, client, client)
}

// requireEqual requires that a client has the same resources as the server has for that client.
func (c *council) requireEqual(p *netsim.Peer) {
	c.t.Helper()
	climate, roster := generic.NewResource[Climate](p.World()), generic.NewResource[Roster](p.World())
	require.Equal(c.t, c.climate.Get(), climate.Get())
	wanted := c.roster.Has() && c.targets.Contains(c.target, p.ID())
	require.Equal(c.t, wanted, roster.Has(), "client %d", p.ID())
	if !wanted {
		return
	}
	want, got := *c.roster.Get(), *roster.Get()
	require.Len(c.t, got.Team, len(want.Team))
	for i := range want.Team {
		c.requireSame(p, want.Team[i], got.Team[i])
	}
	c.requireSame(p, want.Best, got.Best)
	want.Best, want.Team, got.Best, got.Team = ecs.Entity{}, nil, ecs.Entity{}, nil
	if len(want.Points) == 0 {
		want.Points = nil
	}
	require.Equal(c.t, want, got)
}

// requireSame requires that a reference leads to the same entity on both sides, or to none if the
// client cannot see the entity.
func (c *council) requireSame(p *netsim.Peer, server, client ecs.Entity) {
	c.t.Helper()
	if local, ok := p.Local(server); ok && !server.IsZero() {
		require.Equal(c.t, local, client)
		return
	}
	require.True(c.t, client.IsZero() || !p.World().Alive(client))
}

// Resources change, are added and removed, stop and start being replicated, change their targets,
// and refer to entities that change in the same ways, while a third of all packets is lost. A
// client's values never become older, and in the end every client, including one that joined late,
// has the values that are for it.
//
// Proves: R29
func TestRandomResourcesOverABadLine(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			t.Logf("repeat with: go test ./netsim -count=1 -run '^TestRandomResourcesOverABadLine$/^seed=%d$'", seed)
			c := newCouncil(t, seed, conditioner.Config{Latency: 50 * ms, Jitter: 30 * ms, Loss: 0.3, Duplicate: 0.05})
			c.enter(1)
			second := c.enter(2)
			c.sim.Run(5 * time.Second)
			c.enter(3)
			second.Disconnect()
			c.sim.Run(time.Second)
			second.Connect()
			c.sim.Run(5 * time.Second)
			c.writeResources()
			c.still, c.target = true, components.Everyone
			c.replicate()
			c.sim.Run(time.Second)
			c.freeze = true
			c.sim.Run(5 * time.Second)
			for _, p := range c.sim.Peers() {
				require.True(t, p.Connected())
				c.requireEqual(p)
			}
		})
	}
}

// A client that receives nothing for a while costs the server one value of each resource, and gets
// the newest value when it receives again.
//
// Proves: R29
func TestAResourceDoesNotPileUp(t *testing.T) {
	c := newCouncil(t, 1, conditioner.Config{Latency: 20 * ms})
	p := c.enter(1)
	c.sim.Run(time.Second)
	require.True(t, p.Connected())
	p.Cut()
	c.sim.Run(500 * ms)
	before := c.sim.Server().Stats().Resources
	c.sim.Run(3 * time.Second)
	after := c.sim.Server().Stats().Resources
	assert.Equal(t, before.Sent, after.Sent)
	assert.Greater(t, after.Changed, before.Changed+100)
	p.Restore()
	c.freeze = true
	c.replicate()
	c.sim.Run(3 * time.Second)
	require.True(t, p.Connected())
	c.requireEqual(p)
}
