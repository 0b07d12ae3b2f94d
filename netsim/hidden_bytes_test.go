package netsim_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// backstage is a game with entities that all clients see, some of them in one group, and an entity
// that client 2 cannot see.
type backstage struct {
	world   *ecs.World
	m       generic.Map3[Spot, Health, components.Replicate]
	targets *components.Targets
	open    []ecs.Entity
	tick    int
}

// group holds some of the entities that all clients see.
const group = 5

func (b *backstage) spawn(target components.Target, group components.Group) ecs.Entity {
	return b.m.NewWith(&Spot{}, &Health{}, &components.Replicate{Target: target, Group: group})
}

// runBackstage returns all datagrams from and to client 2 of a game that does something hidden from
// it in each tick.
func runBackstage(t *testing.T, behind func(*backstage)) (all []string) {
	return runBackstageOf(t, spotProtocol, behind)
}

// runBackstageOf is runBackstage with a protocol that registers more.
func runBackstageOf(t *testing.T, of func() *protocol.Protocol, behind func(*backstage)) (all []string) {
	sim := netsim.New(t, netsim.Config{Seed: 5, Link: netsim.Link{}})
	server := newServer(t, sim.ServerConfig(of()))
	server.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
		b := &backstage{world: w, m: generic.NewMap3[Spot, Health, components.Replicate](w), targets: ecs.GetResource[components.Targets](w)}
		return func() {
			if b.tick++; b.tick == 1 {
				for i := range 6 {
					b.open = append(b.open, b.spawn(components.Everyone, components.Group(i/3*group)))
				}
			}
			if spot, _, _ := b.m.Get(b.open[b.tick%len(b.open)]); b.tick < 150 {
				spot.X++
			}
			behind(b)
		}
	}))
	server.AddSystem(plugin.BeforeSend, plugin.NewGrid(plugin.GridConfig{Radius: 10}, func(s *Spot) (x, y float32) {
		return float32(s.X), float32(s.Y)
	}))
	sim.AddServer(server, server)
	joinWith(t, sim, 1, of())
	watched := joinWith(t, sim, 2, of())
	all = datagramsOf(t, sim, 2)
	require.True(t, watched.Connected())
	require.NoError(t, sim.Equal())
	return all
}

// hides changes an entity that client 2 cannot see, from its spawn to its despawn.
func hides(target func(*components.Targets) components.Target, in components.Group, each func(*backstage, ecs.Entity)) func(*backstage) {
	var e ecs.Entity
	return func(b *backstage) {
		switch {
		case b.tick == 60:
			e = b.spawn(target(b.targets), in)
		case b.tick == 120:
			b.world.RemoveEntity(e)
		case b.tick > 60 && b.tick < 120:
			each(b, e)
		}
	}
}

// The bytes sent to a client are the same, bit by bit, whether a hidden entity exists or not,
// stands still, changes, moves from group to group, or despawns.
//
// Proves: R34
func TestHiddenEntitiesChangeNoByte(t *testing.T) {
	nobody := func(*components.Targets) components.Target { return components.Nobody }
	first := func(sets *components.Targets) components.Target { return sets.Only(1) }
	want := runBackstage(t, func(*backstage) {})
	for name, behind := range map[string]func(*backstage){
		"nobody's, still":     hides(nobody, 0, func(*backstage, ecs.Entity) {}),
		"nobody's, changing":  hides(nobody, 0, (*backstage).touch),
		"another's, still":    hides(first, 0, func(*backstage, ecs.Entity) {}),
		"another's, changing": hides(first, 0, (*backstage).touch),
		"another's, retargeted": hides(first, 0, func(b *backstage, e ecs.Entity) {
			b.tag(e).Target = []components.Target{b.targets.Only(1), components.Nobody, b.targets.Only(1, 3)}[b.tick%3]
		}),
		"another's, moving": hides(first, 7, func(b *backstage, e ecs.Entity) {
			b.tag(e).Group = components.Group(b.tick % 3 * 11)
		}),
	} {
		t.Run(name, func(t *testing.T) { requireSameDatagrams(t, want, runBackstage(t, behind)) })
	}
}

