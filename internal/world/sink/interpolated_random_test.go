package sink

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"
)

// pastModel is what the server has of an entity, by the name of a component.
type pastModel map[string]any

// pastGame sends random records to an applier of which some entities are interpolated.
type pastGame struct {
	*past
	rng    *rand.Rand
	server map[repl.Handle]pastModel
	seen   map[ecs.Entity]map[string]bool // components by the events
}

func (g *pastGame) value(name string) any {
	n := g.rng.IntN(50) + 1
	to := repl.Handle(g.rng.IntN(12))
	switch name {
	case "pastPlace":
		return pastPlace{float32(n)}
	case "pastScore":
		return pastScore{uint8(n)}
	case "pastAim":
		return pastAim{g.far[to]}
	case "pastGoal":
		return pastGoal{g.far[to], float32(n)}
	case "pastKnows":
		return link{to}
	case "pastFlag":
		return pastFlag{}
	}
	return pastMark{SendEvery: []uint32{0, 1, 3, 10}[g.rng.IntN(4)]}
}

var pastNames = []string{"pastPlace", "pastScore", "pastAim", "pastGoal", "pastKnows", "pastFlag", "Interpolated"}

// listen checks each event against those before.
func (g *pastGame) listen() {
	for i, info := range g.infos {
		name, id := info.Type.Name(), ecs.TypeID(g.world, info.Type)
		events := g.applier.comps[i].events
		events.OnInserted = func(e ecs.Entity) {
			require.NotNil(g.t, g.seen[e], "spawned before")
			require.False(g.t, g.seen[e][name], name)
			require.True(g.t, g.world.Has(e, id) || g.world.Has(e, ecs.ComponentID[components.Predicted](g.world)))
			g.seen[e][name] = true
		}
		events.OnUpdated = func(e ecs.Entity) {
			require.True(g.t, g.seen[e][name], name)
		}
		events.OnRemoved = func(e ecs.Entity) {
			require.True(g.t, g.seen[e][name], name)
			delete(g.seen[e], name)
		}
	}
	g.applier.on.spawned = func(e ecs.Entity) {
		require.Nil(g.t, g.seen[e], "spawned once")
		require.True(g.t, g.world.Has(e, g.applier.remote) || g.prophet != nil)
		g.seen[e] = map[string]bool{}
	}
	g.applier.on.despawned = func(e ecs.Entity) { delete(g.seen, e) }
}

func (g *pastGame) step() {
	g.record(func() {
		used := map[repl.Handle]bool{}
		for range 1 + g.rng.IntN(3) {
			h := repl.Handle(g.rng.IntN(11) + 1)
			if used[h] {
				continue
			}
			used[h] = true
			m, there := g.server[h]
			switch {
			case !there:
				g.spawn(h)
				m = pastModel{}
				var values []any
				for _, name := range pastNames {
					if g.rng.IntN(2) == 0 {
						m[name] = g.value(name)
						values = append(values, m[name])
					}
				}
				g.server[h] = m
				g.state(h, values...)
			case g.rng.IntN(5) == 0:
				g.despawn(h)
				delete(g.server, h)
			case g.prophet != nil && g.rng.IntN(5) == 0:
				g.applier.Predict(g.slots[repl.ID{Group: h}], g.rng.IntN(2) == 0)
			default:
				g.applier.Member(g.slots[repl.ID{Group: h}], false)
				for _, at := range g.rng.Perm(len(pastNames))[:1+g.rng.IntN(3)] {
					name := pastNames[at]
					if _, has := m[name]; has && g.rng.IntN(2) == 0 {
						delete(m, name)
						g.applier.Remove(g.comp(pastZero(name)))
						continue
					}
					m[name] = g.value(name)
					g.insert(m[name])
				}
			}
		}
	})
}

func pastZero(name string) any {
	return map[string]any{"pastPlace": pastPlace{}, "pastScore": pastScore{}, "pastAim": pastAim{}, "pastGoal": pastGoal{}, "pastKnows": link{}, "pastFlag": pastFlag{}, "Interpolated": pastMark{}}[name]
}

