package netsim_test

import (
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// The components of a game in which ships shoot, with an input delay.
type (
	frigate struct{ X int32 }
	// volley is the input of a ship's player.
	volley struct {
		Move int8
		Fire int8 `net:"event"`
	}
	// shell is the blueprint of a shot.
	shell struct {
		components.At
		Ship ecs.Entity
		Gun  int8
	}
	ball    struct{ X, Speed int32 }
	fuse    struct{ Burnt int32 } // it is not registered
	gunfire struct {
		ball
		fuse
	}
)

// shotKey says which shot it is.
type shotKey struct {
	owner entangle.ClientID
	tick  entangle.Tick
}

// shotState is what a tick's simulation has left of a shot.
type shotState struct {
	ball  ball
	burnt int32
}

// volleys is a game of ships that shoot.
type volleys struct {
	sim    *netsim.Sim
	server *plugin.Server
	peers  []*netsim.Peer
	ships  []ecs.Entity
	press  map[entangle.ClientID]func(tick entangle.Tick, in *volley)
	logs   []map[entangle.Tick]map[shotKey]shotState // of the server, then of the clients
	seen   []map[shotKey]*sighting                   // by client: how the shots arrived

	rest       bool // shots do not move any more
	delay      int
	predict    components.Target
	accept     func(shooter ecs.Entity, s shell) bool
	every      int
	shipTarget func(w *ecs.World, of entangle.ClientID) components.Target
}

// sighting is how a shot appeared on a client.
type sighting struct {
	entity    ecs.Entity
	waiting   bool          // it was not assembled
	at        entangle.Tick // the client's last tick, when it appeared
	rollbacks plugin.RollbackStats
	others    int // how many entities were it, besides
}

func (g *volleys) protocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "volleys"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[components.Prespawned](p)
	protocol.Component[components.Interpolated](p)
	protocol.Component[frigate](p).Predict(protocol.Full)
	protocol.Component[ball](p).Predict(protocol.Full)
	protocol.Input[volley](p).Rebroadcast()
	protocol.Blueprint(p, func(w *ecs.World, _ ecs.Entity, b shell) gunfire {
		x := int32(0)
		if w.Alive(b.Ship) {
			x = valueOn[frigate](w, b.Ship).X
		}
		return gunfire{ball{x, int32(b.Gun)}, fuse{x + int32(b.Gun)}}
	})
	rule := protocol.Intent(p, func(ship ecs.Entity, in volley) (shell, bool) { return shell{Ship: ship, Gun: in.Fire}, in.Fire > 0 }, components.Replicate{Predict: g.predict, Interpolate: components.Everyone})
	if g.accept != nil {
		rule.Accept(func(_ *ecs.World, shooter ecs.Entity, b shell) bool { return g.accept(shooter, b) })
	}
	return p
}

func newVolleys(t *testing.T, links []netsim.Link, adjust ...func(*volleys)) *volleys {
	g := &volleys{press: map[entangle.ClientID]func(entangle.Tick, *volley){}, delay: 12, predict: components.Everyone, every: 1}
	for _, a := range adjust {
		a(g)
	}
	g.sim = netsim.New(t, netsim.Config{})
	g.sim.Watch()
	config := g.sim.ServerConfig(g.protocol())
	config.SendEvery = g.every
	g.server = newServer(t, config)
	g.addSystems(g.server, false)
	g.sim.AddServer(g.server, g.server)
	ships := generic.NewMap4[frigate, volley, components.ControlledBy, components.Replicate](g.sim.World())
	for i, link := range links {
		id := entangle.ClientID(i + 1)
		config := g.sim.ClientConfig(g.protocol())
		if id == 1 {
			config.InputDelay.Min = g.delay
		}
		client := newClient(t, config)
		g.addSystems(client, true)
		client.AddSystem(plugin.FixedInput, g.player(id))
		g.peers = append(g.peers, g.sim.AddClient(id, client, client))
		g.peers[i].SetLink(link)
		replicate := components.Replicate{Predict: g.predict, Interpolate: components.Everyone}
		if g.shipTarget != nil {
			replicate.Target = g.shipTarget(g.sim.World(), id)
		}
		g.ships = append(g.ships, ships.NewWith(&frigate{X: int32(i) * 1000}, &volley{}, &components.ControlledBy{Client: id}, &replicate))
	}
	require.True(t, g.sim.RunUntil(5*time.Second, func() bool {
		for _, p := range g.peers {
			if !p.Client().Joined() {
				return false
			}
		}
		return true
	}))
	g.sim.Run(4 * time.Second)
	return g
}

