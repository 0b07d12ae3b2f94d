package netsim_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// backstage is a game with entities that everybody sees, some of them in one group,
// and something that client 2 does not.
type backstage struct {
	world   *ecs.World
	m       generic.Map3[Spot, Health, components.Replicate]
	targets *components.Targets
	open    []ecs.Entity
	tick    int
}

// group is that of some of the entities that everybody sees.
const group = 5

func (b *backstage) spawn(target components.Target, group components.Group) ecs.Entity {
	return b.m.NewWith(&Spot{}, &Health{}, &components.Replicate{Target: target, Group: group})
}

// runBackstage returns all datagrams from and to client 2 of a game in which each tick
// does something that it may not see.
func runBackstage(t *testing.T, behind func(*backstage)) (all []string) {
	sim := netsim.New(t, netsim.Config{Seed: 5, Link: netsim.Link{}})
	server, err := plugin.NewServer(sim.ServerConfig(sceneProtocol()))
	require.NoError(t, err)
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
	sim.AddServer(server, server)
	join(t, sim, 1)
	watched := join(t, sim, 2)
	lines := map[netip.AddrPort][]string{}
	sim.Network().Tap(func(from, to netip.AddrPort, datagram []byte) {
		line := fmt.Sprintf("%v %v to %v: %x", sim.Clock().Since(), from, to, datagram)
		lines[from], lines[to] = append(lines[from], line), append(lines[to], line)
	})
	sim.Run(4 * time.Second)
	require.True(t, watched.Connected())
	require.NoError(t, sim.Equal())
	for _, c := range server.Clients() {
		if c.ID == 2 {
			all = lines[c.Addr]
		}
	}
	require.NotEmpty(t, all)
	return all
}

// hides does something with an entity that client 2 may not see, from its spawn to its
// end.
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

// What a client is sent is the same, bit by bit, whether something that it may not see
// is there or not, stands still, changes, moves from group to group, or dies.
//
// Proves: R34
func TestHiddenEntitiesChangeNoByte(t *testing.T) {
	nobody := func(*components.Targets) components.Target { return components.Nobody }
	first := func(sets *components.Targets) components.Target { return sets.Only(1) }
	want := runBackstage(t, func(*backstage) {})
	for name, behind := range map[string]func(*backstage){
		"nobody's, still":     hides(nobody, 0, func(*backstage, ecs.Entity) {}),
		"nobody's, changing":  hides(nobody, 0, (*backstage).stir),
		"another's, still":    hides(first, 0, func(*backstage, ecs.Entity) {}),
		"another's, changing": hides(first, 0, (*backstage).stir),
		"another's, retargeted": hides(first, 0, func(b *backstage, e ecs.Entity) {
			b.tag(e).Target = []components.Target{b.targets.Only(1), components.Nobody, b.targets.Only(1, 3)}[b.tick%3]
		}),
		"another's, moving": hides(first, 7, func(b *backstage, e ecs.Entity) {
			b.tag(e).Group = components.Group(b.tick % 3 * 11)
		}),
	} {
		t.Run(name, func(t *testing.T) { requireSameLines(t, want, runBackstage(t, behind)) })
	}
}

func (b *backstage) tag(e ecs.Entity) *components.Replicate {
	_, _, tag := b.m.Get(e)
	return tag
}

// stir changes a value of an entity, and its components.
func (b *backstage) stir(e ecs.Entity) {
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

func requireSameLines(t *testing.T, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			require.Failf(t, "other bytes", "datagram %d is\n%s, should be\n%s", i, got[i], want[i])
		}
	}
	assert.Len(t, got, len(want))
}

// In a group that a client sees a part of, what becomes of the rest changes no byte
// either, be it there or not.
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
		"components": (*backstage).stir,
		"targets": func(b *backstage, e ecs.Entity) {
			b.tag(e).Target = []components.Target{b.targets.Only(1), components.Nobody, b.targets.Only(1, 3)}[b.tick%3]
		},
		"groups": func(b *backstage, e ecs.Entity) {
			b.tag(e).Group = components.Group(b.tick / 7 % 2 * group)
		},
	} {
		t.Run(name, func(t *testing.T) { requireSameLines(t, want, runBackstage(t, partly(hides(first, group, each)))) })
	}
}

// A component that a client may not see changes no byte, whether it is there or not,
// beside those that it sees.
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
		requireSameLines(t, want, got)
	}
}
