package systems

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// rerun is a client's world with a player who drives one entity, and another player who
// drives another.
type rerun struct {
	*crowded
	Replayer
	mine, theirs ecs.Entity
	kind         int
	delay        int
	log          []string
}

// act is a system of the game.
type act func(w *ecs.World)

func (a act) Initialize(*ecs.World) {}
func (a act) Update(w *ecs.World)   { a(w) }
func (a act) Finalize(*ecs.World)   {}

func newRerun() *rerun {
	r := &rerun{crowded: newCrowded(2)}
	p, hub := shoveProtocol(), HubOf(r.world)
	r.mine, r.theirs, r.kind = r.all[0], r.all[1], r.number("shove")
	r.Replayer = Replayer{
		Schedule: &Schedule{}, Time: &components.Time{Tick: 1000}, Hub: hub, Post: NewPost(p, false),
		Inputs: NewClientInputs(r.world, hub, p),
	}
	ecs.AddResource(r.world, r.Time)
	r.Inputs.own.delay = func() int { return r.delay }
	r.Inputs.rest.find = r.others.find
	r.others = r.Inputs.rest
	r.others.tick = r.Time.Tick
	r.world.Add(r.mine, ecs.ComponentID[components.Controlled](r.world))
	r.Schedule.Bind(TickUpdate, func(*ecs.World) { r.Time.Tick++ })
	r.Schedule.Bind(BufferInputs, func(*ecs.World) { r.Inputs.Buffer() })
	r.Schedule.Bind(WriteInputs, func(*ecs.World) { r.Inputs.Write(r.Time.Tick) })
	r.Schedule.Bind(ClearInputs, func(*ecs.World) { r.Inputs.Clear() })
	return r
}

func (r *rerun) of(e ecs.Entity) *shove {
	return (*shove)(r.world.Get(e, r.others.kinds[r.kind].id))
}

// writes has the player write the tick's number.
func (r *rerun) writes() {
	r.Schedule.Add(BufferInputs, act(func(*ecs.World) {
		*r.of(r.mine) = shove{Act: uint32(r.Time.Tick), Kick: r.Time.Tick%4 == 0}
	}))
}

// notes takes down what each tick was computed with.
func (r *rerun) notes() {
	r.Schedule.Add(Main, act(func(*ecs.World) {
		line := fmt.Sprintf("%d:", r.Time.Tick)
		for _, e := range []ecs.Entity{r.mine, r.theirs} {
			in := r.of(e)
			line += fmt.Sprintf(" %d %t %v", in.Act, in.Kick, r.Inputs.Status(r.kind, e))
		}
		r.log = append(r.log, line)
	}))
}

// said is a frame with which the server passes on what the other player does.
func (r *rerun) said(newest entangle.Tick, acts ...uint32) {
	codec := r.others.kinds[r.kind].codec
	w := input.NewWriter(codec, 60, 0)
	for i, n := range acts {
		value := make([]byte, codec.Size())
		*(*shove)(unsafe.Pointer(&value[0])) = shove{Act: n}
		w.Write(newest-entangle.Tick(len(acts)-1-i), 0, value)
	}
	if err := r.others.handle(newest, r.encode(r.kind, 1, newest, w, len(acts))); err != nil {
		panic(err)
	}
}

// A tick that is computed anew has the inputs that it had, each at its tick, with the events
// that happened in it; and of another player what is known of it by now.
//
// Proves: I4, S8
func TestAReplayHasTheInputsOfItsTicks(t *testing.T) {
	r := newRerun()
	r.writes()
	r.notes()
	r.Schedule.Initialize(r.world)
	r.said(1001, 7)
	r.Schedule.Frame(r.world, 4)
	assert.Equal(t, []string{
		"1001: 1001 false FreshInput 7 false FreshInput",
		"1002: 1002 false FreshInput 7 false RepeatedInput",
		"1003: 1003 false FreshInput 7 false RepeatedInput",
		"1004: 1004 true FreshInput 7 false RepeatedInput",
	}, r.log)

	r.log = nil
	r.said(1003, 8, 9)
	r.Replay(r.world, 1000, 1004)
	assert.Equal(t, []string{
		"1000: 0 false NoInput 0 false NoInput",
		"1001: 1001 false FreshInput 7 false FreshInput",
		"1002: 1002 false FreshInput 8 false FreshInput",
		"1003: 1003 false FreshInput 9 false FreshInput",
		"1004: 1004 true FreshInput 9 false RepeatedInput",
	}, r.log)
	assert.Equal(t, shove{Act: 1004}, *r.of(r.mine), "after a tick it shows what was written last, without events")

	r.log = nil
	r.Schedule.Frame(r.world, 1)
	assert.Equal(t, []string{"1005: 1005 false FreshInput 9 false RepeatedInput"}, r.log)
}

// Of an input that acts later than it is written, a replay has what acts in its tick.
//
// Proves: I4
func TestAReplayHasDelayedInputsWhenTheyAct(t *testing.T) {
	r := newRerun()
	r.delay = 2
	r.writes()
	r.notes()
	r.Schedule.Initialize(r.world)
	r.Schedule.Frame(r.world, 4)
	first := r.log
	assert.Equal(t, "1003: 1001 false FreshInput 0 false NoInput", first[2])
	r.log = nil
	r.Replay(r.world, 1001, 1004)
	assert.Equal(t, first, r.log)
}

// Ticks that the clock went past have an input, too: the last one before them, as the server
// repeats it.
func TestTicksThatTheClockWentPastRepeatInputs(t *testing.T) {
	r := newRerun()
	r.writes()
	r.notes()
	r.Schedule.Initialize(r.world)
	r.said(1002, 8, 9)
	r.Schedule.Frame(r.world, 2)
	r.log = nil
	r.Inputs.Jump(2)
	r.Time.Tick += 2
	r.CatchUp(r.world, 1003, 1004)
	r.Schedule.Frame(r.world, 1)
	assert.Equal(t, []string{
		"1003: 1002 false RepeatedInput 9 false RepeatedInput",
		"1004: 1002 false RepeatedInput 9 false RepeatedInput",
		"1005: 1005 false FreshInput 9 false RepeatedInput",
	}, r.log)
}

// In a replay the time is that of the tick, and it says which ticks are replayed; afterwards
// it is as it was, also if a system panics.
//
// Proves: S8, B14
func TestTheTimeInAReplay(t *testing.T) {
	r := newRerun()
	r.Time.Step, r.Time.Overstep = 20, 0.5
	var times []components.Time
	broken := false
	r.Schedule.Add(Main, act(func(*ecs.World) {
		times = append(times, *r.Time)
		if broken {
			panic("broken")
		}
	}))
	r.Schedule.Initialize(r.world)
	r.Schedule.Frame(r.world, 3)
	before := *r.Time
	times = nil
	r.Replay(r.world, 1002, 1003)
	want := components.Time{Tick: 1002, Step: 20, Overstep: 0.5, Replaying: true, ReplayFrom: 1002, ReplayTo: 1003}
	assert.Equal(t, want, times[0])
	want.Tick++
	assert.Equal(t, []components.Time{want}, times[1:])
	assert.Equal(t, before, *r.Time)

	broken = true
	assert.PanicsWithValue(t, "broken", func() { r.Replay(r.world, 1002, 1003) })
	assert.Equal(t, before, *r.Time)
	assert.Equal(t, due, r.Inputs.round)
	assert.False(t, r.Post.silent)
}
