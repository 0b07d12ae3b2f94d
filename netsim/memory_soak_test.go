package netsim_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
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

var (
	soakTicks    = flag.Int("soak", 1000, "how many ticks TestMemoryStaysAsItIs takes for the first of its parts")
	soakParts    = flag.Int("soakparts", 3, "how many parts TestMemoryStaysAsItIs has, each as long as the first")
	soakProfiles = flag.String("soakprofiles", "", "a folder for its heap profiles")
)

type (
	soakPlace struct {
		X float32 `net:"range=-100..100,step=0.1"`
		Y float32 `net:"range=-100..100,step=0.1"`
	}
	soakBag  struct{ Counts [6]uint16 }
	soakName struct{ Of ecs.Entity }
	soakWord struct{ Number uint32 }

	// soakCart is steered and predicted by its player, and pushed by the server now and then.
	soakCart  struct{ X, Speed int32 }
	soakSteer struct{ Move int8 }
)

func soakProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "soak"})
	protocol.Component[soakPlace](p).Delta()
	protocol.Component[soakBag](p).Delta()
	protocol.Component[soakName](p)
	protocol.Component[components.ChildOf](p)
	protocol.Message[soakWord](p).Relay()
	protocol.Component[components.ControlledBy](p)
	protocol.Component[soakCart](p).Predict(protocol.Full)
	protocol.Input[soakSteer](p)
	return p
}

// soakRoll moves the carts on both sides.
func soakRoll(w *ecs.World) func() {
	carts := generic.NewFilter2[soakCart, soakSteer]().Without(generic.T[components.Remote]())
	return func() {
		for q := carts.Query(w); q.Next(); {
			c, s := q.Get()
			c.Speed = c.Speed*7/8 + int32(s.Move)
			c.X += c.Speed
		}
	}
}

// soakSteers writes a player's inputs.
func soakSteers(w *ecs.World) func() {
	mine, now := generic.NewFilter1[soakSteer]().With(generic.T[components.Controlled]()), ecs.GetResource[components.Time](w)
	return func() {
		for q := mine.Query(w); q.Next(); {
			q.Get().Move = int8(now.Tick/3%7) - 3
		}
	}
}

// pushing gives each player a cart, and pushes the carts unpredictably: they are rolled back.
func (s *soaking) pushing(w *ecs.World) func() {
	came := plugin.NewReader[plugin.ClientConnected](w)
	made := generic.NewMap4[soakSteer, soakCart, components.ControlledBy, components.Replicate](w)
	carts := generic.NewFilter1[soakCart]()
	return func() {
		for _, e := range came.Read() {
			made.NewWith(&soakSteer{}, &soakCart{}, &components.ControlledBy{Client: e.Client}, &components.Replicate{Predict: components.Owner})
		}
		for q := carts.Query(w); q.Next(); {
			if s.rng.IntN(40) == 0 {
				q.Get().Speed += 50
			}
		}
	}
}

// soaking is a game in which everything comes and goes: entities, groups, children, targets,
// components, messages.
type soaking struct {
	rng      *rand.Rand
	all      []ecs.Entity
	children bool // entities get children, so that Arche makes an archetype for each parent
}

const soakEntities = 60

func (s *soaking) system(w *ecs.World) func() {
	made := generic.NewMap3[soakPlace, soakName, components.Replicate](w)
	children := generic.NewMap2[soakPlace, components.ChildOf](w, generic.T[components.ChildOf]())
	bags, rooms, targets := generic.NewMap1[soakBag](w), plugin.NewRooms(w), ecs.GetResource[components.Targets](w)
	words := plugin.NewSender[soakWord](w)
	tick, bag := uint32(0), ecs.ComponentID[soakBag](w)
	return func() {
		tick++
		for len(s.all) < soakEntities {
			r := components.Replicate{Group: components.Group(s.rng.IntN(5))}
			switch s.rng.IntN(4) {
			case 0:
				r.Relevance = components.ByInterest
			case 1:
				r.Target = targets.Only(entangle.ClientID(1 + s.rng.IntN(4)))
			}
			e := made.NewWith(&soakPlace{}, &soakName{}, &r)
			if s.children && s.rng.IntN(3) == 0 {
				children.NewWith(&soakPlace{}, &components.ChildOf{}, e)
			}
			s.all = append(s.all, e)
		}
		for range 20 {
			i := s.rng.IntN(len(s.all))
			e := s.all[i]
			place, name, r := made.Get(e)
			switch s.rng.IntN(20) {
			case 0:
				w.RemoveEntity(e)
				s.all[i] = s.all[len(s.all)-1]
				s.all = s.all[:len(s.all)-1]
			case 1:
				r.Group = components.Group(s.rng.IntN(5))
			case 2:
				name.Of = s.all[s.rng.IntN(len(s.all))]
			case 3:
				if w.Has(e, bag) {
					w.Remove(e, bag)
				} else {
					w.Add(e, bag)
				}
			case 4:
				rooms.AddEntity(components.Room(1+s.rng.IntN(3)), e)
			case 5:
				rooms.RemoveEntity(components.Room(1+s.rng.IntN(3)), e)
			default:
				place.X, place.Y = s.rng.Float32()*100, s.rng.Float32()*100
				if w.Has(e, bag) {
					bags.Get(e).Counts[s.rng.IntN(6)]++
				}
			}
		}
		if tick%7 == 0 {
			_ = words.Send(components.Everyone, soakWord{Number: tick})
		}
	}
}

