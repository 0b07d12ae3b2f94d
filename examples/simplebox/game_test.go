package main

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/examples/internal/program"
	"github.com/entangle-ecs/entangle/examples/internal/smooth"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport/memory"
	"github.com/entangle-ecs/entangle/transport/token"
)

var firstSeed = flag.Uint64("seed", 1, "the first seed of the games that are played in one process")

var seeds = flag.Uint64("seeds", 3, "how many of them")

// table is the whole game in one process, on a clock that a test advances.
type table struct {
	t       testing.TB
	now     time.Time
	network *memory.Network
	place   *memory.Listener
	key     token.Key
	server  *serverGame
	world   ecs.World
	players []*player
}

type player struct {
	*clientGame
	world ecs.World
	line  *line
}

func newTable(t testing.TB, r rules) *table {
	g := &table{t: t, now: time.Unix(1_000_000, 0), network: memory.NewNetwork(), world: ecs.NewWorld()}
	g.place, g.key = g.network.Listener(), token.NewKey()
	server, err := newServerGame(plugin.ServerConfig{Protocol: newProtocol(), Clock: g.clock, Key: g.key}, r)
	require.NoError(t, err)
	g.server = server
	server.Initialize(&g.world)
	require.NoError(t, server.Start(g.place))
	return g
}

func (g *table) clock() time.Time { return g.now }

// join adds a player on a line of its own.
func (g *table) join(id entangle.ClientID, q quality, seed uint64) *player {
	client, err := newClientGame(plugin.ClientConfig{Protocol: newProtocol(), Clock: g.clock})
	require.NoError(g.t, err)
	p := &player{clientGame: client, world: ecs.NewWorld()}
	p.line = &line{inner: g.network.Dialer(), quality: q, seed: seed, clock: g.clock}
	client.Initialize(&p.world)
	ticket, err := plugin.MintToken(g.key, newProtocol().Name(), token.Claims{
		ClientID: id, Servers: g.server.Addrs(), Now: g.now,
	})
	require.NoError(g.t, err)
	require.NoError(g.t, client.Connect(p.line, ticket))
	g.players = append(g.players, p)
	return p
}

func (g *table) run(d time.Duration) {
	const frame = time.Second / tickRate
	for ; d > 0; d -= frame {
		g.now = g.now.Add(frame)
		g.server.Step(g.now)
		for _, p := range g.players {
			p.Step(g.now)
		}
	}
}

func (g *table) dump() string {
	return string(newDumper(newProtocol(), &g.world).dump())
}

func (p *player) dump() string {
	return string(newDumper(newProtocol(), &p.world).dump())
}

// difference returns the lines that only one of two dumps has.
func difference(server, client string) []string {
	var lines []string
	for _, side := range []struct{ name, has, lacks string }{{"server", server, client}, {"client", client, server}} {
		for _, line := range strings.Split(side.has, "\n") {
			if !strings.Contains("\n"+side.lacks, "\n"+line+"\n") && line != "" {
				lines = append(lines, side.name+": "+line)
			}
		}
	}
	return lines
}

func badLine() quality {
	return quality{Latency: program.Span(80 * time.Millisecond), Jitter: program.Span(20 * time.Millisecond), Loss: 0.2}
}

// The game is played over a bad line, and then stopped. In the end both clients have the server's
// boxes, dots and alarms.
//
// Proves: X1
func TestWorldsAreEqualWhenTheServerHoldsStill(t *testing.T) {
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Logf("again: go test ./simplebox -run TestWorldsAreEqualWhenTheServerHoldsStill -seed %d -seeds 1", seed)
			g := newTable(t, rules{dots: 200, seed: seed})
			g.join(1, badLine(), 2*seed)
			g.join(2, badLine(), 2*seed+1)
			g.run(6 * time.Second)
			assert.NotEmpty(t, difference(g.dump(), g.players[0].dump()), "a moving world is ahead of its clients")
			g.server.realm.still = true
			g.run(3 * time.Second)
			assert.NotZero(t, g.server.realm.eaten)
			want := g.dump()
			for _, p := range g.players {
				require.Equal(t, plugin.Connected, p.State())
				assert.Empty(t, difference(want, p.dump()), "client %d", p.ID())
			}
		})
	}
}

