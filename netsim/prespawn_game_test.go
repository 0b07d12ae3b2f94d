package netsim_test

import (
	"log/slog"
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
)

// The components of a game in which ships shoot.
type (
	hull struct {
		X     int32
		Last  ecs.Entity // the bullet that it shot last
		Shots uint32
	}
	gun struct { // the input of its player
		Move, Fire int8
		At         ecs.Entity
	}
	pointing struct{ At ecs.Entity } // a message
	tail     struct{ Of ecs.Entity } // of the child of a bullet: the bullet
	hue      struct{ Colour int32 }  // the server's alone
	spark    struct{}                // it is not registered
	bullet   struct {
		X, Speed int32
		Left     uint8 // ticks until it ends
	}
	// shooter says which bullet it is, by its spawn.
	shooter struct {
		Ship   ecs.Entity
		Tick   uint32
		Number int8
	}
)

func shotsProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "shots"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[components.Prespawned](p)
	protocol.Component[components.ChildOf](p).Predict(protocol.Full)
	protocol.Component[hull](p).Predict(protocol.Full)
	protocol.Component[bullet](p).Predict(protocol.Full)
	protocol.Component[shooter](p).Predict(protocol.Once)
	protocol.Component[tail](p).Predict(protocol.Full)
	protocol.Component[hue](p)
	protocol.Input[gun](p).Rebroadcast()
	protocol.Message[pointing](p)
	return p
}

// forever is bullet.Left of a bullet that does not end.
const forever = 255

// shots is a game of ships that shoot, with the same systems on both sides.
type shots struct {
	sim    *netsim.Sim
	server *plugin.Server
	peers  []*netsim.Peer
	ships  []ecs.Entity
	press  map[entangle.ClientID]func(tick entangle.Tick, g *gun)

	life      uint8 // of a bullet, in ticks
	parts     bool  // each bullet has a child
	unwatched bool
	last      bool                                       // a ship refers to its last bullet
	target    components.Target                          // that predicts ships and bullets
	edit      func(s firing, p *components.Prespawned)   // changes the component of a new bullet
	skip      func(server bool, tick entangle.Tick) bool // whether a side fires nothing
	end       func(server bool) bool                     // whether a side ends all bullets
	ended     int                                        // bullets that end has ended
	flip      func(age int) bool                         // whether a bullet has its shooter
	look      func(w *ecs.World)                         // at a client, at the end of FixedMain
	main      func(server bool, w *ecs.World)            // on both sides, at the end of FixedMain
	every     int                                        // sent ticks
	shuffle   bool                                       // bullets have salts, and are spawned in random orders
	random    *rand.Rand
	log       strings.Builder
}

// firing is a bullet that a tick spawns.
type firing struct {
	ship   ecs.Entity
	at     hull
	owner  entangle.ClientID
	salt   uint32
	number int8
}

func newShots(t *testing.T, link netsim.Link, players int, adjust ...func(*shots)) *shots {
	g := &shots{press: map[entangle.ClientID]func(entangle.Tick, *gun){}, life: 40, target: components.Everyone}
	for _, a := range adjust {
		a(g)
	}
	g.sim, g.random = netsim.New(t, netsim.Config{Link: link}), rand.New(rand.NewPCG(1, 2))
	if !g.unwatched {
		g.sim.Watch()
	}
	config := g.sim.ServerConfig(shotsProtocol())
	config.SendEvery, config.Log = max(g.every, 1), slog.New(slog.NewTextHandler(&g.log, nil))
	g.server = newServer(t, config)
	g.addSystems(g.server, true)
	g.sim.AddServer(g.server, g.server)
	ships := generic.NewMap4[gun, hull, components.ControlledBy, components.Replicate](g.sim.World())
	for i := range players {
		id := entangle.ClientID(i + 1)
		config := g.sim.ClientConfig(shotsProtocol())
		config.Log = slog.New(slog.NewTextHandler(&g.log, nil))
		client := newClient(t, config)
		g.addSystems(client, false)
		client.AddSystem(plugin.FixedInput, g.player(id))
		g.peers = append(g.peers, g.sim.AddClient(id, client, client))
		g.ships = append(g.ships, ships.NewWith(&gun{}, &hull{X: int32(i) * 1000}, &components.ControlledBy{Client: id}, &components.Replicate{Predict: g.target}))
	}
	require.True(t, g.sim.RunUntil(5*time.Second, func() bool {
		for _, p := range g.peers {
			if !p.Client().Joined() {
				return false
			}
		}
		return true
	}))
	g.sim.Run(3 * time.Second)
	return g
}

// app is a client or a server.
type app interface {
	AddSystem(set plugin.Set, s plugin.System)
}

func (g *shots) addSystems(a app, server bool) {
	a.AddSystem(plugin.FixedMain, g.fire(server))
	a.AddSystem(plugin.FixedMain, g.fly(server))
	a.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		return func() {
			if g.main != nil {
				g.main(server, w)
			}
		}
	}))
}

func (g *shots) player(id entangle.ClientID) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		mine, now := generic.NewFilter1[gun]().With(generic.T[components.Controlled]()), ecs.GetResource[components.Time](w)
		return func() {
			for q := mine.Query(w); q.Next(); {
				*q.Get() = gun{}
				if press := g.press[id]; press != nil {
					press(now.Tick, q.Get())
				}
			}
		}
	})
}

