package plugin_test

import (
	flags "flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
)

var hostSeed = flags.Uint64("hostseed", 0, "the seed of the one host's game to run; 0: ten of them")

// twin is a client that is in the same targets as the host's player.
const twin entangle.ClientID = 1

// picture is the state that a system derives from events alone: the existing entities, their
// components, and the values at the last event.
type picture struct {
	there map[ecs.Entity]map[string]bool
	spots map[ecs.Entity]spot
	wrong string
}

func (p *picture) say(format string, args ...any) {
	if p.wrong == "" {
		p.wrong = fmt.Sprintf(format, args...)
	}
}

func (p *picture) set(e ecs.Entity, comp string, on bool) {
	switch has, known := p.there[e]; {
	case !known:
		p.say("%v of %v, which is not there", comp, e)
	case has[comp] == on:
		p.say("%v of %v twice", comp, e)
	case on:
		has[comp] = true
	default:
		delete(has, comp)
	}
}

// followPart makes a picture follow one component.
func followPart[C any](p *picture, w *ecs.World, comp string, value func(ecs.Entity)) (update func()) {
	inserted, updated, removed := plugin.NewReader[plugin.ComponentInserted[C]](w), plugin.NewReader[plugin.ComponentUpdated[C]](w), plugin.NewReader[plugin.ComponentRemoved[C]](w)
	return func() {
		for _, e := range removed.Read() {
			if p.there[e.Entity] != nil && p.there[e.Entity][comp] {
				p.set(e.Entity, comp, false)
			}
		}
		for _, e := range inserted.Read() {
			if p.there[e.Entity] != nil && !p.there[e.Entity][comp] {
				p.set(e.Entity, comp, true)
				value(e.Entity)
			}
		}
		for _, e := range updated.Read() {
			if p.there[e.Entity] != nil {
				value(e.Entity)
			}
		}
	}
}

func (p *picture) system() plugin.System {
	p.there, p.spots = map[ecs.Entity]map[string]bool{}, map[ecs.Entity]spot{}
	return plugin.Func(func(w *ecs.World) func() {
		came, went := plugin.NewReader[plugin.EntitySpawned](w), plugin.NewReader[plugin.EntityDespawned](w)
		spots := generic.NewMap1[spot](w)
		ofSpots := followPart[spot](p, w, "spot", func(e ecs.Entity) {
			if w.Alive(e) && spots.Get(e) != nil {
				p.spots[e] = *spots.Get(e)
			}
		})
		ofNames := followPart[name](p, w, "name", func(ecs.Entity) {})
		return func() {
			for _, e := range went.Read() {
				if p.there[e.Entity] == nil {
					p.say("%v went, and was not there", e.Entity)
				}
				delete(p.there, e.Entity)
				delete(p.spots, e.Entity)
			}
			for _, e := range came.Read() {
				if p.there[e.Entity] != nil {
					p.say("%v came twice", e.Entity)
				}
				p.there[e.Entity] = map[string]bool{}
			}
			ofSpots()
			ofNames()
		}
	})
}

// hostPlay is a random game on a host whose player and one remote client are in the same targets.
type hostPlay struct {
	*hosted
	rng     *rand.Rand
	here    picture
	far     *player
	all     []ecs.Entity
	rooms   plugin.Rooms
	word    plugin.Relevance
	over    plugin.Override[spot]
	targets []components.Target
}

func newHostPlay(t testing.TB, seed uint64) *hostPlay {
	p := &hostPlay{rng: rand.New(rand.NewPCG(seed, 50))}
	p.hosted = newHosted(t, p.here.system()).play()
	p.rooms, p.word, p.over = plugin.NewRooms(p.world), plugin.NewRelevance(p.world), plugin.NewOverride[spot](p.world)
	p.far = p.join(twin)
	p.run(30)
	require.Equal(t, plugin.Connected, p.far.State())
	sets := p.hosted.targets()
	p.targets = []components.Target{components.Everyone, components.Nobody, sets.Only(me, twin), sets.Except(me, twin), sets.Except(9)}
	return p
}