// A player steers its own box, and no other box.
func TestAPlayerSteersItsOwnBox(t *testing.T) {
	g := newTable(t, rules{seed: 1})
	a, b := g.join(1, quality{}, 1), g.join(2, quality{}, 2)
	a.helm.manual, b.helm.manual = true, true
	g.run(time.Second / 2)
	was := [2]Position{g.box(1), g.box(2)}
	a.helm.heading = Steer{DY: 1}
	if was[0].Y > fieldSize/2 {
		a.helm.heading = Steer{DY: -1}
	}
	g.run(time.Second)
	now := [2]Position{g.box(1), g.box(2)}
	assert.Equal(t, was[1], now[1])
	assert.Equal(t, was[0].X, now[0].X)
	moved := (now[0].Y - was[0].Y) * float32(a.helm.heading.DY)
	assert.InDelta(t, boxSpeed, moved, boxSpeed/10)
}

// On a bad line the clients' clocks become as far ahead as necessary: the server has nearly every
// input when its tick runs.
//
// Proves: X1
func TestInputsAreThereWhenTheirTicksRun(t *testing.T) {
	g := newTable(t, rules{dots: 50, seed: 1})
	a := g.join(1, badLine(), 1)
	g.run(10 * time.Second) // the clocks need the first seconds to adapt
	before := g.inputs(1)
	g.run(20 * time.Second)
	after := g.inputs(1)
	assert.GreaterOrEqual(t, after.InTime-before.InTime, uint64(19*tickRate))
	assert.LessOrEqual(t, after.Missing-before.Missing, uint64(20*tickRate/100))
	clock := a.Stats().Clock
	assert.True(t, clock.Synced)
	assert.Greater(t, clock.Lead, 80*tickRate/1000.0, "an input takes at least 80 ms")
	assert.Less(t, clock.Lead, 300*tickRate/1000.0)
	assert.InDelta(t, 1, clock.Speed, 0.05)
}

// inputs returns the counts of a client's inputs.
func (g *table) inputs(id entangle.ClientID) inputs {
	for _, c := range g.server.Clients() {
		if c.ID == id {
			return inputs{InTime: c.InputsInTime, Late: c.InputsLate, Missing: c.InputsMissing}
		}
	}
	return inputs{}
}

// box returns the position of a client's box.
func (g *table) box(id entangle.ClientID) Position {
	at := generic.NewMap[Position](&g.world)
	return *at.Get(g.server.realm.boxes[id])
}

// When a client disconnects, its box is removed on all sides.
func TestABoxLeavesWithItsClient(t *testing.T) {
	g := newTable(t, rules{dots: 3, seed: 1})
	a, b := g.join(1, quality{}, 1), g.join(2, quality{}, 2)
	g.run(time.Second)
	camera := newCamera(&a.world)
	before, _ := camera.nextSnapshot()
	require.Len(t, before.Boxes, 2)
	b.Disconnect()
	g.run(time.Second)
	after, entities := camera.nextSnapshot()
	require.Len(t, after.Boxes, 1)
	assert.Equal(t, entangle.ClientID(1), after.Boxes[0].Owner)
	assert.Equal(t, 4, entities)
}

// The number of dots stays as configured, however many are eaten.
func TestEatenDotsAreMadeUpFor(t *testing.T) {
	g := newTable(t, rules{dots: 300, seed: 1})
	g.join(1, quality{}, 1)
	g.run(5 * time.Second)
	require.NotZero(t, g.server.realm.eaten)
	snapshot, _ := newCamera(&g.world).nextSnapshot()
	assert.Len(t, snapshot.Dots, 300*dotBytes)
	assert.EqualValues(t, g.server.realm.eaten, snapshot.Boxes[0].Score)
}

// The dumps contain every component that is sent, so that no difference can remain unnoticed. Only
// components.Interpolated is not in the server's world.
func TestDumpsHoldEveryRegisteredComponent(t *testing.T) {
	p, w := newProtocol(), ecs.NewWorld()
	require.NoError(t, p.Err())
	var registered, dumped []string
	for line := range strings.Lines(p.String()) {
		if words := strings.Fields(line); words[0] == "component" && !strings.HasSuffix(words[2], ".Interpolated") {
			registered = append(registered, words[2])
		}
	}
	for _, c := range newDumper(p, &w).columns {
		dumped = append(dumped, c.typ.PkgPath()+"."+c.typ.Name())
	}
	assert.ElementsMatch(t, registered, dumped)
}

