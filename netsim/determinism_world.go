package netsim

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
	"github.com/mlange-42/arche/listener"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/plugin"
)

// checkedWorld is a world in which the game's systems run.
type checkedWorld struct {
	*kindList
	server    *plugin.Server
	world     *ecs.World
	time      *components.Time
	systems   []checkedSystem
	ids       []ecs.ID        // by kind
	cells     []columns.Cells // by kind, too
	kindOf    []int           // the kind of each component id
	sets      map[ecs.Mask]kindSet
	listeners *pausedListeners
	issued    int // number of entity ids that the loaded snapshot has issued

	resources []ecs.ResID // of the protocol, with Rollback
	onBegin   func()      // called before the first system of a tick
	onRan     func(number int)
}

// checkedSystem is a system of FixedMain.
type checkedSystem struct {
	plugin.System
	name string
}

// newWorld makes a world with the game's systems. The game's world is driven by its server; in the
// other world only the game's systems run.
func (c *checker) newWorld(game bool) (*checkedWorld, error) {
	config := plugin.ServerConfig{
		Protocol: c.Protocol, Clock: c.now, Entropy: entropy(c.Seed, 1), TickPerUpdate: true,
	}
	server, err := plugin.NewServer(config)
	if err != nil {
		return nil, err
	}
	fresh := ecs.NewWorld()
	a := &checkedWorld{server: server, world: &fresh, sets: map[ecs.Mask]kindSet{}, listeners: &pausedListeners{}}
	a.onBegin, a.onRan = func() {}, func(int) {}
	app := &checkedApp{Server: server, checked: a}
	if !game {
		server.AddSystem(plugin.AfterReceive, plugin.Func(a.listeners.removeOthers))
	}
	c.AddSystems(app)
	server.Initialize(&fresh)
	if c.Setup != nil {
		c.Setup(&fresh)
	}
	a.time = ecs.GetResource[components.Time](&fresh)
	a.setKinds(c)
	if game {
		a.onBegin, a.onRan = c.tickBegins, c.systemRan
	} else {
		a.listeners.install(&fresh)
	}
	return a, nil
}

// setKinds sets the list of kinds. Both worlds share one list.
func (a *checkedWorld) setKinds(c *checker) {
	if c.game != nil {
		a.kindList = c.game.kindList
	} else {
		a.kindList = newKindList(c.Protocol)
	}
	for _, r := range a.kindList.resources {
		a.resources = append(a.resources, ecs.ResourceTypeID(a.world, r.typ))
	}
}

// runSystem runs a system as part of a replayed tick.
func (a *checkedWorld) runSystem(number int, tick entangle.Tick) {
	a.time.Tick, a.time.Replaying, a.time.ReplayFrom, a.time.ReplayTo = tick, true, tick, tick
	a.systems[number].Update(a.world)
}

func (a *checkedWorld) finalize() { a.server.Finalize(a.world) }

// checkedApp is the app to which the game adds its systems.
type checkedApp struct {
	*plugin.Server
	checked *checkedWorld
}

// AddSystem implements plugin.App.
func (a *checkedApp) AddSystem(set plugin.Set, sys plugin.System) {
	if set == plugin.FixedMain && sys != nil {
		sys = a.checked.observe(sys)
	}
	a.Server.AddSystem(set, sys)
}

// observe wraps a system, so that the world is inspected before and after it.
func (a *checkedWorld) observe(sys plugin.System) plugin.System {
	name := fmt.Sprintf("%T", sys)
	if s, ok := sys.(fmt.Stringer); ok {
		name = s.String()
	}
	a.systems = append(a.systems, checkedSystem{sys, name})
	return &observed{System: sys, checked: a, number: len(a.systems) - 1}
}

// observed is a system that calls the hooks of its checked world before and after it.
type observed struct {
	plugin.System
	checked *checkedWorld
	number  int
}

// Update implements plugin.System.
func (o *observed) Update(w *ecs.World) {
	if o.number == 0 {
		o.checked.onBegin()
	}
	o.System.Update(w)
	o.checked.onRan(o.number)
}

// pausedListeners passes events to the listeners of the game's systems only while those systems
// run, and not while the world is being restored.
type pausedListeners struct {
	*listener.Dispatch
	paused bool
}

// removeOthers removes the listeners that were added before the game's systems are initialised:
// those of the plugin, which does not run in this world.
func (h *pausedListeners) removeOthers(w *ecs.World) func() {
	h.Dispatch = ecs.GetResource[listener.Dispatch](w)
	*h.Dispatch = listener.NewDispatch()
	return nil
}

func (h *pausedListeners) install(w *ecs.World) { w.SetListener(h) }

// Notify implements ecs.Listener.
func (h *pausedListeners) Notify(w *ecs.World, e ecs.EntityEvent) {
	if !h.paused {
		h.Dispatch.Notify(w, e)
	}
}

// Subscriptions implements ecs.Listener.
func (h *pausedListeners) Subscriptions() event.Subscription {
	if h.paused {
		return 0
	}
	return h.Dispatch.Subscriptions()
}

// resourceBytes returns the memory of a resource, or nil if the world does not have it.
func (a *checkedWorld) resourceBytes(number int) []byte {
	of := a.world.Resources().Get(a.resources[number])
	if of == nil {
		return nil
	}
	return bytesOf(reflect.ValueOf(of).Elem())
}

// bytesOf returns the memory of an addressable value.
func bytesOf(v reflect.Value) []byte {
	size := int(v.Type().Size())
	return reflect.NewAt(reflect.ArrayOf(size, reflect.TypeFor[byte]()), v.Addr().UnsafePointer()).Elem().Slice(0, size).Bytes()
}

// pressInputs gives each entity with an input a random input, which is held for some ticks.
func (a *checkedWorld) pressInputs(rng *rand.Rand) {
	for n := range a.kinds {
		if a.kinds[n].input == nil {
			continue
		}
		for q := a.world.Query(ecs.All(a.ids[n])); q.Next(); {
			if rng.IntN(holdInputs) == 0 {
				v := reflect.NewAt(a.kinds[n].typ, q.Get(a.ids[n])).Elem()
				pressAny(v, rng)
				a.kinds[n].input.Round(bytesOf(v))
			}
		}
	}
}

// holdInputs is the average number of ticks for which a random input is held.
const holdInputs = 8

// pressAny sets the fields of an input to small random numbers. Fields with a range are clamped to
// it when the input is quantised.
func pressAny(v reflect.Value, rng *rand.Rand) {
	switch {
	case !v.CanSet() || v.Type() == entityType:
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			pressAny(v.Field(i), rng)
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			pressAny(v.Index(i), rng)
		}
	case v.Kind() == reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case v.CanInt():
		v.SetInt(rng.Int64N(7) - 3)
	case v.CanUint():
		v.SetUint(rng.Uint64N(4))
	case v.CanFloat():
		v.SetFloat(rng.Float64()*2 - 1)
	}
}

// advanceClock advances the clock by one frame.
func (c *checker) advanceClock() { c.clock.Advance(time.Second / time.Duration(c.Protocol.TickRate())) }