// newSoak makes a server with four clients, one of which leaves and comes back now and then.
func newSoak(t *testing.T, children bool) (sim *netsim.Sim, run func(ticks int)) {
	sim = netsim.New(t, netsim.Config{Seed: 1, Link: netsim.Symmetric(conditioner.Config{
		Latency: 30 * ms, Jitter: 10 * ms, Loss: 0.03, Duplicate: 0.01,
	})})
	server := newServer(t, sim.ServerConfig(soakProtocol()))
	s := &soaking{rng: rand.New(rand.NewPCG(1, 2)), children: children}
	server.AddSystem(plugin.FixedMain, plugin.Func(s.system))
	server.AddSystem(plugin.FixedMain, plugin.Func(s.pushing))
	server.AddSystem(plugin.FixedMain, plugin.Func(soakRoll))
	sim.AddServer(server, server)
	rooms := plugin.NewRooms(sim.World())
	for id := range entangle.ClientID(4) {
		c := newClient(t, sim.ClientConfig(soakProtocol()))
		c.AddSystem(plugin.AfterReceive, plugin.Func(func(w *ecs.World) func() {
			words := plugin.NewReader[plugin.MessageReceived[soakWord]](w)
			return func() { words.Read() }
		}))
		c.AddSystem(plugin.FixedInput, plugin.Func(soakSteers))
		c.AddSystem(plugin.FixedMain, plugin.Func(soakRoll))
		sim.AddClient(id+1, c, c)
		rooms.AddClient(components.Room(id%3+1), id+1)
	}
	leaves := sim.Peers()[3]
	return sim, func(ticks int) {
		const visit = 500
		for ; ticks > 0; ticks -= visit {
			sim.Run(visit / 2 * time.Second / 60)
			leaves.Disconnect()
			sim.Run(visit / 2 * time.Second / 60)
			leaves.Connect()
			rooms.AddClient(1, leaves.ID())
		}
	}
}

func soakHeap(t *testing.T, name string) int {
	runtime.GC()
	runtime.GC() // pools are empty after the second collection
	if *soakProfiles != "" {
		f, err := os.Create(*soakProfiles + "/" + name)
		require.NoError(t, err)
		require.NoError(t, pprof.Lookup("heap").WriteTo(f, 0))
		require.NoError(t, f.Close())
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// soakGrowth is the maximum growth of memory from the first part of a soak to the last, in percent.
// Lists reach their greatest length, and Arche's tables their greatest size, ever later and more
// rarely.
const soakGrowth = 15

// A game that goes on in the same way, prediction and rollbacks included, needs no more memory over
// time. A longer run, with profiles after each part:
//
//	go test ./netsim -run '^TestMemoryStaysAsItIs$' -v -soak 20000 -soakparts 10 -soakprofiles /tmp
func TestMemoryStaysAsItIs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, children := range map[string]bool{"flat": false, "with children": true} {
		t.Run(name, func(t *testing.T) {
			sim, run := newSoak(t, children)
			var heap []int
			for part := 1; part <= *soakParts; part++ {
				run(*soakTicks)
				heap = append(heap, soakHeap(t, fmt.Sprintf("%v-%d.pprof", children, part)))
				t.Logf("%d bytes after %d ticks", heap[part-1], part**soakTicks)
			}
			require.Less(t, heap[len(heap)-1], heap[0]+heap[0]*soakGrowth/100)
			for _, p := range sim.Peers() {
				require.True(t, p.Connected() || p.ID() == 4)
				rolled := p.Client().Stats().Rollbacks.Rollbacks[plugin.ByMismatch]
				require.Greater(t, rolled, uint64(*soakTicks/100), "rollbacks of client %d", p.ID())
			}
			runtime.KeepAlive(sim)
		})
	}
}