// Dumps depend neither on entity ids nor on the order in which entities were created.
func TestDumpsDependOnWhatEntitiesHoldAlone(t *testing.T) {
	spot := func(w *ecs.World, n uint32, x float32) {
		spawn := generic.NewMap3[ID, Position, components.Replicate](w)
		spawn.NewWith(&ID{N: n}, &Position{X: x}, &components.Replicate{})
	}
	a, b := ecs.NewWorld(), ecs.NewWorld()
	spot(&a, 1, 10)
	spot(&a, 2, 20)
	b.RemoveEntity(b.NewEntity())
	spot(&b, 2, 20.001) // the difference is below the precision of the wire
	spot(&b, 1, 10)
	dump := func(w *ecs.World) string {
		return string(newDumper(newProtocol(), w).dump())
	}
	assert.Equal(t, dump(&a), dump(&b))
	assert.NotEmpty(t, dump(&a))
	spoil(&b)
	assert.NotEqual(t, dump(&a), dump(&b))
}

// A box moves in the tick in which the key is pressed, and not a round trip later. Its twin shows
// its confirmed position.
//
// Proves: X1
func TestABoxMovesInTheTickOfItsKey(t *testing.T) {
	g := newTable(t, rules{seed: 1})
	a := g.join(1, quality{Latency: program.Span(100 * time.Millisecond)}, 1)
	a.helm.manual = true
	g.run(3 * time.Second)
	camera := newCamera(&a.world)
	was, _ := camera.nextSnapshot()
	require.Len(t, was.Twins, 1)
	a.helm.heading = Steer{DX: 1}
	if g.box(1).X > fieldSize/2 {
		a.helm.heading = Steer{DX: -1}
	}
	g.run(6 * time.Second / tickRate)
	now, _ := camera.nextSnapshot()
	assert.NotEqual(t, was.Boxes, now.Boxes)
	assert.Equal(t, was.Twins, now.Twins, "nothing of it has come back")
	g.run(2 * time.Second)
	assert.Zero(t, a.Stats().Rollbacks.Rollbacks[plugin.ByMismatch], "every input was there in time")
	later, _ := camera.nextSnapshot()
	assert.NotEqual(t, was.Twins, later.Twins)
}

// On a bad line, the box of another player, which runs in an octagon, neither stands still nor jumps. Without
// interpolation it does.
func TestTheBoxOfAnotherPlayerMovesSmoothly(t *testing.T) {
	motion := func(interpolate bool) (m smooth.Counts) {
		line := quality{Latency: program.Span(60 * time.Millisecond), Jitter: program.Span(15 * time.Millisecond), Loss: 0.05}
		g := newTable(t, rules{seed: 1})
		g.server.realm.interpolate = interpolate
		a, b := g.join(1, line, 1), g.join(2, line, 2)
		b.helm.manual = true
		g.run(5 * time.Second)
		places := generic.NewMap[Position](&g.world)
		*places.Get(g.server.realm.boxes[2]) = Position{X: fieldSize / 3, Y: fieldSize / 3}
		headings := []Steer{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}
		camera := generic.NewFilter1[Position]().With(generic.T[Box](), generic.T[components.Remote]()).Without(generic.T[components.ConfirmedOf]())
		var was Position
		for frame := range 30 * tickRate {
			b.helm.heading = headings[frame/30%len(headings)]
			g.run(time.Second / tickRate)
			for query := camera.Query(&a.world); query.Next(); {
				now := *query.Get()
				if frame > tickRate {
					m.Add(math.Hypot(float64(now.X-was.X), float64(now.Y-was.Y)), float64(boxSpeed)/tickRate)
				}
				was = now
			}
		}
		return m
	}
	on, off := motion(true), motion(false)
	t.Log("interpolated:", on, "as it arrives:", off)
	assert.Less(t, on.Stood+on.Jumped, on.Frames/100)
	assert.Greater(t, off.Stood+off.Jumped, off.Frames/5)
}

// On a line that becomes slower, inputs are late. The client rolls back and reports the reason.
//
// Proves: X1
func TestAClientSaysWhyItWentBack(t *testing.T) {
	g := newTable(t, rules{dots: 100, seed: 1})
	a := g.join(1, quality{Latency: program.Span(30 * time.Millisecond)}, 1)
	g.run(3 * time.Second)
	require.NoError(t, a.line.change(quality{Latency: program.Span(150 * time.Millisecond)}))
	g.run(3 * time.Second)
	assert.NotZero(t, a.Stats().Rollbacks.Rollbacks[plugin.ByMismatch])
	reports := a.Rollbacks()
	require.NotEmpty(t, reports)
	assert.Contains(t, reports[len(reports)-1].String(), "Position")
	t.Log(reports[len(reports)-1])
}