func (b *backstage) tag(e ecs.Entity) *components.Replicate {
	_, _, tag := b.m.Get(e)
	return tag
}

// A child of an entity that a client cannot see changes no byte for that client when it loses its
// parent: whether its relation is removed, has no parent, or has one that is not replicated.
//
// Proves: R34, H9
func TestADetachedChildChangesNoByte(t *testing.T) {
	want := runBackstage(t, func(*backstage) {})
	for name, detach := range map[string]func(w *ecs.World, child ecs.Entity, childOf ecs.ID){
		"removed": func(w *ecs.World, child ecs.Entity, childOf ecs.ID) { w.Remove(child, childOf) },
		"zero":    func(w *ecs.World, child ecs.Entity, childOf ecs.ID) { w.Relations().Set(child, childOf, ecs.Entity{}) },
		"not replicated": func(w *ecs.World, child ecs.Entity, childOf ecs.ID) {
			w.Relations().Set(child, childOf, w.NewEntity())
		},
	} {
		t.Run(name, func(t *testing.T) {
			var parent, child ecs.Entity
			requireSameDatagrams(t, want, runBackstage(t, func(b *backstage) {
				switch childOf := ecs.ComponentID[components.ChildOf](b.world); {
				case b.tick == 60:
					spots := generic.NewMap2[Spot, components.ChildOf](b.world, generic.T[components.ChildOf]())
					parent = b.spawn(b.targets.Only(1), 0)
					child = spots.New(parent)
				case b.tick == 80:
					detach(b.world, child, childOf)
				case b.tick == 100:
					b.tag(parent).Target = components.Nobody
				case b.tick == 120:
					b.world.RemoveEntity(child)
					b.world.RemoveEntity(parent)
				}
			}))
		})
	}
}

// touch changes a value of an entity, and its components.
func (b *backstage) touch(e ecs.Entity) {
	spot, _, _ := b.m.Get(e)
	spot.Y--
	flag := ecs.ComponentID[Flag](b.world)
	switch b.tick % 4 {
	case 0:
		b.world.Add(e, flag)
	case 2:
		if b.world.Has(e, flag) {
			b.world.Remove(e, flag)
		}
	}
}

// In a group that is partly visible to a client, changes of the hidden part change no byte, nor
// does its existence.
//
// Proves: R34
func TestTheHiddenPartOfAGroupChangesNoByte(t *testing.T) {
	first := func(sets *components.Targets) components.Target { return sets.Only(1) }
	partly := func(behind func(*backstage)) func(*backstage) {
		return func(b *backstage) {
			if b.tick == 1 {
				b.spawn(b.targets.Only(1), group)
			}
			behind(b)
		}
	}
	want := runBackstage(t, partly(func(*backstage) {}))
	for name, each := range map[string]func(*backstage, ecs.Entity){
		"still":      func(*backstage, ecs.Entity) {},
		"values":     func(b *backstage, e ecs.Entity) { spot, _, _ := b.m.Get(e); spot.Y-- },
		"components": (*backstage).touch,
		"targets": func(b *backstage, e ecs.Entity) {
			b.tag(e).Target = []components.Target{b.targets.Only(1), components.Nobody, b.targets.Only(1, 3)}[b.tick%3]
		},
		"groups": func(b *backstage, e ecs.Entity) {
			b.tag(e).Group = components.Group(b.tick / 7 % 2 * group)
		},
	} {
		t.Run(name, func(t *testing.T) { requireSameDatagrams(t, want, runBackstage(t, partly(hides(first, group, each)))) })
	}
}