func (g *volleys) player(id entangle.ClientID) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		mine, now := generic.NewFilter1[volley]().With(generic.T[components.Controlled]()), ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				*q.Get() = volley{}
				if press := g.press[id]; press != nil {
					press(now.Tick, q.Get())
				}
			}
		}
	})
}

// addSystems adds the simulation, and the notes of what a client has.
func (g *volleys) addSystems(a app, client bool) {
	log, seen := map[entangle.Tick]map[shotKey]shotState{}, map[shotKey]*sighting{}
	g.logs, g.seen = append(g.logs, log), append(g.seen, seen)
	a.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		local := generic.T[components.Remote]()
		ships, all := generic.NewFilter2[frigate, volley]().Without(local), generic.NewFilter4[shell, ball, fuse, components.ControlledBy]().Without(local)
		now := ecs.GetResource[components.Time](w)
		return func() {
			for q := ships.Query(w); q.Next(); {
				ship, in := q.Get()
				ship.X += int32(in.Move)
			}
			is := map[shotKey]shotState{}
			for q := all.Query(w); q.Next(); {
				plan, s, f, by := q.Get()
				if !g.rest {
					s.X += s.Speed
					f.Burnt = f.Burnt*3 + s.X
				}
				is[shotKey{by.Client, plan.Tick}] = shotState{*s, f.Burnt}
			}
			log[now.Tick] = is
		}
	}))
	if !client {
		return
	}
	id := len(g.logs) - 2
	a.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
		all, now := generic.NewFilter2[shell, components.ControlledBy](), ecs.GetResource[components.Time](w)
		return func() {
			count := map[shotKey]int{}
			for q := all.Query(w); q.Next(); {
				plan, by := q.Get()
				key := shotKey{by.Client, plan.Tick}
				s := seen[key]
				if s == nil {
					s = &sighting{entity: q.Entity(), waiting: !q.Has(ecs.ComponentID[ball](w)), at: now.Tick, rollbacks: g.peers[id].Client().Stats().Rollbacks}
					seen[key] = s
				}
				if count[key]++; count[key] > 1 || s.entity != q.Entity() {
					s.others++
				}
			}
		}
	}))
}

// shotOf returns the entity of a shot in a world.
func shotOf(w *ecs.World, key shotKey) (e ecs.Entity) {
	for q := generic.NewFilter2[shell, components.ControlledBy]().Query(w); q.Next(); {
		if plan, by := q.Get(); (shotKey{by.Client, plan.Tick}) == key {
			e = q.Entity()
		}
	}
	return e
}

// fireAt makes a player fire once, and returns the shot.
func (g *volleys) fireAt(id entangle.ClientID, after entangle.Tick, gun int8) shotKey {
	at := g.peers[id-1].Client().Tick() + after
	g.press[id] = func(tick entangle.Tick, in *volley) {
		in.Move = int8(tick % 3)
		if tick == at {
			in.Fire = gun
		}
	}
	return shotKey{id, at + entangle.Tick(g.peers[id-1].Client().InputDelay())}
}

// requireEqualAtRest checks that the clients have what the server has, once the shots do not move any more.
func (g *volleys) requireEqualAtRest() {
	g.rest = true
	g.sim.Run(3 * time.Second)
	g.sim.ExpectEqual()
}

// requireEqualFrom checks that a client computed the same of a shot as the server from its tick on, and
// nothing before.
func (g *volleys) requireEqualFrom(t *testing.T, client int, key shotKey) {
	t.Helper()
	to := g.server.Tick() - 5
	require.True(t, (key.tick + 5).Before(to))
	for tick := key.tick - 5; tick != to; tick++ {
		want, there := g.logs[0][tick][key]
		is, here := g.logs[client][tick][key]
		require.Equal(t, !tick.Before(key.tick), there, "at the server: shot %v in tick %d", key, tick)
		require.Equal(t, there, here, "at client %d: shot %v in tick %d", client, key, tick)
		require.Equal(t, want, is, "at client %d: shot %v in tick %d", client, key, tick)
	}
}
