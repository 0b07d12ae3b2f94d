package predict

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	whyPlace struct{ Pos, Vel struct{ X, Y float32 } }
	whyKeys  struct{ Left, Right bool }
	whyFuse  struct{ Left int32 }
	whyTag   struct{}
	whyWind  struct{ Strength float32 }
)

// explained is a world with rollbacks that the test reports by hand.
type explained struct {
	*Why
	world  *ecs.World
	time   *components.Time
	inputs *input.Inputs
	player ecs.Entity
	now    time.Time
}

func explainedProtocol() *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "why"})
	protocol.Component[components.ControlledBy](p)
	protocol.Component[components.SID](p)
	protocol.Component[whyPlace](p)
	protocol.Component[whyTag](p)
	protocol.Input[whyKeys](p)
	protocol.Local[whyFuse](p)
	protocol.Resource[whyWind](p).Rollback()
	return p
}

func newExplained(t *testing.T, keep int) *explained {
	p := explainedProtocol()
	require.NoError(t, registry.Seal(p))
	w := ecs.NewWorld()
	x := &explained{world: &w, time: &components.Time{}}
	ecs.AddResource(&w, x.time)
	x.inputs = input.NewClientInputs(&w, event.InstallHub(&w), p)
	x.Why = NewWhy(WhyConfig{
		World: &w, Protocol: p, Inputs: x.inputs, Keep: keep, Ticks: 8,
		Clock: func() time.Time { return x.now },
	})
	x.player = w.NewEntity(ecs.ComponentID[whyKeys](&w), ecs.ComponentID[components.Predicted](&w), ecs.ComponentID[components.Controlled](&w))
	return x
}

// tick runs a tick in which the player presses keys.
func (x *explained) tick(tick entangle.Tick, keys whyKeys) {
	x.time.Tick = tick
	x.inputs.Buffer()
	*(*whyKeys)(x.world.Get(x.player, ecs.ComponentID[whyKeys](x.world))) = keys
	x.inputs.Write(tick)
	x.NoteInputs()
}

// rolled records a rollback that takes a millisecond.
func (x *explained) rolled(from, to entangle.Tick, found ...WhyFinding) {
	for _, f := range found {
		x.Found(f)
	}
	x.Begin(from, to)
	x.now = x.now.Add(time.Millisecond)
	x.End()
}

func (x *explained) lines() (lines []string) {
	for _, r := range x.Reports() {
		lines = append(lines, r.String())
	}
	return lines
}

// columnNumber is the number of a component of explainedProtocol.
func columnNumber(t *testing.T, name string) int {
	p := explainedProtocol()
	for i, c := range registry.Of(p).Components {
		if c.Type.Name() == name {
			return i
		}
	}
	for i, l := range registry.Of(p).Locals {
		if l.Type.Name() == name {
			return len(registry.Of(p).Components) + i
		}
	}
	t.Fatalf("no %s", name)
	return 0
}

func floats(values ...float32) (memory []byte) {
	for _, v := range values {
		memory = binary.NativeEndian.AppendUint32(memory, math.Float32bits(v))
	}
	return memory
}

// Of the findings in a frame, the first of the restored tick is the reason; the others are counted.
func TestARollbackIsExplained(t *testing.T) {
	x := newExplained(t, 8)
	ball := x.world.NewEntity()
	x.tick(101, whyKeys{Left: true})
	x.tick(102, whyKeys{Right: true})
	x.tick(103, whyKeys{})
	place := columnNumber(t, "whyPlace")
	x.rolled(102, 103,
		WhyFinding{Tick: 103, Entity: ball, Column: place, Predicted: floats(9, 9, 9, 9), Confirmed: floats(8, 8, 8, 8)},
		WhyFinding{Tick: 102, Entity: x.player, Column: place, Predicted: floats(1, 2, 3, 4), Confirmed: floats(1, 2.5, 3, 5)},
		WhyFinding{Tick: 102, Entity: x.world.NewEntity(), Column: place, Predicted: floats(0, 0, 0, 0), Confirmed: floats(1, 1, 1, 1)})
	assert.Equal(t, []RollbackReport{{
		Tick: 102, Depth: 1, Reason: ByMismatch, Entity: x.player, Field: "whyPlace.Pos.Y", Predicted: "2", Confirmed: "2.5",
		Fields: 1, Input: "{Left:false Right:true}", Status: event.FreshInput, Entities: 2, Cost: time.Millisecond,
	}}, x.Reports())
	assert.Equal(t, []string{
		fmt.Sprintf("tick 102, 1 back, 1ms: whyPlace.Pos.Y of entity %v was 2, is 2.5 (and 1 more of its fields); "+
			"driven by {Left:false Right:true} (FreshInput); 2 more entities", x.player),
	}, x.lines())
}

// A report contains the entity's SID, if it has one.
func TestARollbackTellsTheSID(t *testing.T) {
	x := newExplained(t, 1)
	e := x.world.NewEntity(ecs.ComponentID[components.SID](x.world))
	*(*components.SID)(x.world.Get(e, ecs.ComponentID[components.SID](x.world))) = components.SID{ID: -7}
	x.rolled(4, 5, WhyFinding{Reason: BySpawn, Tick: 4, Entity: e, Column: -1})
	assert.Equal(t, []string{fmt.Sprintf("tick 4, 1 back, 1ms: the server spawned entity %v (SID -7)", e)}, x.lines())
	x.world.RemoveEntity(e)
	x.rolled(4, 5, WhyFinding{Reason: ByDespawn, Tick: 4, Entity: e, Column: -1})
	assert.Zero(t, x.Reports()[0].SID)
}

