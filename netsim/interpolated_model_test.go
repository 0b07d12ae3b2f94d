package netsim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	"github.com/entangle-ecs/entangle/transport/conditioner"
)

// These are the components of the model world.
type (
	modelKey   struct{ N uint32 }      // which entity it is
	modelPlace struct{ X, Y float64 }  // blended
	modelTurn  struct{ A float32 }     // blended, on some entities
	modelStep  struct{ N uint32 }      // steps
	modelFirst struct{ N uint32 }      // only the first value counts
	modelOwn   struct{ N uint32 }      // never shown
	modelRef   struct{ To ecs.Entity } // refers to an entity
	modelOn    struct {
		ecs.Relation
		N uint8
	} // relates to one
)

func modelProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "model"})
	protocol.Component[modelKey](p)
	protocol.Component[modelPlace](p).Predict(protocol.Full).Interpolate(protocol.Linear[modelPlace])
	protocol.Component[modelTurn](p).Interpolate(protocol.Linear[modelTurn])
	protocol.Component[modelStep](p)
	protocol.Component[modelFirst](p).InterpolateMode(protocol.Once)
	protocol.Component[modelOwn](p).InterpolateMode(protocol.None)
	protocol.Component[modelRef](p)
	protocol.Component[modelOn](p)
	protocol.Component[components.Interpolated](p)
	protocol.Component[components.ControlledBy](p)
	return p
}

// modelState is an entity as of a tick.
type modelState struct {
	place             *modelPlace
	turn              *modelTurn
	step, first, owns *uint32
	ref, on           *uint32 // the key of the entity that it refers or relates to; 0: none
	interpolated      bool
	every             uint32 // its interval, if it is interpolated
}

// modelWorld reads the world into keys and states.
type modelWorld struct {
	w    *ecs.World
	keys generic.Filter1[modelKey]
}

func get[T any](w *ecs.World, e ecs.Entity) *T {
	if !w.Has(e, ecs.ComponentID[T](w)) {
		return nil
	}
	return (*T)(w.Get(e, ecs.ComponentID[T](w)))
}

func (m *modelWorld) keyOf(e ecs.Entity) *uint32 {
	key := uint32(0)
	if m.w.Alive(e) && !e.IsZero() {
		if k := get[modelKey](m.w, e); k != nil {
			key = k.N
		} else if !m.w.Has(e, ecs.ComponentID[components.Predicted](m.w)) { // which may be despawned ahead
			key = math.MaxUint32 // an entity without its components must not be referred to
		}
	}
	return &key
}

func (m *modelWorld) read() map[uint32]modelState {
	states := map[uint32]modelState{}
	for q := m.keys.Query(m.w); q.Next(); {
		e, s := q.Entity(), modelState{}
		if v := get[modelPlace](m.w, e); v != nil {
			c := *v
			s.place = &c
		}
		if v := get[modelTurn](m.w, e); v != nil {
			c := *v
			s.turn = &c
		}
		if v := get[modelStep](m.w, e); v != nil {
			n := v.N
			s.step = &n
		}
		if v := get[modelFirst](m.w, e); v != nil {
			n := v.N
			s.first = &n
		}
		if v := get[modelOwn](m.w, e); v != nil {
			n := v.N
			s.owns = &n
		}
		if v := get[modelRef](m.w, e); v != nil {
			s.ref = m.keyOf(v.To)
		}
		if get[modelOn](m.w, e) != nil {
			s.on = m.keyOf(m.w.Relations().Get(e, ecs.ComponentID[modelOn](m.w)))
		}
		if shown := get[components.Interpolated](m.w, e); shown != nil {
			s.interpolated, s.every = true, shown.SendEvery
		}
		states[q.Get().N] = s
	}
	return states
}

// modelGame changes a world at random, and keeps its history.
type modelGame struct {
	switches bool   // the targets of entities change
	every    uint16 // the greatest SendEvery
	// retargeted is when the targets of an entity last changed, by key.
	retargeted map[uint32]entangle.Tick
	calm       bool // nothing changes any more
	rng        *rand.Rand
	w          *ecs.World
	world      modelWorld
	live       []ecs.Entity
	next       uint32
	history    map[entangle.Tick]map[uint32]modelState
	time       generic.Resource[components.Time]
}

