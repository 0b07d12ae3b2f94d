package input

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
)

// rerun is a client's world in which its player controls one entity, and another player controls a
// second one.
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

func (a act) Update(w *ecs.World) { a(w) }

func (a act) Finalize(*ecs.World) {}

// The stages of the ticks in these tests.
const (
	tickUpdate tick.Stage = iota
	fixedInput
	writeInputs
	mainStage
	clearInputs
)

var rerunOrder = tick.Order{
	Names:   []string{"TickUpdate", "FixedInput", "WriteInputs", "Main", "ClearInputs"},
	Sending: clearInputs + 1, Showing: clearInputs + 1, FixedInput: fixedInput, Main: mainStage,
}

func newRerun() *rerun {
	r := &rerun{crowded: newCrowded(2)}
	p, hub := shoveProtocol(), event.HubOf(r.world)
	r.mine, r.theirs, r.kind = r.all[0], r.all[1], r.number("shove")
	r.Replayer = Replayer{
		Schedule: tick.NewSchedule(rerunOrder), Time: &components.Time{Tick: 1000}, Hub: hub, Post: message.NewPost(p, false),
		Inputs: NewClientInputs(r.world, hub, p),
	}
	ecs.AddResource(r.world, r.Time)
	r.Inputs.own.delay = func() int { return r.delay }
	r.Inputs.Others.find = r.others.find
	r.others = r.Inputs.Others
	r.others.tick = r.Time.Tick
	r.world.Add(r.mine, ecs.ComponentID[components.Controlled](r.world))
	r.Schedule.Bind(tickUpdate, func() { r.Time.Tick++ })
	r.Schedule.Bind(fixedInput, func() { r.Inputs.Buffer() })
	r.Schedule.Bind(writeInputs, func() { r.Inputs.Write(r.Time.Tick) })
	r.Schedule.Bind(clearInputs, func() { r.Inputs.Clear() })
	return r
}

// Replay runs ticks again, both included.
func (r *rerun) Replay(w *ecs.World, from, to entangle.Tick) {
	defer r.End()
	r.Begin(from, to)
	r.ticks(w, from, to)
}

// CatchUp runs ticks for the first time that were never due.
func (r *rerun) CatchUp(w *ecs.World, from, to entangle.Tick) {
	defer r.End()
	r.BeginFirst(from)
	r.ticks(w, from, to)
}

func (r *rerun) ticks(w *ecs.World, from, to entangle.Tick) {
	for tick := from; !to.Before(tick); tick++ {
		r.Tick(w)
	}
}

func (r *rerun) of(e ecs.Entity) *shove {
	return (*shove)(r.world.Get(e, r.others.kinds[r.kind].id))
}

// writes makes the player write the number of the tick as input.
func (r *rerun) writes() {
	r.Schedule.Add(fixedInput, act(func(*ecs.World) {
		*r.of(r.mine) = shove{Act: uint32(r.Time.Tick), Kick: r.Time.Tick%4 == 0}
	}))
}

// notes records the inputs with which each tick ran.
func (r *rerun) notes() {
	r.Schedule.Add(mainStage, act(func(*ecs.World) {
		line := fmt.Sprintf("%d:", r.Time.Tick)
		for _, e := range []ecs.Entity{r.mine, r.theirs} {
			in := r.of(e)
			line += fmt.Sprintf(" %d %t %v", in.Act, in.Kick, r.Inputs.Status(r.kind, e))
		}
		r.log = append(r.log, line)
	}))
}