// shown returns the state of an entity in the world, and wanted that on the server, as text.
func (g *pastGame) shown(h repl.Handle) string {
	var b strings.Builder
	e := g.entity(h)
	predicted := g.world.Has(e, ecs.ComponentID[components.Predicted](g.world))
	for _, name := range pastNames {
		v := pastZero(name)
		if name == "Interpolated" && predicted || !g.has(h, v) {
			continue
		}
		switch name {
		case "pastPlace":
			fmt.Fprintln(&b, name, at[pastPlace](&g.hand, h).X)
		case "pastScore":
			fmt.Fprintln(&b, name, at[pastScore](&g.hand, h).N)
		case "pastAim":
			fmt.Fprintln(&b, name, g.living(at[pastAim](&g.hand, h).Of))
		case "pastGoal":
			goal := at[pastGoal](&g.hand, h)
			fmt.Fprintln(&b, name, goal.X, g.living(goal.Of))
		case "pastKnows":
			fmt.Fprintln(&b, name, g.living(g.world.Relations().Get(e, ecs.ComponentID[pastKnows](g.world))))
		default:
			fmt.Fprintln(&b, name)
		}
	}
	return b.String()
}

// living returns the handle of an entity, 0 if it is dead.
func (g *pastGame) living(e ecs.Entity) repl.Handle {
	if id, ok := g.applier.Replicas.ID(e); ok && g.world.Alive(e) {
		return id.Group
	}
	return 0
}

func (g *pastGame) wanted(h repl.Handle) string {
	var b strings.Builder
	alive := func(to repl.Handle) repl.Handle {
		if _, ok := g.server[to]; ok {
			return to
		}
		return 0
	}
	predicted := g.world.Has(g.entity(h), ecs.ComponentID[components.Predicted](g.world))
	for _, name := range pastNames {
		switch v := g.server[h][name].(type) {
		case nil:
		case pastPlace:
			fmt.Fprintln(&b, name, v.X)
		case pastScore:
			fmt.Fprintln(&b, name, v.N)
		case pastAim:
			fmt.Fprintln(&b, name, alive(g.names[v.Of]))
		case pastGoal:
			fmt.Fprintln(&b, name, v.X, alive(g.names[v.Of]))
		case link:
			if v.to = alive(v.to); v.to == h {
				v.to = 0
			}
			fmt.Fprintln(&b, name, v.to)
		case pastMark:
			if !predicted {
				fmt.Fprintln(&b, name)
			}
		default:
			fmt.Fprintln(&b, name)
		}
	}
	return b.String()
}

// requireNoHiddenReference requires that no component in the world, and no confirmed state of a predicted entity,
// refers to an entity that is not shown yet.
func (g *pastGame) requireNoHiddenReference() {
	check := func(to ecs.Entity) {
		s, ours := g.applier.Replicas.Slot(to)
		require.False(g.t, ours && g.applier.isHidden(s))
	}
	for id := range g.slots {
		if g.has(id.Group, pastAim{}) {
			check(at[pastAim](&g.hand, id.Group).Of)
		}
		if g.has(id.Group, pastGoal{}) {
			check(at[pastGoal](&g.hand, id.Group).Of)
		}
		if g.has(id.Group, link{}) {
			check(g.target(id.Group))
		}
		if g.applier.Replicas.Info[g.slots[id]].storeSlot != 0 {
			check(g.aimConfirmed(id.Group))
			check(g.targetConfirmed(id.Group))
		}
	}
}

// Whatever arrives in which order, the world ends as the server's, and its events are those of its changes.
func TestRandomInterpolatedEntitiesEndAsTheServers(t *testing.T) {
	for seed := range uint64(100) {
		for _, predict := range []bool{false, true} {
			t.Run(fmt.Sprint(seed, predict), func(t *testing.T) {
				g := &pastGame{past: newPast(t), rng: rand.New(rand.NewPCG(seed, 7)), server: map[repl.Handle]pastModel{}, seen: map[ecs.Entity]map[string]bool{}}
				if predict {
					g.predict()
				}
				g.listen()
				g.delay = func(every int) int32 { return 3 + int32(min(every, 20)) }
				for range 2 { // connections
					for range 120 {
						g.step()
						g.requireNoHiddenReference()
						if g.rng.IntN(3) > 0 {
							g.applier.Interpolate()
							g.requireNoHiddenReference()
						}
					}
					g.frames(600)
					g.rest()
					require.Zero(t, g.applier.interpolation.hidden)
					for h := range g.server {
						if e := g.entity(h); !g.world.Has(e, ecs.ComponentID[components.Predicted](g.world)) {
							require.Equal(t, g.wanted(h), g.shown(h), "entity %d", h)
							for _, name := range pastNames {
								require.Equal(t, g.has(h, pastZero(name)), g.seen[e][name], "events of %s of %d", name, h)
							}
						}
					}
					g.applier.Clear()
					g.rest()
					require.Zero(t, g.waiting())
					require.Zero(t, g.applier.interpolation.samples.Stats().Slots)
					clear(g.server)
					clear(g.slots)
					clear(g.seen)
					g.tick += 1 << 30
				}
			})
		}
	}
}
