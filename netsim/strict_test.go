package netsim_test

import (
	"fmt"
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

type (
	buggy struct{ X float32 }
	halo  struct{ Size float32 } // is not in the protocol
)

// buggies is a server with three buggies, and a client with systems of its own, which predicts one
// of the buggies.
type buggies struct {
	sim    *netsim.Sim
	server *plugin.Server
	client *plugin.Client
	peer   *netsim.Peer
}

func newBuggies(t *testing.T, add func(*plugin.Client)) *buggies {
	protocolOf := func() *protocol.Protocol {
		p := protocol.New(protocol.Config{Name: "buggies"})
		protocol.Component[buggy](p).Predict(protocol.Full)
		return p
	}
	b := &buggies{sim: netsim.New(t, netsim.Config{Link: rough(30*ms, 0, 0)})}
	var err error
	b.server, err = plugin.NewServer(b.sim.ServerConfig(protocolOf()))
	require.NoError(t, err)
	b.server.AddSystem(plugin.FixedMain, plugin.Func(drivesOn))
	b.sim.AddServer(b.server, b.server)
	make := generic.NewMap2[buggy, components.Replicate](b.sim.World())
	make.NewWith(&buggy{}, &components.Replicate{Predict: components.Everyone})
	make.NewWith(&buggy{X: 100}, &components.Replicate{})
	make.NewWith(&buggy{X: 200}, &components.Replicate{})
	b.client, err = plugin.NewClient(b.sim.ClientConfig(protocolOf()))
	require.NoError(t, err)
	add(b.client)
	b.peer = b.sim.AddClient(1, b.client, b.client)
	return b
}

// mains adds systems to FixedMain.
func mains(systems ...func(*ecs.World) func()) func(*plugin.Client) {
	return func(c *plugin.Client) {
		for _, sys := range systems {
			c.AddSystem(plugin.FixedMain, plugin.Func(sys))
		}
	}
}

// drivesOn is a correct system, which is the same on both sides.
func drivesOn(w *ecs.World) func() {
	all := generic.NewFilter1[buggy]().Without(generic.T[components.Remote]())
	return func() {
		for q := all.Query(w); q.Next(); {
			q.Get().X++
		}
	}
}

// drivesOver is an incorrect system: it also writes entities that it must not drive.
func drivesOver(w *ecs.World) func() {
	all := generic.NewFilter1[buggy]()
	return func() {
		for q := all.Query(w); q.Next(); {
			q.Get().X++
		}
	}
}

// drivesOnce does the same as drivesOver in a single tick, and moves an entity to another archetype
// in that tick.
func drivesOnce(w *ecs.World) func() {
	drive, halos := drivesOver(w), generic.NewMap1[halo](w)
	remote := generic.NewFilter1[buggy]().With(generic.T[components.Remote]())
	done := false
	return func() {
		q := remote.Query(w)
		if done || q.Count() < 2 {
			q.Close()
			return
		}
		q.Next()
		first := q.Entity()
		q.Close()
		drive()
		halos.Add(first)
		done = true
	}
}

// glows writes a component that is not in the protocol, on all entities.
func glows(w *ecs.World) func() {
	bare, all := generic.NewFilter1[buggy]().Without(generic.T[halo]()), generic.NewFilter1[halo]()
	add := generic.NewMap1[halo](w)
	return func() {
		var found []ecs.Entity
		for q := bare.Query(w); q.Next(); {
			found = append(found, q.Entity())
		}
		for _, e := range found {
			add.Add(e)
		}
		for q := all.Query(w); q.Next(); {
			q.Get().Size++
		}
	}
}

// A system may move entities on the server, where they are predicted, and in replays. If it writes
// replicated values elsewhere, it is named, with the entity and the component. Components that are
// not in the protocol may be written on any entity.
//
// Proves: B24
func TestASystemThatWritesReplicatedValuesIsNamed(t *testing.T) {
	b := newBuggies(t, mains(drivesOn, glows))
	b.sim.Run(5 * time.Second)
	require.Equal(t, plugin.Connected, b.client.State())
	before := b.client.Stats().Rollbacks
	plugin.RequestRollback(b.client.World(), b.client.Tick()-5)
	b.sim.Run(time.Second)
	after := b.client.Stats().Rollbacks
	assert.EqualValues(t, 5, after.Ticks-before.Ticks)
	assert.Equal(t, before.Corrections, after.Corrections)

	for name, bad := range map[string]func(*ecs.World) func(){"drivesOver": drivesOver, "drivesOnce": drivesOnce} {
		b = newBuggies(t, mains(drivesOn, bad))
		sent := panicOf(func() { b.sim.Run(5 * time.Second) })
		require.Contains(t, sent, "netsim_test."+name+" (strict_test.go:")
		assert.Contains(t, sent, "wrote netsim_test.buggy of entity ")
		assert.Contains(t, sent, "filter with Without(generic.T[components.Remote]())")
		found := 0
		for q := generic.NewFilter0().With(generic.T[components.Remote]()).Query(b.client.World()); q.Next(); {
			found += strings.Count(sent, fmt.Sprint("of entity ", q.Entity(), ", which has components.Remote"))
		}
		assert.Equal(t, 1, found)
	}
}

// panicOf returns the value with which do panics.
func panicOf(do func()) (message string) {
	defer func() { message = fmt.Sprint(recover()) }()
	do()
	return ""
}

// Only systems of FixedMain run in a replay, each with the tick that is being replayed.
//
// Proves: B24, S8
func TestOnlyFixedMainIsReplayed(t *testing.T) {
	ran := map[plugin.Set][]entangle.Tick{}
	recording := false
	note := func(set plugin.Set) plugin.System {
		return plugin.Func(func(w *ecs.World) func() {
			time := ecs.GetResource[components.Time](w)
			return func() {
				if recording && time.Replaying {
					ran[set] = append(ran[set], time.Tick)
				}
			}
		})
	}
	b := newBuggies(t, func(c *plugin.Client) {
		mains(drivesOn)(c)
		for set := plugin.AfterReceive; set <= plugin.AfterSend; set++ {
			c.AddSystem(set, note(set))
		}
	})
	b.sim.Run(5 * time.Second)
	recording = true
	now := b.client.Tick()
	plugin.RequestRollback(b.client.World(), now-3)
	b.sim.Run(200 * ms)
	assert.Equal(t, map[plugin.Set][]entangle.Tick{plugin.FixedMain: {now - 2, now - 1, now}}, ran)
}

// If a system leaves the game during a replay, the client leaves when the replay is over.
func TestLeavingInAReplayWaitsForItsEnd(t *testing.T) {
	var states []plugin.State
	leaves := false
	b := newBuggies(t, func(c *plugin.Client) {
		mains(drivesOn)(c)
		c.AddSystem(plugin.FixedMain, plugin.Func(func(w *ecs.World) func() {
			time := ecs.GetResource[components.Time](w)
			return func() {
				if time.Replaying && leaves {
					c.Disconnect()
					states = append(states, c.State())
				}
			}
		}))
	})
	b.sim.Run(5 * time.Second)
	leaves = true
	plugin.RequestRollback(b.client.World(), b.client.Tick()-3)
	b.sim.Run(100 * ms)
	assert.Equal(t, []plugin.State{plugin.Connected, plugin.Connected, plugin.Connected}, states)
	assert.Equal(t, plugin.Disconnected, b.client.State())
	assert.EqualError(t, b.client.Err(), "the client left")
}