// relayInputs is a frame in which the server relays the other player's inputs.
func (r *rerun) relayInputs(newest entangle.Tick, acts ...uint32) {
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

// A replayed tick has the player's original inputs with their events, and the best known inputs of
// other players.
//
// Proves: I4, S8
func TestAReplayHasTheInputsOfItsTicks(t *testing.T) {
	r := newRerun()
	r.writes()
	r.notes()
	r.Schedule.Initialize(r.world)
	r.relayInputs(1001, 7)
	r.Schedule.Frame(r.world, 4)
	assert.Equal(t, []string{
		"1001: 1001 false FreshInput 7 false FreshInput",
		"1002: 1002 false FreshInput 7 false RepeatedInput",
		"1003: 1003 false FreshInput 7 false RepeatedInput",
		"1004: 1004 true FreshInput 7 false RepeatedInput",
	}, r.log)

	r.log = nil
	r.relayInputs(1003, 8, 9)
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

// With an input delay, a replayed tick has the input that acts in it, and not the one that was written
// in it.
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

// Ticks that the clock jumped over have an input, too: the last one before them, which the server
// repeats.
func TestTicksThatTheClockWentPastRepeatInputs(t *testing.T) {
	r := newRerun()
	r.writes()
	r.notes()
	r.Schedule.Initialize(r.world)
	r.relayInputs(1002, 8, 9)
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

// In a replay components.Time has the replayed tick, and the range of replayed ticks. Afterwards it is
// restored, even if a system panics.
//
// Proves: S8, B14, B28
func TestTheTimeInAReplay(t *testing.T) {
	r := newRerun()
	r.Time.Step, r.Time.Overstep = 20, 0.5
	var times []components.Time
	broken := false
	r.Schedule.Add(mainStage, act(func(*ecs.World) {
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
	assert.False(t, r.Post.Silent)
}

// Received events are read once, and events of a replayed tick are read only in that tick.
//
// Proves: B29
func TestAReplayReadsNoEventAgain(t *testing.T) {
	r := newRerun()
	queue, inputs := event.QueueOf[int](r.Hub), event.QueueOf[string](r.Hub)
	inputs.Replays()
	once, inTick, inFrame := queue.Cursor(), inputs.Cursor(), inputs.Cursor()
	var read []int
	r.Schedule.Add(mainStage, act(func(*ecs.World) {
		read = append(read, once.Read()...)
		inputs.Push(fmt.Sprintf("%d %t", r.Time.Tick, r.Time.Replaying))
		r.log = append(r.log, inTick.Read()...)
		assert.Empty(t, inTick.Read())
	}))
	r.Schedule.Initialize(r.world)
	queue.Push(1)
	r.Schedule.Frame(r.world, 2)
	r.Hub.BeginFrame(2)
	queue.Push(2)
	r.Replay(r.world, 1001, 1002)
	assert.Equal(t, []int{1}, read, "what has come since is left for a tick that is due")
	r.Schedule.Frame(r.world, 1)
	assert.Equal(t, []int{1, 2}, read)
	assert.Equal(t, []string{"1001 false", "1002 false", "1001 true", "1002 true", "1003 false"}, r.log)
	assert.Equal(t, []string{"1001 false", "1002 false", "1003 false"}, inFrame.Read())
}

// Each tick of a replay reads only its own events, also if the tick before has read none.
//
// Proves: B29
func TestAReplayedTickReadsItsOwnEventsAlone(t *testing.T) {
	r := newRerun()
	inputs := event.QueueOf[entangle.Tick](r.Hub)
	inputs.Replays()
	events := inputs.Cursor()
	var read []entangle.Tick
	r.Schedule.Add(mainStage, act(func(*ecs.World) {
		inputs.Push(r.Time.Tick)
		if r.Time.Tick%2 == 0 {
			read = append(read, events.Read()...)
		}
	}))
	r.Schedule.Initialize(r.world)
	r.Schedule.Frame(r.world, 4)
	read = nil
	r.Replay(r.world, 1001, 1004)
	assert.Equal(t, []entangle.Tick{1002, 1004}, read)
}

// Messages sent in a replay are dropped, and requests are refused, with a hint what to do.
//
// Proves: B29
func TestAReplaySendsNothing(t *testing.T) {
	r := newRerun()
	p := protocol.New(protocol.Config{Name: "chatter"})
	protocol.Message[shove](p)
	protocol.Request[glance, secret](p)
	if err := registry.Seal(p); err != nil {
		t.Fatal(err)
	}
	r.Post = message.NewPost(p, false)
	r.Post.Attach(r.world, r.Hub, nil, nil)
	var errs []error
	r.Schedule.Add(mainStage, act(func(*ecs.World) {
		write := func(w *bits.Writer, _ wire.RefWriter) error { w.Bits(1, 1); return nil }
		errs = append(errs, r.Post.Send(0, components.Server, entangle.Nobody, write))
		_, err := r.Post.Request(0, write)
		errs = append(errs, err)
	}))
	r.Schedule.Initialize(r.world)
	r.Schedule.Frame(r.world, 1)
	assert.Len(t, r.Post.Out, 2)
	r.Replay(r.world, 1001, 1001)
	assert.Len(t, r.Post.Out, 2)
	assert.EqualValues(t, 2, r.Post.Stats().Sent)
	assert.Equal(t, []error{nil, nil, nil, message.ErrReplaying}, errs)
	r.Inputs.Jump(1)
	r.CatchUp(r.world, 1002, 1002)
	assert.Len(t, r.Post.Out, 4, "a tick that the clock went past runs for the first time")
}

// Replayed and skipped ticks allocate nothing.
func TestAReplayAllocatesNothing(t *testing.T) {
	r := newRerun()
	r.writes()
	inputs := r.Hub.Input(reflect.TypeFor[shove]())
	queue := event.QueueOf[event.InputHead](r.Hub)
	queue.Replays()
	cursor := queue.Cursor()
	inputs.Sink = queue.Push
	r.Schedule.Add(mainStage, act(func(*ecs.World) { cursor.Read() }))
	r.Schedule.Initialize(r.world)
	r.relayInputs(1001, 7)
	r.Schedule.Frame(r.world, 8)
	r.Replay(r.world, 1001, 1008)
	assert.Zero(t, alloctest.Count(20, func() { r.Replay(r.world, 1001, 1008) }))
}

// If an input of another player arrives for a tick that has run with a different one, the tick is
// found, if the entity is predicted. A replay then runs it with the input that arrived.
//
// Proves: B21
func TestATickWithAnotherPlayersInputIsFoundOnce(t *testing.T) {
	r := newRerun()
	r.Schedule.Initialize(r.world)
	r.relayInputs(1001, 7)
	r.Schedule.Frame(r.world, 6)
	wrong := func() (entangle.Tick, ecs.Entity, bool) { return r.Inputs.Mispredicted(1000, r.Time.Tick) }
	found := func(want entangle.Tick) {
		t.Helper()
		tick, e, ok := wrong()
		assert.Equal(t, want, tick)
		assert.Equal(t, r.theirs, e)
		assert.True(t, ok)
		_, _, ok = wrong()
		assert.False(t, ok)
	}
	r.relayInputs(1003, 7, 8)
	_, _, ok := wrong()
	assert.False(t, ok, "it is not predicted")

	r.world.Add(r.theirs, ecs.ComponentID[components.Predicted](r.world))
	r.Replay(r.world, 1001, 1006)
	r.relayInputs(1004, 8)
	_, _, ok = wrong()
	assert.False(t, ok, "it is what was repeated")
	r.relayInputs(1006, 9, 8)
	found(1005)
	r.Replay(r.world, 1005, 1006)
	_, _, ok = wrong()
	assert.False(t, ok)

	r.relayInputs(1009, 4, 4, 4)
	_, _, ok = wrong()
	assert.False(t, ok, "they are yet to run")
	r.Schedule.Frame(r.world, 3)
	_, _, ok = wrong()
	assert.False(t, ok, "and have run with it")
}