func (g *modelGame) Initialize(w *ecs.World) {
	g.w, g.world = w, modelWorld{w, *generic.NewFilter1[modelKey]()}
	g.time = generic.NewResource[components.Time](w)
	g.retargeted = map[uint32]entangle.Tick{}
	g.history = map[entangle.Tick]map[uint32]modelState{}
}
func (g *modelGame) Finalize(*ecs.World) {}

func add[T any](w *ecs.World, e ecs.Entity, v T) {
	id := ecs.ComponentID[T](w)
	if !w.Has(e, id) {
		w.Add(e, id)
	}
	*(*T)(w.Get(e, id)) = v
}

func drop[T any](w *ecs.World, e ecs.Entity) {
	if id := ecs.ComponentID[T](w); w.Has(e, id) {
		w.Remove(e, id)
	}
}

func (g *modelGame) some() ecs.Entity { return g.live[g.rng.IntN(len(g.live))] }

func (g *modelGame) Update(w *ecs.World) {
	now := g.time.Get().Tick
	if g.calm {
		return
	}
	for range g.rng.IntN(3) {
		g.act(now)
	}
	for _, e := range g.live {
		if v := get[modelPlace](w, e); v != nil {
			v.X, v.Y = float64(now), float64(now)*2
		}
		if v := get[modelTurn](w, e); v != nil {
			v.A = float32(now % 1000)
		}
		if v := get[modelFirst](w, e); v != nil {
			v.N++
		}
		if v := get[modelOwn](w, e); v != nil {
			v.N++
		}
	}
	g.history[now] = g.world.read()
}

func (g *modelGame) act(now entangle.Tick) {
	w := g.w
	if len(g.live) < 4 || len(g.live) < 30 && g.rng.IntN(4) == 0 {
		g.spawn(now)
		return
	}
	e := g.some()
	if g.switches && g.rng.IntN(3) == 0 {
		g.retarget(e)
		g.retargeted[get[modelKey](w, e).N] = now
		return
	}
	switch g.rng.IntN(9) {
	case 0:
		w.RemoveEntity(e)
		for i := range g.live {
			if g.live[i] == e {
				g.live = append(g.live[:i], g.live[i+1:]...)
				break
			}
		}
	case 1:
		add(w, e, modelTurn{})
	case 2:
		drop[modelTurn](w, e)
	case 3:
		add(w, e, modelStep{uint32(now)})
	case 4:
		drop[modelStep](w, e)
	case 5:
		if to := g.some(); to != e {
			add(w, e, modelRef{to})
		}
	case 6:
		if to := g.some(); to != e {
			add(w, e, modelOn{})
			w.Relations().Set(e, ecs.ComponentID[modelOn](w), to)
		}
	case 7:
		drop[modelOn](w, e)
	case 8:
		add(w, e, modelFirst{uint32(now)})
	}
}

// retarget changes which clients interpolate and predict an entity, or see it.
func (g *modelGame) retarget(e ecs.Entity) {
	r := get[components.Replicate](g.w, e)
	targets := []components.Target{components.Everyone, components.Nobody, components.Owner, components.NotOwner}
	switch g.rng.IntN(6) {
	case 0:
		r.Predict = targets[g.rng.IntN(4)]
	case 1:
		r.Predict = components.Nobody
	case 2:
		r.Target = targets[g.rng.IntN(4)]
	case 3:
		r.Target = components.Everyone
	case 4:
		r.Group = components.Group(g.rng.IntN(4))
	default:
		r.Interpolate = targets[g.rng.IntN(4)]
	}
	if g.every > 1 {
		r.SendEvery = uint16(g.rng.IntN(int(g.every) + 1))
	}
}

