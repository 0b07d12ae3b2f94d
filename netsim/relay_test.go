package netsim_test

import (
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

// drive is an input that contains the tick in which it has to act, and the id of its player.
type drive struct {
	Act    entangle.Tick
	Player uint8
	Kick   bool `net:"event"`
}

func driveProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "drive"})
	protocol.Component[Spot](p)
	protocol.Component[components.ControlledBy](p)
	protocol.Input[drive](p).Rebroadcast()
	return p
}

// driving is a game in which every player drives an entity and records the inputs of the entities
// of others.
type driving struct {
	t      *testing.T
	sim    *netsim.Sim
	server *driver // the server's world
}

// driver is one world of the game.
type driver struct {
	*netsim.Peer
	held     map[driven]taken
	reported []plugin.InputReceived[drive]
	none     bool // the player writes no input
}

// driven is an entity of another player in one tick.
type driven struct {
	entity ecs.Entity
	tick   entangle.Tick
}

// taken is an input that acted in a tick.
type taken struct {
	drive
	status plugin.InputStatus
}

func newDriver() *driver { return &driver{held: map[driven]taken{}} }

func newDriving(t *testing.T, link netsim.Link, adjust ...func(*plugin.ServerConfig)) *driving {
	d := &driving{t: t, sim: netsim.New(t, netsim.Config{Link: link}), server: newDriver()}
	c := d.sim.ServerConfig(driveProtocol())
	for _, a := range adjust {
		a(&c)
	}
	serve(t, d.sim, c, d.server.watches())
	return d
}

// newHostDriving is newDriving with a host. Its player has id 7.
func newHostDriving(t *testing.T, link netsim.Link) (d *driving, host *plugin.Host) {
	d = &driving{t: t, sim: netsim.New(t, netsim.Config{Link: link}), server: newDriver()}
	host, err := plugin.NewHost(d.sim.ServerConfig(driveProtocol()), 7)
	require.NoError(t, err)
	host.AddSystem(plugin.FixedInput, d.server.drives(7, host.Player().InputDelay))
	host.AddSystem(plugin.FixedMain, d.server.watches())
	d.sim.AddHost(host, host)
	return d, host
}

// join adds a player with an input delay.
func (d *driving) join(id entangle.ClientID, delay int) *driver {
	config := d.sim.ClientConfig(driveProtocol())
	config.InputDelay.Min = delay
	c := newClient(d.t, config)
	d2 := newDriver()
	c.AddSystem(plugin.FixedInput, d2.drives(id, c.InputDelay))
	c.AddSystem(plugin.FixedMain, d2.watches())
	d2.Peer = d.sim.AddClient(id, c, c)
	require.True(d.t, d.sim.RunUntil(10*time.Second, d2.Connected))
	return d2
}

// spawn makes an entity driven by a player.
func (d *driving) spawn(id entangle.ClientID, r components.Replicate) ecs.Entity {
	m := generic.NewMap4[Spot, drive, components.ControlledBy, components.Replicate](d.sim.World())
	return m.NewWith(&Spot{}, &drive{}, &components.ControlledBy{Client: id}, &r)
}

// drives returns a system that writes the tick in which the present input acts, with a kick every
// 16 ticks.
func (d *driver) drives(id entangle.ClientID, delay func() int) plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		own := generic.NewFilter2[drive, components.Controlled]()
		inputs := plugin.NewInputs[drive](w)
		now := ecs.GetResource[components.Time](w)
		return func() {
			act := now.Tick + entangle.Tick(delay())
			for q := own.Query(w); q.Next(); {
				in, _ := q.Get()
				*in = drive{Act: act, Player: uint8(id), Kick: act%16 == 0}
				if d.none {
					inputs.None(q.Entity())
				}
			}
		}
	})
}

// watches returns a system that records the inputs of entities that others drive.
func (d *driver) watches() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		all, own := generic.NewFilter1[drive](), generic.NewMap1[components.Controlled](w)
		inputs, events := plugin.NewInputs[drive](w), plugin.NewReader[plugin.InputReceived[drive]](w)
		now := ecs.GetResource[components.Time](w)
		return func() {
			for q := all.Query(w); q.Next(); {
				d.held[driven{q.Entity(), now.Tick}] = taken{*q.Get(), inputs.Status(q.Entity())}
			}
			for _, e := range events.Read() {
				if !w.Alive(e.Entity) || own.Get(e.Entity) == nil {
					d.reported = append(d.reported, e)
				}
			}
		}
	})
}

// run lets time pass, and clears the records after the first part of it.
func (d *driving) run(delay, then time.Duration, all ...*driver) {
	d.sim.Run(delay)
	for _, driver := range append(all, d.server) {
		clear(driver.held)
		driver.reported = nil
	}
	d.sim.Run(then)
}