// fire spawns bullets. Each has a child.
func (g *shots) fire(server bool) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		ships := generic.NewFilter3[hull, gun, components.ControlledBy]().Without(generic.T[components.Remote]())
		hulls := generic.NewMap1[hull](w)
		bullets := generic.NewMap5[bullet, shooter, components.ControlledBy, components.Prespawned, components.Replicate](w)
		parts := generic.NewMap4[bullet, tail, components.Prespawned, components.ChildOf](w, generic.T[components.ChildOf]())
		now := ecs.GetResource[components.Time](w)
		var fired []firing
		return func() {
			fired = fired[:0]
			for q := ships.Query(w); q.Next(); {
				h, in, by := q.Get()
				h.X += int32(in.Move)
				if g.skip != nil && g.skip(server, now.Tick) {
					continue
				}
				for n := range in.Fire {
					h.Shots++
					fired = append(fired, firing{q.Entity(), *h, by.Client, h.Shots, n})
				}
			}
			if g.shuffle {
				g.random.Shuffle(len(fired), func(i, j int) { fired[i], fired[j] = fired[j], fired[i] })
			}
			for _, s := range fired {
				pre := components.Prespawned{}
				if g.shuffle {
					pre.Salt = uint32(s.number) + 1
				}
				if g.edit != nil {
					g.edit(s, &pre)
				}
				e := bullets.NewWith(&bullet{X: s.at.X, Speed: 7 + int32(s.number), Left: g.life}, &shooter{Ship: s.ship, Tick: uint32(now.Tick), Number: s.number}, &components.ControlledBy{Client: s.owner}, &pre, &components.Replicate{Predict: g.target})
				if g.parts {
					parts.NewWith(&bullet{X: -1, Left: forever}, &tail{e}, &components.Prespawned{Salt: 1}, &components.ChildOf{}, e)
				}
				if g.last {
					hulls.Get(s.ship).Last = e
				}
			}
		}
	})
}

// fly moves bullets and ends them.
func (g *shots) fly(server bool) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		all := generic.NewFilter1[bullet]().Without(generic.T[components.Remote]())
		of, now := generic.NewMap1[shooter](w), ecs.GetResource[components.Time](w)
		var flown, ended []ecs.Entity
		return func() {
			flown, ended = flown[:0], ended[:0]
			for q := all.Query(w); q.Next(); {
				b := q.Get()
				b.X += b.Speed
				if b.Left != forever {
					b.Left--
				}
				flown = append(flown, q.Entity())
				if b.Left == 0 || b.Speed != 0 && g.end != nil && g.end(server) {
					ended = append(ended, q.Entity())
				}
			}
			for _, e := range ended {
				plugin.Despawn(w, e)
			}
			if g.end != nil {
				g.ended += len(ended)
			}
			if server {
				return
			}
			for _, e := range flown {
				if g.flip != nil && w.Alive(e) && w.Has(e, ecs.ComponentID[bullet](w)) {
					has := w.Has(e, ecs.ComponentID[shooter](w))
					switch should := g.flip(int(now.Tick)); {
					case has && !should:
						of.Remove(e)
					case !has && should:
						of.Add(e)
					}
				}
			}
			if g.look != nil {
				g.look(w)
			}
		}
	})
}

// bulletID is the identity of a bullet, the same on all sides.
type bulletID struct {
	owner  entangle.ClientID
	tick   uint32
	number int8
}

// bullets returns the bullets of a world.
func (g *shots) bullets(t *testing.T, w *ecs.World) map[bulletID]ecs.Entity {
	all := map[bulletID]ecs.Entity{}
	for q := generic.NewFilter3[bullet, shooter, components.ControlledBy]().Query(w); q.Next(); {
		_, s, by := q.Get()
		id := bulletID{by.Client, s.Tick, s.Number}
		assert.NotContains(t, all, id, "two bullets are one")
		all[id] = q.Entity()
	}
	return all
}

// trajectory is where a bullet was at tick 0, and its speed.
type trajectory struct{ at, speed int32 }

// paths returns the paths of the bullets of a world.
func (g *shots) paths(t *testing.T, w *ecs.World) map[bulletID]trajectory {
	now, values, all := ecs.GetResource[components.Time](w), generic.NewMap1[bullet](w), map[bulletID]trajectory{}
	for id, e := range g.bullets(t, w) {
		b := values.Get(e)
		all[id] = trajectory{b.X - b.Speed*int32(now.Tick), b.Speed}
	}
	return all
}

// runChecked runs some frames, after each of which no bullet of a client is there twice.
func (g *shots) runChecked(t *testing.T, frames int) {
	for range frames {
		g.sim.Run(time.Second / 60)
		for _, p := range g.peers {
			g.bullets(t, p.World())
		}
	}
}

// count returns the number of bullets in a world, without their children.
func (g *shots) count(w *ecs.World) (n int) {
	for q := generic.NewFilter1[bullet]().With(generic.T[shooter]()).Query(w); q.Next(); {
		n++
	}
	return n
}

// all returns the number of bullets and their children in a world.
func (g *shots) all(w *ecs.World) (n int) {
	for q := generic.NewFilter1[bullet]().Query(w); q.Next(); {
		n++
	}
	return n
}

// rollbacks returns a client's rollbacks for a reason.
func rollbacks(p *netsim.Peer, reason plugin.RollbackReason) uint64 {
	return p.Client().Stats().Rollbacks.Rollbacks[reason]
}
