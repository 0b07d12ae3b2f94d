package netsim_test

import (
	"maps"
	"slices"
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
)

// steer is the input of a player for a tick: Made identifies it, Jump is an event.
type steer struct {
	Move int8
	Jump uint8 `net:"event"`
	Made uint32
}

// aim is another input of the same entities. It refers to a target entity.
type aim struct {
	Angle uint16
	At    ecs.Entity
}

func steeredProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "steered"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[Spot](p)
	protocol.Input[steer](p)
	protocol.Input[aim](p)
	return p
}

// acted is an entity's input in a tick.
type acted struct {
	Input  steer
	Status plugin.InputStatus
}

type acts map[entangle.Tick]acted

// inputGame is a server with players that drive entities.
type inputGame struct {
	t        *testing.T
	sim      *netsim.Sim
	server   *plugin.Server
	acted    map[ecs.Entity]acts
	received map[ecs.Entity][]plugin.InputReceived[steer]

	clients []*inputClient
}

// inputClient is one of the players.
type inputClient struct {
	*netsim.Peer
	game     *inputGame
	acted    map[ecs.Entity]acts
	received map[ecs.Entity][]plugin.InputReceived[steer]
	// do returns the player's input for a tick, for each of the player's entities.
	do    func(tick entangle.Tick, e ecs.Entity, s *steer)
	aims  func(tick entangle.Tick, e ecs.Entity, a *aim)
	none  func(tick entangle.Tick) bool
	tries func(w *ecs.World) // runs in FixedInput
}

func newInputGame(t *testing.T, link netsim.Link, systems ...func(*plugin.Server)) *inputGame {
	g := &inputGame{
		t: t, sim: netsim.New(t, netsim.Config{Link: link}), acted: map[ecs.Entity]acts{},
		received: map[ecs.Entity][]plugin.InputReceived[steer]{},
	}
	server := newServer(t, g.sim.ServerConfig(steeredProtocol()))
	g.server = server
	server.AddSystem(plugin.FixedMain, record(g.acted, g.received))
	for _, add := range systems {
		add(server)
	}
	g.sim.AddServer(server, server)
	return g
}

func ticks[V any, M ~map[entangle.Tick]V](of map[ecs.Entity]M, e ecs.Entity) M {
	if of[e] == nil {
		of[e] = M{}
	}
	return of[e]
}

// record returns a system that records the inputs that act in each tick.
func record(acted map[ecs.Entity]acts, received map[ecs.Entity][]plugin.InputReceived[steer]) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		inputs, all := plugin.NewInputs[steer](w), generic.NewFilter1[steer]()
		events := plugin.NewReader[plugin.InputReceived[steer]](w)
		time := ecs.GetResource[components.Time](w)
		return func() {
			for q := all.Query(w); q.Next(); {
				ticks(acted, q.Entity())[time.Tick] = acted1(*q.Get(), inputs.Status(q.Entity()))
			}
			for _, e := range events.Read() {
				received[e.Entity] = append(received[e.Entity], e)
			}
		}
	})
}

func acted1(s steer, status plugin.InputStatus) acted { return acted{s, status} }

// join adds a player and waits until it has joined.
func (g *inputGame) join(id entangle.ClientID, adjust ...func(*plugin.ClientConfig)) *inputClient {
	config := g.sim.ClientConfig(steeredProtocol())
	for _, a := range adjust {
		a(&config)
	}
	client := newClient(g.t, config)
	c := &inputClient{game: g, acted: map[ecs.Entity]acts{}, received: map[ecs.Entity][]plugin.InputReceived[steer]{}}
	client.AddSystem(plugin.FixedInput, c.hands())
	client.AddSystem(plugin.FixedMain, record(c.acted, c.received))
	c.Peer = g.sim.AddClient(id, client, client)
	require.True(g.t, g.sim.RunUntil(5*time.Second, c.Connected))
	g.clients = append(g.clients, c)
	return c
}

// hands returns the system in which a player writes its inputs.
func (c *inputClient) hands() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		tag := generic.T[components.Controlled]()
		steers, aims := generic.NewFilter1[steer]().With(tag), generic.NewFilter1[aim]().With(tag)
		inputs := plugin.NewInputs[steer](w)
		time := ecs.GetResource[components.Time](w)
		return func() {
			for q := steers.Query(w); q.Next(); {
				q.Get().Made = uint32(time.Tick)
				if c.do != nil {
					c.do(time.Tick, q.Entity(), q.Get())
				}
				if c.none != nil && c.none(time.Tick) {
					inputs.None(q.Entity())
				}
			}
			for q := aims.Query(w); q.Next(); {
				if c.aims != nil {
					c.aims(time.Tick, q.Entity(), q.Get())
				}
			}
			if c.tries != nil {
				c.tries(w)
			}
		}
	})
}

// spawn makes an entity that a client may drive.
func (g *inputGame) spawn(owner entangle.ClientID) ecs.Entity {
	m := generic.NewMap4[steer, Spot, components.ControlledBy, components.Replicate](g.sim.World())
	return m.NewWith(&steer{}, &Spot{}, &components.ControlledBy{Client: owner}, &components.Replicate{})
}

// of returns the inputs that acted on a player's replica of a server's entity.
func (c *inputClient) of(server ecs.Entity) acts {
	local, ok := c.Local(server)
	require.True(c.game.t, ok, "the player has no such entity")
	return c.acted[local]
}

// awaitSync runs until the clocks are synchronised, and clears the records.
func (g *inputGame) awaitSync(d time.Duration) {
	g.sim.Run(d)
	clear(g.acted)
	clear(g.received)
	past := func(tick entangle.Tick) bool { return !g.server.Tick().Before(tick) }
	for _, c := range g.clients { // clients are ahead of the server
		for e := range c.acted {
			maps.DeleteFunc(c.acted[e], func(tick entangle.Tick, _ acted) bool { return past(tick) })
			c.received[e] = slices.DeleteFunc(c.received[e], func(h plugin.InputReceived[steer]) bool { return past(h.Tick) })
		}
	}
}

// An input acts in its tick on the server and in the player's own world, and both sides report it
// with the player's id.
//
// Proves: I1
func TestAnInputActsInItsTickOnBothSides(t *testing.T) {
	for _, link := range []netsim.Link{{}, rough(100*ms, 20*ms, 0), rough(60*ms, 10*ms, 0.05)} {
		g := newInputGame(t, link)
		c := g.join(7)
		c.do = func(tick entangle.Tick, _ ecs.Entity, s *steer) { s.Move, s.Jump = int8(tick%7)-3, uint8(tick%11) }
		e := g.spawn(7)
		g.awaitSync(3 * time.Second)
		g.sim.Run(5 * time.Second)
		fresh := 0
		mine := c.of(e)
		for tick, a := range g.acted[e] {
			if a.Status != plugin.FreshInput {
				continue
			}
			fresh++
			assert.EqualValues(t, tick, a.Input.Made)
			assert.Equal(t, mine[tick], a, "tick %d", tick)
		}
		assert.GreaterOrEqual(t, fresh, len(g.acted[e])-3)
		require.NotEmpty(t, g.received[e])
		for _, h := range g.received[e] {
			assert.EqualValues(t, 7, h.Client)
			assert.Equal(t, acted{h.Input, h.Status}, g.acted[e][h.Tick])
		}
		local, _ := c.Local(e)
		for _, h := range c.received[local] {
			assert.EqualValues(t, 7, h.Client)
			assert.Equal(t, acted{h.Input, h.Status}, mine[h.Tick])
		}
	}
}
