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
)

// passedOn returns how many runs of inputs of other players a player has received.
func (d *driver) passedOn() uint64 { return d.Client().Stats().InputsOfOthers.Received }

// A client is sent the inputs of the entities that it sees, and no others. It is not sent those of
// an entity that is not for it, of an entity with an override that hides the input, or of an entity
// in a room that the client has left. The inputs of an entity start and stop together with the
// entity.
//
// Proves: I6, R34
func TestOnlyClientsThatSeeAPlayerGetItsInputs(t *testing.T) {
	d := newDriving(t, rough(30*ms, 5*ms, 0))
	a, b, c := d.join(1, 10), d.join(2, 10), d.join(3, 10)
	e := d.spawn(1, components.Replicate{})
	w := d.sim.World()
	targets, rooms := ecs.GetResource[components.Targets](w), plugin.NewRooms(w)
	override := plugin.NewOverride[drive](w)
	tag := generic.NewMap1[components.Replicate](w)
	const room components.Room = 4
	for id := entangle.ClientID(1); id <= 3; id++ {
		require.True(t, d.sim.RunUntil(time.Second, func() bool { return rooms.AddClient(room, id) }), "the server has heard of it")
	}

	for _, step := range []struct {
		name string
		do   func()
		sees bool
	}{
		{"everybody's", func() {}, true},
		{"another's", func() { tag.Get(e).Target = targets.Only(1, 3) }, false},
		{"its own again", func() { tag.Get(e).Target = components.Everyone }, true},
		{"hidden input", func() { override.SetTarget(e, targets.Only(1, 3)) }, false},
		{"shown input", func() { override.Clear(e) }, true},
		{"in its room", func() { tag.Get(e).Target = targets.Room(room) }, true},
		{"in a room that it left", func() { rooms.RemoveClient(room, 2) }, false},
		{"in a room that it came back to", func() { rooms.AddClient(room, 2) }, true},
		{"paused", func() { tag.Remove(e) }, false},
		{"resumed", func() { tag.Add(e) }, true},
	} {
		step.do()
		d.sim.Run(300 * ms)
		before, control := b.passedOn(), c.passedOn()
		d.sim.Run(time.Second)
		if step.sees {
			assert.Greater(t, b.passedOn(), before+50, step.name)
		} else {
			assert.Equal(t, before, b.passedOn(), step.name)
		}
		if step.name != "paused" {
			assert.Greater(t, c.passedOn(), control+50, step.name)
		}
	}
	assert.Zero(t, a.passedOn(), "nobody is sent its own inputs")
}

// runHidden returns the datagrams of client 3, while client 1 drives an entity that is partly
// hidden from client 3.
func runHidden(t *testing.T, idle bool, hide func(w *ecs.World, e ecs.Entity)) (all []string) {
	d := newDriving(t, netsim.Link{})
	a, c := d.join(1, 3), d.join(3, 3)
	a.none = idle
	e := d.spawn(1, components.Replicate{Target: ecs.GetResource[components.Targets](d.sim.World()).Only(1, 2)})
	hide(d.sim.World(), e)
	all = datagramsOf(t, d.sim, 3)
	require.True(t, c.Connected())
	return all
}

// The inputs of a player change no byte for clients that do not see the player, or do not see its
// inputs.
//
// Proves: R34
func TestHiddenInputsChangeNoByte(t *testing.T) {
	for name, hide := range map[string]func(w *ecs.World, e ecs.Entity){
		"entity": func(*ecs.World, ecs.Entity) {},
		"input": func(w *ecs.World, e ecs.Entity) {
			override := plugin.NewOverride[drive](w)
			override.SetTarget(e, ecs.GetResource[components.Targets](w).Only(1, 2))
			tag := generic.NewMap1[components.Replicate](w)
			tag.Get(e).Target = components.Everyone
		},
	} {
		t.Run(name, func(t *testing.T) { requireSameDatagrams(t, runHidden(t, true, hide), runHidden(t, false, hide)) })
	}
}

// A client that joins late, or reconnects, is sent the inputs of all players from the time on when
// it has their entities.
//
// Proves: I6
func TestALateClientIsSentInputs(t *testing.T) {
	d := newDriving(t, rough(40*ms, 5*ms, 0.02))
	a := d.join(1, 14)
	e := d.spawn(1, components.Replicate{})
	d.sim.Run(3 * time.Second)
	late := d.join(2, 14)
	d.run(10*time.Second, 3*time.Second, a, late)
	n := statuses(d.of(late, e))
	assert.Greater(t, n[plugin.FreshInput], 170, "%v", n)
	late.Disconnect()
	d.sim.Run(time.Second)
	late.Connect()
	d.run(10*time.Second, 3*time.Second, a, late)
	n = statuses(d.of(late, e))
	assert.Greater(t, n[plugin.FreshInput], 170, "%v", n)
}

// When an entity changes its owner, other clients receive its inputs with the new owner's id, and
// no input of the previous owner acts after that.
//
// Proves: I1
func TestInputsCarryTheOwnersID(t *testing.T) {
	d := newDriving(t, rough(30*ms, 5*ms, 0))
	a, b, c := d.join(1, 10), d.join(2, 10), d.join(3, 10)
	e := d.spawn(1, components.Replicate{})
	d.run(3*time.Second, 0, a, b, c)
	control := generic.NewMap1[components.ControlledBy](d.sim.World())
	for _, owner := range []entangle.ClientID{3, 1, 3, entangle.Nobody, 1} {
		control.Get(e).Client = owner
		d.sim.Run(700 * ms)
		at := d.of(b, e)[b.Client().Tick()]
		assert.EqualValues(t, owner, at.Player)
		assert.Equal(t, owner != entangle.Nobody, at.status != plugin.NoInput)
	}
	owners := map[entangle.ClientID]int{}
	for _, h := range b.reported {
		owners[h.Client]++
		assert.EqualValues(t, h.Client, h.Input.Player)
	}
	assert.Len(t, owners, 2)
}

// Entities with inputs are spawned and despawned and players join and leave on a bad line, and no
// data of removed entities and players remains.
//
// Proves: I6
func TestPlayersJoinAndLeaveDuringInputs(t *testing.T) {
	d := newDriving(t, rough(50*ms, 20*ms, 0.1))
	a, b := d.join(1, 4), d.join(2, 14)
	m := generic.NewMap1[drive](d.sim.World())
	var last ecs.Entity
	for i := range 40 {
		e := d.spawn(entangle.ClientID(1+i%2), components.Replicate{})
		d.sim.Run(200 * ms)
		switch i % 4 {
		case 0:
			m.Remove(e)
		case 1:
			d.sim.World().RemoveEntity(e)
		case 2:
			m.Remove(e)
			m.Add(e)
		}
		if i%10 == 9 {
			a.Disconnect()
			d.sim.Run(500 * ms)
			a.Connect()
		}
		last = e
	}
	d.run(10*time.Second, time.Second, a, b)
	require.True(t, a.Connected() && b.Connected())
	d.sim.ExpectEqual()
	if local, ok := a.Local(last); assert.True(t, ok) {
		assert.NotEmpty(t, a.held[driven{local, a.Client().Tick()}].Act)
	}
}