// If a group or a hierarchy once had a member that a client cannot see, or has one without a
// target, no byte shows that client whether there is another such member: neither when the first
// spawns nor when the last despawns.
//
// Proves: V13
func TestHiddenMembersComeAndGoWithoutAByte(t *testing.T) {
	children := func(b *backstage, parent ecs.Entity, target components.Target) (e ecs.Entity) {
		e = b.spawn(target, 0)
		childOf := ecs.ComponentID[components.ChildOf](b.world)
		b.world.Relations().Exchange(e, []ecs.ID{childOf}, nil, childOf, parent)
		return e
	}
	members := func(b *backstage, _ ecs.Entity, target components.Target) ecs.Entity { return b.spawn(target, group) }
	for name, add := range map[string]func(*backstage, ecs.Entity, components.Target) ecs.Entity{"a group": members, "a hierarchy": children} {
		for before, ends := range map[string]int{"had one": 40, "has one that is nobody's": 1000} {
			run := func(hidden bool) []string {
				var e ecs.Entity
				return runBackstage(t, func(b *backstage) {
					target := b.targets.Only(1)
					if ends > b.tick {
						target = components.Nobody
					}
					switch {
					case b.tick == 20:
						e = add(b, b.open[0], target)
					case b.tick == ends:
						b.world.RemoveEntity(e)
					case hidden && b.tick > 59 && b.tick < 120 && b.tick%20 == 0:
						e = add(b, b.open[0], b.targets.Only(1))
					case hidden && b.tick > 59 && b.tick < 120 && b.tick%20 == 13:
						b.world.RemoveEntity(e)
					}
				})
			}
			t.Run(name+" that "+before, func(t *testing.T) { requireSameDatagrams(t, run(false), run(true)) })
		}
	}
}

// A component that is hidden from a client changes no byte, whether it exists or not, beside
// visible ones.
//
// Proves: R34
func TestAHiddenComponentChangesNoByte(t *testing.T) {
	for _, in := range []components.Group{0, group} {
		run := func(each func(*Health, *backstage)) []string {
			var healths plugin.Override[Health]
			var e ecs.Entity
			return runBackstage(t, func(b *backstage) {
				switch {
				case b.tick == 1:
					healths = plugin.NewOverride[Health](b.world)
					e = b.spawn(components.Everyone, in)
					healths.SetTarget(e, b.targets.Only(1))
				case b.tick > 40:
					if spot, health, _ := b.m.Get(e); b.tick < 150 {
						if b.tick%3 == 0 {
							spot.X++
						}
						each(health, b)
					}
				}
			})
		}
		want := run(func(*Health, *backstage) {})
		got := run(func(h *Health, b *backstage) { h.Points = uint8(b.tick / 2) })
		requireSameDatagrams(t, want, got)
	}
}

// concern holds the rooms and the relevance that decide which clients an entity matters to.
type concern struct {
	rooms plugin.Rooms
	own   plugin.Relevance
}

func (b *backstage) concern() concern {
	return concern{plugin.NewRooms(b.world), plugin.NewRelevance(b.world)}
}

// spawnFor spawns an entity with a relevance.
func (b *backstage) spawnFor(r components.Relevance, group components.Group) ecs.Entity {
	return b.m.NewWith(&Spot{}, &Health{}, &components.Replicate{Relevance: r, Group: group})
}

