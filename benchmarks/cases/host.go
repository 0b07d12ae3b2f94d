package cases

import (
	"errors"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// The case host measures what it costs a single-player game to be a server that others could join.
// One operation is a tick of a Host with 1,000 entities that all move and are all shown to its own
// player. No other player is connected. The limit is the same system in the same kind of world,
// without a Host.
const hostEntities = 1_000

func hostVariants() []report.Variant {
	return []report.Variant{{Name: "host/alone", Prepare: hostPrepare}}
}

// hostGame is a Host, and an equal world without one.
type hostGame struct {
	now        time.Time
	host       *plugin.Host
	with, bare hostDrift // the system that moves the entities, in each world
	ours, hand ecs.World
}

func hostPrepare() (report.Sides, error) {
	g := &hostGame{now: time.Unix(1_000_000, 0), ours: ecs.NewWorld(hostEntities), hand: ecs.NewWorld(hostEntities)}
	if err := g.start(); err != nil {
		return report.Sides{}, err
	}
	g.bare.Initialize(&g.hand)
	for g.with.ticks < hostSettle {
		g.runFrame()
	}
	for g.bare.ticks < g.with.ticks {
		g.bare.Update(&g.hand)
	}
	return report.Sides{
		Before: func() { g.now = g.now.Add(time.Second / time.Duration(g.host.TickRate())) },
		Ours:   func() { g.host.Step(g.now) },
		Limit:  func() { g.bare.Update(&g.hand) },
		Verify: g.verify,
		Close:  func() { _ = g.host.Stop() },
	}, nil
}

// hostSettle is how many ticks run before the measurement.
const hostSettle = 100

func (g *hostGame) start() (err error) {
	p := protocol.New(protocol.Config{Name: "host benchmark"})
	protocol.Component[workload.Place](p)
	if g.host, err = plugin.NewHost(plugin.ServerConfig{Protocol: p, Clock: func() time.Time { return g.now }}, 1); err != nil {
		return err
	}
	g.host.AddSystem(plugin.FixedMain, &g.with)
	g.host.Initialize(&g.ours)
	for _, w := range []*ecs.World{&g.ours, &g.hand} {
		for range hostEntities {
			w.NewEntity(ecs.ComponentID[components.Replicate](w), ecs.ComponentID[workload.Place](w))
		}
	}
	if err := g.host.Start(); err != nil {
		return err
	}
	return g.host.Player().Connect(nil)
}

func (g *hostGame) runFrame() {
	g.now = g.now.Add(time.Second / time.Duration(g.host.TickRate()))
	g.host.Step(g.now)
}

// verify compares the two worlds.
func (g *hostGame) verify() error {
	if !g.host.Player().Joined() {
		return errors.New("the host's player has not joined")
	}
	if g.with.ticks != g.bare.ticks || !slices.Equal(g.with.places(&g.ours), g.bare.places(&g.hand)) {
		return errors.New("the host's world is not what its systems make of it alone")
	}
	return nil
}

// hostDrift moves all entities to and fro.
type hostDrift struct {
	filter generic.Filter1[workload.Place]
	ticks  int
}

// Initialize implements plugin.System.
func (d *hostDrift) Initialize(*ecs.World) { d.filter = *generic.NewFilter1[workload.Place]() }

// Update implements plugin.System.
func (d *hostDrift) Update(w *ecs.World) {
	d.ticks++
	pace := float32(0.125)
	if d.ticks&64 != 0 {
		pace = -pace
	}
	for q := d.filter.Query(w); q.Next(); {
		place := q.Get()
		place.X, place.Y = place.X+pace, place.Y-pace
	}
}

func (d *hostDrift) places(w *ecs.World) (all []workload.Place) {
	for q := d.filter.Query(w); q.Next(); {
		all = append(all, *q.Get())
	}
	return all
}

// Finalize implements plugin.System.
func (d *hostDrift) Finalize(*ecs.World) {}
