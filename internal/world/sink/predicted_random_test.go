package sink

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foretoldGame is a world that is sent to two copies: one that predicts some of the time, and a
// reference copy without prediction, which shows the expected confirmed state.
type foretoldGame struct {
	*pair
	rng      *rand.Rand
	plain    *Applier
	twin     *receiver.Receiver
	entities []ecs.Entity
}

func newForetoldGame(t *testing.T, seed uint64) *foretoldGame {
	g := &foretoldGame{pair: newPair(t), rng: rand.New(rand.NewPCG(seed, 23))}
	g.applier.KeepTwins()
	g.sink.wants = func(id repl.ID) bool { return (id.Group*7+repl.Handle(seed))%3 > 0 }
	w := ecs.NewWorld(1024, 4)
	g.plain = NewApplier(&w, event.NewHub(), g.infos, func(ecs.Entity) {}, func(ecs.Entity) {})
	g.twin = receiver.New(g.plain, len(g.infos))
	g.also = func(handle func(*receiver.Receiver) error) error { return handle(g.twin) }
	for range 12 {
		g.born()
	}
	return g
}

// optional lists the components that are added and removed.
func (g *foretoldGame) optional() []ecs.ID {
	w := g.world
	return []ecs.ID{
		idIn[aheadPath](w), idIn[aheadAim](w), idIn[aheadFlag](w), idIn[aheadOwner](w),
		idIn[aheadSkin](w), idIn[aheadLook](w), idIn[aheadDrive](w), idIn[components.ControlledBy](w),
	}
}

func (g *foretoldGame) born() {
	ids := []ecs.ID{idIn[aheadPlace](g.world), idIn[aheadScore](g.world)}
	for _, id := range g.optional() {
		if g.rng.IntN(2) == 0 {
			ids = append(ids, id)
		}
	}
	e := g.spawn(ids...)
	value[components.Replicate](g.world, e).Group = components.Group(g.rng.IntN(8)) // 0: a group of its own
	g.entities = append(g.entities, e)
}

// some returns an entity, sometimes the zero entity.
func (g *foretoldGame) some() ecs.Entity {
	if n := g.rng.IntN(len(g.entities) + 1); n < len(g.entities) {
		return g.entities[n]
	}
	return ecs.Entity{}
}

// change gives entities other values.
func (g *foretoldGame) change() {
	w, n := g.world, uint8(g.rng.IntN(100))
	for _, e := range g.entities {
		if g.rng.IntN(2) == 0 {
			value[aheadPlace](w, e).X = float32(n)
		}
		if g.rng.IntN(3) == 0 {
			value[aheadScore](w, e).N = n
		}
		if v := value[aheadPath](w, e); v != nil && g.rng.IntN(2) == 0 {
			v.N += uint32(n)
		}
		if v := value[aheadAim](w, e); v != nil && g.rng.IntN(4) == 0 {
			v.At = g.some()
		}
		if v := value[aheadOwner](w, e); v != nil && g.rng.IntN(4) == 0 {
			v.Of = g.some()
		}
		if v := value[aheadLook](w, e); v != nil && g.rng.IntN(4) == 0 {
			v.Of[g.rng.IntN(2)] = g.some()
		}
	}
}

// restructure changes the components, relations and visibility of an entity.
func (g *foretoldGame) restructure() {
	e := g.entities[g.rng.IntN(len(g.entities))]
	switch g.rng.IntN(7) {
	case 0, 1:
		all := g.optional()
		if id := all[g.rng.IntN(len(all))]; g.world.Has(e, id) {
			g.world.Remove(e, id)
		} else {
			g.world.Add(e, id)
		}
	case 2, 3:
		g.relate(e)
	case 4:
		g.born()
	case 5:
		if n := g.rng.IntN(len(g.entities)); len(g.entities) > 6 {
			g.world.RemoveEntity(g.entities[n])
			g.entities = append(g.entities[:n], g.entities[n+1:]...)
		}
	default:
		if r := value[components.Replicate](g.world, e); r.Target == components.Nobody {
			r.Target = components.Everyone
		} else {
			r.Target = components.Nobody
		}
	}
}

// relate gives an entity another relation, or another target.
func (g *foretoldGame) relate(e ecs.Entity) {
	relations := []ecs.ID{idIn[aheadKnows](g.world), idIn[aheadLikes](g.world)}
	to := g.some()
	if to == e {
		to = ecs.Entity{}
	}
	one, other := relations[0], relations[1]
	if g.rng.IntN(2) == 0 {
		one, other = other, one
	}
	switch {
	case g.world.Has(e, one):
		g.world.Relations().Set(e, one, to)
	case g.world.Has(e, other):
		g.world.Relations().Exchange(e, []ecs.ID{one}, []ecs.ID{other}, one, to)
	default:
		g.world.Relations().Exchange(e, []ecs.ID{one}, nil, one, to)
	}
}