// Every reason has words of its own.
func TestRollbacksOfAllReasonsAreExplained(t *testing.T) {
	x := newExplained(t, 16)
	e := x.player
	x.tick(50, whyKeys{Left: true})
	tag, fuse := columnNumber(t, "whyTag"), columnNumber(t, "whyFuse")
	for _, f := range []WhyFinding{
		{Reason: ByStructure, Tick: 5, Entity: e, Column: -1},
		{Reason: ByStructure, Tick: 5, Entity: e, Column: tag, Predicted: []byte{}},
		{Reason: ByStructure, Tick: 5, Entity: e, Column: fuse, Confirmed: floats(0)},
		{Reason: BySpawn, Tick: 5, Entity: e, Column: -1},
		{Reason: ByDespawn, Tick: 5, Entity: e, Column: -1},
		{Reason: ByResource, Tick: 5, Column: 0, Predicted: floats(1), Confirmed: floats(-1)},
		{Reason: ByRequest, Tick: 5, Column: -1},
		{Reason: ByRequest, Tick: 5, Entity: e, Column: -1},
	} {
		x.rolled(5, 9, f)
	}
	x.rolled(5, 9)
	for i, want := range []string{
		"entity %v has other components on the server",
		"whyTag of entity %v was {}, is none",
		"whyFuse of entity %v was none, is {Left:0}",
		"the server spawned entity %v",
		"the server despawned entity %v",
		"whyWind.Strength was 1, is -1",
		"the game asked for it",
		"the game asked for it, for entity %v",
		"the game asked for it",
	} {
		if i != 5 && i != 6 && i != 8 {
			want = fmt.Sprintf(want, e)
		}
		assert.Equal(t, "tick 5, 4 back, 1ms: "+want, x.lines()[i])
	}
}

// Another player's input as known at the time is reported beside the one known now.
func TestARollbackByAnInputTellsBothInputs(t *testing.T) {
	x := newExplained(t, 1)
	x.tick(50, whyKeys{Left: true})
	x.Found(WhyFinding{Reason: ByInput, Tick: 50, Entity: x.player, Column: -1})
	x.Begin(49, 50)
	*(*whyKeys)(x.world.Get(x.player, ecs.ComponentID[whyKeys](x.world))) = whyKeys{Right: true}
	x.NoteInputs()
	x.End()
	assert.Equal(t, []string{fmt.Sprintf("tick 49, 1 back: input of entity %v was taken to be {Left:true Right:false} (FreshInput), "+
		"is {Left:false Right:true}", x.player)}, x.lines())
}

// The number of kept rollbacks is bounded, and findings without a rollback are dropped.
func TestOnlyTheLastRollbacksAreKept(t *testing.T) {
	x := newExplained(t, 2)
	for tick := range entangle.Tick(5) {
		x.Found(WhyFinding{Reason: ByDespawn, Tick: tick, Entity: x.player, Column: -1})
		x.Drop()
		x.rolled(tick, 9, WhyFinding{Reason: BySpawn, Tick: tick, Entity: x.player, Column: -1})
	}
	assert.Equal(t, 5, x.count)
	require.Len(t, x.Reports(), 2)
	for i, r := range x.Reports() {
		assert.Equal(t, RollbackReport{Tick: entangle.Tick(3 + i), Depth: 6 - i, Reason: BySpawn, Entity: x.player, Cost: time.Millisecond}, r)
	}
}

// A panic in a replay leaves a report without a cost, and the next is whole.
func TestARollbackThatDoesNotEndIsKept(t *testing.T) {
	x := newExplained(t, 4)
	x.Begin(1, 2)
	x.rolled(3, 4)
	assert.Equal(t, []string{"tick 1, 1 back: the game asked for it", "tick 3, 1 back, 1ms: the game asked for it"}, x.lines())
}

// A nil Why does nothing and costs nothing. Once its memory has grown, recording allocates nothing
// either.
func TestExplainingAllocatesNothing(t *testing.T) {
	var off *Why
	off.Found(WhyFinding{})
	off.Begin(1, 2)
	off.End()
	off.Drop()
	off.NoteInputs()
	assert.Empty(t, off.Reports())

	x := newExplained(t, 4)
	finding := WhyFinding{Tick: 101, Entity: x.player, Column: columnNumber(t, "whyPlace"), Predicted: floats(1, 2, 3, 4), Confirmed: floats(1, 2.5, 3, 5)}
	tick := entangle.Tick(100)
	work := func() {
		tick++
		x.tick(tick, whyKeys{Left: true})
		x.Found(finding)
		x.Begin(101, tick)
		x.End()
	}
	for range 64 {
		work()
	}
	assert.Zero(t, alloctest.Count(100, work))
}

// The counters can be printed.
func TestStatsOfPredictionAreOneLine(t *testing.T) {
	stats := PredictionStats{Resyncs: 1}
	assert.Equal(t, "0 rollbacks; 0 corrections, 1 resyncs", stats.String())
	stats = PredictionStats{Ticks: 30, Deepest: 9, Corrections: 5}
	stats.Rollbacks[ByMismatch], stats.Rollbacks[ByInput] = 2, 3
	assert.Equal(t, "5 rollbacks (mismatch 2, input 3) of 30 ticks, 9 in the deepest; 5 corrections, 0 resyncs", stats.String())
}