func (p *hostPlay) any() ecs.Entity { return p.all[p.rng.IntN(len(p.all))] }

func (p *hostPlay) target() components.Target { return p.targets[p.rng.IntN(len(p.targets))] }

// act does one random thing.
func (p *hostPlay) act() {
	marks, spots := generic.NewMap1[components.Replicate](p.world), generic.NewMap1[spot](p.world)
	if p.rng.IntN(6) == 0 || len(p.all) < 5 {
		e := p.spawn(spot{}, name{uint32(len(p.all))})
		*marks.Get(e) = components.Replicate{
			Target: p.target(), Group: components.Group(p.rng.IntN(3)), Relevance: components.Relevance(p.rng.IntN(2)),
		}
		p.all = append(p.all, e)
		return
	}
	e := p.any()
	if !p.world.Alive(e) {
		return
	}
	switch p.rng.IntN(10) {
	case 0:
		if p.rng.IntN(3) == 0 {
			p.world.RemoveEntity(e)
		}
	case 1, 2:
		if m := marks.Get(e); m != nil {
			m.Target = p.target()
		}
	case 3:
		if m := marks.Get(e); m != nil {
			m.Relevance = components.Relevance(p.rng.IntN(2))
		}
	case 4:
		if p.world.Has(e, ecs.ComponentID[spot](p.world)) {
			spots.Remove(e)
		} else {
			spots.Assign(e, &spot{X: p.rng.Float32()})
		}
	case 5:
		if m := marks.Get(e); m != nil {
			m.Group = components.Group(p.rng.IntN(3))
		}
	case 6:
		p.over.SetTarget(e, p.target())
	case 7:
		p.rooms.AddEntity(1, e)
	case 8:
		if p.rng.IntN(2) == 0 {
			p.rooms.AddClient(1, me)
			p.rooms.AddClient(1, twin)
		} else {
			p.rooms.RemoveClient(1, me)
			p.rooms.RemoveClient(1, twin)
		}
	default:
		if s := spots.Get(e); s != nil {
			s.X++
		}
	}
}

// check compares the events of the host's player with the world of the remote client.
func (p *hostPlay) check() error {
	if p.here.wrong != "" {
		return fmt.Errorf("%s", p.here.wrong)
	}
	names, spots := generic.NewMap1[name](p.world), generic.NewMap1[spot](p.world)
	there, has := p.far.copies(), ecs.ComponentID[spot](p.far.world)
	for e, comps := range p.here.there {
		id := names.Get(e).ID
		copied, ok := there[id]
		switch {
		case !ok:
			return fmt.Errorf("entity %d is told of, and the twin does not have it", id)
		case comps["spot"] != p.far.world.Has(copied, has):
			return fmt.Errorf("the spot of entity %d: %v, at the twin %v", id, comps["spot"], !comps["spot"])
		case comps["spot"] && p.here.spots[e] != *spots.Get(e):
			return fmt.Errorf("the spot of entity %d is %v, and %v was told", id, *spots.Get(e), p.here.spots[e])
		}
	}
	if len(there) != len(p.here.there) {
		return fmt.Errorf("%d entities are told of, and the twin has %d", len(p.here.there), len(there))
	}
	return nil
}

// In random games, the events of a host's player match the world of a remote client in the same
// targets: the same entities with the same components, and all their changes.
//
// Proves: C12
func TestAHostsPlayerIsToldWhatARemoteClientGets(t *testing.T) {
	first, last := uint64(1), uint64(10)
	if *hostSeed > 0 {
		first, last = *hostSeed, *hostSeed
	}
	for seed := first; seed <= last; seed++ {
		p := newHostPlay(t, seed)
		for round := range 25 {
			for range 20 {
				p.act()
				p.run(p.rng.IntN(3))
			}
			p.run(20)
			if err := p.check(); err != nil {
				t.Fatalf("seed %d, round %d: %v\nrepeat with: go test ./plugin -count=1 -run '^%s$' -hostseed %d", seed, round, err, t.Name(), seed)
			}
		}
	}
}