// of returns what a player has recorded of an entity of the server, tick by tick.
func (d *driving) of(driver *driver, e ecs.Entity) map[entangle.Tick]taken {
	if driver.Peer != nil {
		local, ok := driver.Local(e)
		require.True(d.t, ok, "player %d has no such entity", driver.ID())
		e = local
	}
	seen := map[entangle.Tick]taken{}
	for at, what := range driver.held {
		if at.entity == e {
			seen[at.tick] = what
		}
	}
	require.NotEmpty(d.t, seen)
	return seen
}

// statuses counts an entity's ticks by input status.
func statuses(seen map[entangle.Tick]taken) map[plugin.InputStatus]int {
	n := map[plugin.InputStatus]int{}
	for _, what := range seen {
		n[what.status]++
	}
	return n
}

// With an input delay that covers the latency between two players, and its variation, every input
// of another player arrives in time for its tick on every client. Each client then computes the
// same as the server, and there are no mispredictions and no rollbacks.
//
// Proves: I6, I12
func TestWithADelayTheInputsOfOthersAreThereInTheirTick(t *testing.T) {
	for name, link := range map[string]netsim.Link{
		"near": {}, "jitter": rough(50*ms, 10*ms, 0), "far": rough(100*ms, 20*ms, 0),
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriving(t, link)
			delay := int(link.RoundTrip()*60/time.Second) + 8
			a, b := d.join(1, delay), d.join(2, delay)
			ofA, ofB := d.spawn(1, components.Replicate{}), d.spawn(2, components.Replicate{})
			d.run(12*time.Second, 10*time.Second, a, b) // the clocks settle in the first part
			d.requireFresh(b, ofA, 1)
			d.requireFresh(a, ofB, 2)
		})
	}
}

// requireFresh checks that a player has recorded the same inputs of an entity as the server, tick
// by tick, each reported once.
func (d *driving) requireFresh(driver *driver, e ecs.Entity, owner entangle.ClientID) {
	d.t.Helper()
	seen, server := d.of(driver, e), d.of(d.server, e)
	require.Equal(d.t, map[plugin.InputStatus]int{plugin.FreshInput: len(seen)}, statuses(seen))
	for tick, what := range seen {
		require.Equal(d.t, drive{tick, uint8(owner), tick%16 == 0}, what.drive)
		if truth, ran := server[tick]; ran {
			require.Equal(d.t, truth, what)
		}
	}
	reported := map[entangle.Tick]int{}
	for _, h := range driver.reported {
		if h.Client == owner {
			reported[h.Tick]++
			require.Equal(d.t, taken{h.Input, h.Status}, seen[h.Tick])
		}
	}
	for tick := range seen {
		require.Equal(d.t, 1, reported[tick], "tick %d", tick)
	}
}

// On a line that loses packets, an input of another player either equals the server's, or is
// missing and the previous one is repeated without its events. Each event acts once.
//
// Proves: I5, I6
func TestALossyLineRepeatsTheInputsOfOthers(t *testing.T) {
	for _, loss := range []float64{0.05, 0.2} {
		for _, delay := range []int{0, 14} {
			d := newDriving(t, rough(50*ms, 10*ms, loss))
			a, b := d.join(1, delay), d.join(2, delay)
			e := d.spawn(1, components.Replicate{})
			d.run(5*time.Second, 10*time.Second, a, b)
			seen, server := d.of(b, e), d.of(d.server, e)
			kicks := map[entangle.Tick]int{}
			for tick, what := range seen {
				truth, ran := server[tick]
				switch {
				case what.status == plugin.FreshInput && ran:
					assert.Equal(t, truth, what)
				case what.status == plugin.RepeatedInput:
					assert.True(t, what.Act.Before(tick))
					assert.LessOrEqual(t, tick.Sub(what.Act), int32(30))
					assert.False(t, what.Kick)
				}
				if what.Kick {
					kicks[what.Act]++
				}
			}
			for act, n := range kicks {
				assert.Equal(t, 1, n, "the kick of tick %d", act)
			}
			n := statuses(seen)
			assert.Zero(t, n[plugin.NoInput])
			if delay > 0 {
				assert.Greater(t, n[plugin.FreshInput], len(seen)*95/100, "%v", n)
			}
		}
	}
}

// If a player has no input in a tick, this is sent to the other players, too, and they repeat
// nothing.
//
// Proves: I5
func TestMissingInputsOfOthersAreRelayed(t *testing.T) {
	d := newDriving(t, rough(50*ms, 10*ms, 0))
	a, b := d.join(1, 14), d.join(2, 14)
	e := d.spawn(1, components.Replicate{})
	d.sim.Run(5 * time.Second)
	a.none = true
	d.run(time.Second, time.Second, a, b)
	seen := d.of(b, e)
	assert.Equal(t, map[plugin.InputStatus]int{plugin.NoInput: len(seen)}, statuses(seen))
	for _, what := range seen {
		assert.Zero(t, what.drive)
	}
	assert.Empty(t, b.reported)
	a.none = false
	d.run(time.Second, time.Second, a, b)
	d.requireFresh(b, e, 1)
}