func (g *modelGame) spawn(now entangle.Tick) {
	g.next++
	e := g.w.NewEntity()
	add(g.w, e, modelKey{g.next})
	add(g.w, e, modelPlace{})
	if g.rng.IntN(2) == 0 {
		add(g.w, e, modelTurn{})
	}
	if g.rng.IntN(2) == 0 {
		add(g.w, e, modelStep{uint32(now)})
	}
	if g.rng.IntN(3) == 0 {
		add(g.w, e, modelOwn{})
	}
	if len(g.live) > 0 && g.rng.IntN(3) == 0 {
		add(g.w, e, modelRef{g.some()})
	}
	r := components.Replicate{Interpolate: components.Everyone}
	if g.rng.IntN(4) == 0 {
		r.Group = components.Group(1 + g.rng.IntN(3))
	}
	if g.every > 1 {
		r.SendEvery = uint16(g.rng.IntN(int(g.every) + 1))
	}
	if g.switches && g.rng.IntN(2) == 0 {
		add(g.w, e, components.ControlledBy{Client: 1})
	}
	add(g.w, e, r)
	g.live = append(g.live, e)
}

// On a line without loss and jitter, a client shows at each time what the server had then: the same
// entities with the same components, values that step as of the last tick, and others between two ticks.
//
// Proves: N1, N4, N11
func TestWhatIsShownIsWhatTheServerHadThen(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runModel(t, seed) })
	}
}

func runModel(t *testing.T, seed uint64) {
	sim := netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(conditioner.Config{Latency: 50 * time.Millisecond})})
	server, err := plugin.NewServer(sim.ServerConfig(modelProtocol()))
	require.NoError(t, err)
	g := &modelGame{rng: rand.New(rand.NewPCG(seed, 7))}
	server.AddSystem(plugin.FixedMain, g)
	sim.AddServer(server, server)
	client, err := plugin.NewClient(sim.ClientConfig(modelProtocol()))
	require.NoError(t, err)
	var tick entangle.Tick
	var share float64
	client.AddSystem(plugin.AfterReceive, plugin.Func(func(*ecs.World) func() {
		return func() { tick, share = client.InterpolationTime(1) }
	}))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	sim.Run(2 * time.Second)
	shown := modelWorld{peer.World(), *generic.NewFilter1[modelKey]()}
	for range 400 {
		sim.Run(time.Second / 60)
		compareModel(t, g, shown.read(), tick, share)
	}
}

// compareModel compares a client's world with the server's history at a time.
func compareModel(t *testing.T, g *modelGame, shown map[uint32]modelState, tick entangle.Tick, share float64) {
	was, next := g.history[tick], g.history[tick+1]
	say := func(key uint32, what string, args ...any) {
		t.Helper()
		require.Failf(t, "differs", "entity %d at %d + %.2f: %s", key, tick, share, fmt.Sprintf(what, args...))
	}
	for key, is := range shown {
		s, there := was[key]
		if !there {
			say(key, "is shown, and the server did not have it")
		}
		if !is.interpolated {
			say(key, "is not interpolated")
		}
		if (is.place == nil) != (s.place == nil) || (is.turn == nil) != (s.turn == nil) || (is.step == nil) != (s.step == nil) ||
			(is.first == nil) != (s.first == nil) || (is.ref == nil) != (s.ref == nil) || (is.on == nil) != (s.on == nil) {
			say(key, "has other components: %+v, not %+v", is, s)
		}
		if is.owns != nil {
			say(key, "has a component of mode None")
		}
		if s.step != nil && *is.step != *s.step {
			say(key, "step %d is %d", *is.step, *s.step)
		}
		if s.on != nil && *is.on != *s.on {
			say(key, "relates to %d, not %d", *is.on, *s.on)
		}
		if s.ref != nil && *is.ref != *s.ref {
			say(key, "refers to %d, not %d", *is.ref, *s.ref)
		}
		if x := s.place; x != nil {
			want := x.X
			if n, there := next[key]; there && n.place != nil {
				want += (n.place.X - x.X) * share
			}
			if math.Abs(want-is.place.X) > 1e-3 {
				say(key, "is at %v, not %v", is.place.X, want)
			}
		}
	}
	for key := range was {
		if _, there := shown[key]; !there {
			say(key, "is not shown")
		}
	}
}