// An entity that is relevant to other clients alone changes no byte, whether by a room, by the
// game's own relevance or by a grid. It spawns, changes, moves between rooms, groups and into and
// out of their visibility, and despawns.
//
// Proves: V13
func TestEntitiesRelevantToOthersChangeNoByte(t *testing.T) {
	want := runBackstage(t, func(*backstage) {})
	for name, each := range map[string]func(*backstage, ecs.Entity, concern){
		"in a room":  func(_ *backstage, e ecs.Entity, c concern) { c.rooms.AddEntity(1, e) },
		"in no room": func(*backstage, ecs.Entity, concern) {},
		"from room to room": func(b *backstage, e ecs.Entity, c concern) {
			c.rooms.AddEntity(components.Room(1+b.tick%3), e)
			c.rooms.RemoveEntity(components.Room(1+(b.tick+1)%3), e)
		},
		"by the game's decision": func(b *backstage, e ecs.Entity, c concern) {
			[]func(ecs.Entity, entangle.ClientID) bool{c.own.Show, c.own.Hide, c.own.Clear}[b.tick/5%3](e, 1)
		},
		"in and out of the view of another client": func(b *backstage, e ecs.Entity, _ concern) {
			spot, _, _ := b.m.Get(e)
			spot.X, spot.Y = 85+int8(b.tick%30), int8(b.tick%7)
		},
		"hidden by it": func(_ *backstage, e ecs.Entity, c concern) { c.own.Hide(e, 2); c.rooms.AddEntity(4, e) },
		"from group to group": func(b *backstage, e ecs.Entity, c concern) {
			c.rooms.AddEntity(1, e)
			b.tag(e).Group = components.Group(b.tick % 3 * 11)
		},
		"retained by others": func(b *backstage, e ecs.Entity, c concern) {
			b.tag(e).Relevance = components.Retained
			if c.rooms.AddEntity(1, e); b.tick/10%2 == 0 {
				c.rooms.RemoveEntity(1, e)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			requireSameDatagrams(t, want, runBackstage(t, inRooms(func(b *backstage, c concern, all *[]ecs.Entity) {
				switch {
				case b.tick >= 60 && b.tick < 120 && b.tick%6 == 0: // slots and handles are reused
					*all = append(*all, b.spawnFor(components.ByInterest, 0))
				case b.tick > 60 && b.tick < 130 && b.tick%7 == 0 && len(*all) > 0:
					b.world.RemoveEntity((*all)[0])
					*all = (*all)[1:]
				}
				for _, e := range *all {
					if b.tick < 150 {
						b.touch(e)
						each(b, e, c)
					}
				}
			})))
		})
	}
}

// inRooms puts client 1 into rooms 1 and 2, and client 2 into room 4. Viewers for the entities of
// rooms 1 and 4 stand far apart.
func inRooms(behind func(*backstage, concern, *[]ecs.Entity)) func(*backstage) {
	var c concern
	var all []ecs.Entity
	return func(b *backstage) {
		if b.tick == 1 {
			c = b.concern()
			viewers := generic.NewMap2[Spot, components.Viewer](b.world)
			viewers.NewWith(&Spot{X: 100}, &components.Viewer{Room: 1})
			viewers.NewWith(&Spot{X: -100}, &components.Viewer{Room: 4})
		}
		c.rooms.AddClient(1, 1)
		c.rooms.AddClient(2, 1)
		c.rooms.AddClient(4, 2)
		behind(b, c, &all)
	}
}

// A group that a client retains changes no byte until it ends, nor do entities that join it.
//
// Proves: V13
func TestRetainedEntitiesChangeNoByte(t *testing.T) {
	for _, in := range []components.Group{0, group + 1} {
		run := func(each func(*backstage, ecs.Entity, concern)) []string {
			return runBackstage(t, inRooms(func(b *backstage, c concern, all *[]ecs.Entity) {
				switch {
				case b.tick == 20:
					*all = append(*all, b.spawnFor(components.Retained, in), b.spawnFor(components.Retained, in))
					for _, e := range *all {
						c.rooms.AddEntity(4, e)
					}
				case b.tick == 60:
					for _, e := range *all {
						c.rooms.RemoveEntity(4, e)
					}
				case b.tick == 140:
					b.world.RemoveEntity((*all)[1])
				case b.tick > 60 && b.tick < 140:
					each(b, (*all)[1], c)
				}
			}))
		}
		want := run(func(*backstage, ecs.Entity, concern) {})
		for name, each := range map[string]func(*backstage, ecs.Entity, concern){
			"changing":         func(b *backstage, e ecs.Entity, _ concern) { b.touch(e) },
			"shown to another": func(b *backstage, e ecs.Entity, c concern) { b.touch(e); c.rooms.AddEntity(1, e) },
			"with newcomers": func(b *backstage, e ecs.Entity, c concern) {
				b.touch(e)
				if b.tick%10 == 0 {
					c.rooms.AddEntity(1, b.spawnFor(components.Retained, in))
				}
			},
		} {
			t.Run(name, func(t *testing.T) { requireSameDatagrams(t, want, run(each)) })
		}
	}
}