// predictSome turns predictions on and off, and changes predicted entities as a game may.
func (g *foretoldGame) predictSome() {
	e := g.there(g.some())
	if e.IsZero() || !g.far.Alive(e) {
		return
	}
	if g.rng.IntN(3) == 0 {
		g.applier.Begin(g.tick, g.tick)
		g.applier.Predict(slotOf(g.applier, e), g.rng.IntN(2) == 0)
		g.applier.Commit()
	}
	if g.applier.Replicas.Info[slotOf(g.applier, e)].storeSlot == 0 {
		return
	}
	value[aheadPlace](g.far, e).Y = float32(g.rng.IntN(100))
	for _, id := range []ecs.ID{idIn[aheadPath](g.far), idIn[aheadAim](g.far), idIn[aheadFlag](g.far), idIn[aheadSkin](g.far), idIn[aheadLook](g.far)} {
		switch has := g.far.Has(e, id); {
		case g.rng.IntN(4) > 0:
		case has:
			g.far.Remove(e, id)
		default:
			g.far.Add(e, id)
		}
	}
}

// removeDespawned removes despawned entities from the world, some time later.
func (g *foretoldGame) removeDespawned() {
	for len(g.by.departed) > 0 && g.rng.IntN(2) == 0 {
		e := g.by.departed[0]
		g.applier.RemoveDespawned(e)
		delete(g.by.slots, e)
		g.by.departed = g.by.departed[1:]
	}
}

// requireSame compares the confirmed state with the reference copy.
func (g *foretoldGame) requireSame() {
	got, want := g.applier.Mirror(g.infos), g.plain.Mirror(g.infos)
	require.Len(g.t, got.Entities, len(want.Entities))
	for i, w := range want.Entities {
		e := got.Entities[i]
		require.Equal(g.t, w.ID, e.ID)
		require.Equal(g.t, w.Tick, e.Tick, "%d", w.ID)
		require.Equal(g.t, g.values(g.plain, w), g.values(g.applier, e), "%d", w.ID)
		g.requireMarks(e.Entity)
	}
}

// values returns the values of an entity with the network ids that they refer to.
func (g *foretoldGame) values(applier *Applier, m inspect.Mirrored) (all []string) {
	for _, v := range m.Values {
		line := fmt.Sprint(g.infos[v.Component].Type.Name(), " ", v.Wire)
		for _, e := range v.Refs {
			id, _ := applier.Replicas.ID(e)
			line += fmt.Sprint(" ", id)
		}
		all = append(all, line)
	}
	return all
}

// requireMarks checks the marks of an entity of the copy, the components that follow the server,
// and its confirmed twin.
func (g *foretoldGame) requireMarks(e ecs.Entity) {
	s := slotOf(g.applier, e)
	ahead := g.applier.Replicas.Info[s].storeSlot != 0
	require.Equal(g.t, ahead, has[components.Predicted](g.pair, e))
	require.Equal(g.t, ahead, has[rollbackMark](g.pair, e))
	require.Equal(g.t, !ahead, has[components.Remote](g.pair, e))
	twin, ok := g.applier.Twin(e)
	require.Equal(g.t, ahead, ok)
	for comp := range g.infos {
		confirmed, there := g.applier.confirmedValue(s, comp)
		if id := g.applier.comps[comp].id; ahead && g.applier.comps[comp].mode == 0 { // Simple
			require.Equal(g.t, there, g.far.Has(e, id))
			if there && g.infos[comp].Plan.Size() > 0 {
				require.Equal(g.t, confirmed, g.applier.writer.Bytes(e, id))
			}
			if there && g.infos[comp].Relation {
				require.Equal(g.t, g.applier.confirmedTarget(s, comp), g.far.Relations().Get(e, id))
			}
		}
		if !ahead {
			continue
		}
		id := g.applier.comps[comp].id
		require.Equal(g.t, there, g.far.Has(twin, id))
		if there && g.infos[comp].Plan.Size() > 0 {
			require.Equal(g.t, confirmed, g.applier.writer.Bytes(twin, id))
		}
		if there && g.infos[comp].Relation {
			require.Equal(g.t, g.applier.confirmedTarget(s, comp), g.far.Relations().Get(twin, id))
		}
	}
	if ahead {
		require.Equal(g.t, e, value[components.ConfirmedOf](g.far, twin).Entity)
	}
}

// The confirmed state of predicted entities equals the state of a copy that predicts nothing,
// whatever spawns and despawns, whichever entities are predicted when, and whatever the game
// changes.
//
// Proves: B23
// Proves: G5
// Proves: B30
func TestTheConfirmedStateIsWhatAPlainCopyShows(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("repeat with: go test ./systems -run 'TestTheConfirmedStateIsWhatAPlainCopyShows/seed=%d$'", seed)
				}
			}()
			g := newForetoldGame(t, seed)
			for range 60 {
				g.change()
				if g.rng.IntN(2) == 0 {
					g.restructure()
				}
				g.send()
				g.predictSome()
				g.removeDespawned()
				g.requireSame()
			}
			assert.Positive(t, g.by.last)
			g.applier.Clear()
			assert.Zero(t, g.applier.prediction.count)
		})
	}
}