// With loss, jitter, intervals, and targets that change, an interpolated entity is still shown as it was at
// one time of the past, never before the server had it so, and long gone entities are not shown. Once
// nothing changes and nothing is lost, all is as on the server.
//
// Proves: N3, N4, N7, N9
func TestWhatIsShownWasSoOnTheServer(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runLossyModel(t, seed) })
	}
}

func runLossyModel(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 8))
	bad := conditioner.Config{Latency: 50 * time.Millisecond, Jitter: time.Duration(rng.IntN(30)) * time.Millisecond, Loss: 0.1 * float64(rng.IntN(3))}
	sim := netsim.New(t, netsim.Config{Seed: seed, Link: netsim.Symmetric(bad)})
	server, err := plugin.NewServer(sim.ServerConfig(modelProtocol()))
	require.NoError(t, err)
	g := &modelGame{rng: rng, switches: rng.IntN(3) > 0, every: uint16(rng.IntN(2) * 4)}
	server.AddSystem(plugin.FixedMain, g)
	sim.AddServer(server, server)
	client, err := plugin.NewClient(sim.ClientConfig(modelProtocol()))
	require.NoError(t, err)
	var times [8]shownTime // by interval
	client.AddSystem(plugin.AfterReceive, plugin.Func(func(*ecs.World) func() {
		return func() {
			for every := range times {
				times[every].tick, times[every].share = client.InterpolationTime(every)
			}
		}
	}))
	peer := sim.AddClient(1, client, client)
	require.True(t, sim.RunUntil(5*time.Second, peer.Connected))
	shown := modelWorld{peer.World(), *generic.NewFilter1[modelKey]()}
	for range 600 {
		sim.Run(time.Second / 60)
		wasSo(t, g, shown.read(), &times)
	}
	g.calm = true
	peer.SetLink(netsim.Symmetric(conditioner.Config{Latency: 50 * time.Millisecond}))
	sim.Run(5 * time.Second)
	sim.ExpectEqual()
	last := g.world.read()
	final := shown.read()
	for key, is := range final {
		want, there := last[key]
		require.True(t, there, "entity %d", key)
		for _, to := range []*uint32{want.ref, want.on} {
			if to != nil {
				if _, visible := final[*to]; !visible {
					*to = 0
				}
			}
		}
		want.interpolated, want.every, want.owns = is.interpolated, is.every, is.owns
		if is.interpolated {
			want.first = is.first // mode Once
			require.Equal(t, want, is, "entity %d", key)
		}
	}
}

// shownTime is the time of a timeline.
type shownTime struct {
	tick  entangle.Tick
	share float64
}

// wasSo checks that each interpolated entity was so on the server at a time that is not later than the shown one.
func wasSo(t *testing.T, g *modelGame, shown map[uint32]modelState, times *[8]shownTime) {
	const slack = 90
	for key, is := range shown {
		if !is.interpolated {
			continue
		}
		tick, share := times[1].tick, times[1].share
		for _, other := range times[2:] { // an entity does not go back when its interval changes
			if ahead := other.tick.Sub(tick); ahead > 0 || ahead == 0 && other.share > share {
				tick, share = other.tick, other.share
			}
		}
		if at, was := g.retargeted[key]; was && tick.Sub(at) < slack {
			continue // it may have been predicted, or shown as it arrived
		}
		there, step := false, is.step == nil
		for at := tick; tick.Sub(at) < slack; at-- {
			s, had := g.history[at][key]
			there = there || had
			step = step || had && s.step != nil && *s.step == *is.step
		}
		if !there {
			require.Failf(t, "not there", "entity %d is shown at %d + %.2f, and the server did not have it then", key, tick, share)
		}
		if !step {
			require.Failf(t, "no such step", "entity %d has step %d at %d + %.2f", key, *is.step, tick, share)
		}
		if is.ref != nil && *is.ref == math.MaxUint32 || is.on != nil && *is.on == math.MaxUint32 {
			require.Failf(t, "reference", "entity %d refers to an entity without components", key)
		}
		if is.place != nil && (is.place.X > float64(tick)+share+0.01 || is.place.X < float64(tick)-slack) {
			require.Failf(t, "place", "entity %d is at %v at %d + %.2f", key, is.place.X, tick, share)
		}
	}
}
