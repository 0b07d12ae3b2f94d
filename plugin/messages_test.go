package plugin

import (
	"errors"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type chat struct {
	Text string
	At   ecs.Entity
}

type ping struct{ Number uint32 }

type pong struct{ Number uint32 }

func planOf[T any](t *testing.T) *wire.Plan {
	t.Helper()
	plan, err := wire.ValuePlan[T]()
	require.NoError(t, err)
	return plan
}

// oneEntity is a table of one entity, for both directions.
type oneEntity struct{ e ecs.Entity }

func (o oneEntity) Index(ecs.Entity) uint32            { return 1 }
func (o oneEntity) At(index uint32) (ecs.Entity, bool) { return o.e, index == 1 }

// body encodes a message.
func body[T any](t *testing.T, plan *wire.Plan, v T, refs wire.RefWriter) []byte {
	t.Helper()
	var w bits.Writer
	require.NoError(t, wire.EncodeValue(plan, &w, &v, refs))
	return w.Finish()
}

func reading(data []byte) *bits.Reader {
	r := &bits.Reader{}
	r.Reset(data)
	return r
}

// A message reaches every reader with its sender, its tick, and its entities as those of this
// world.
func TestMessageReachesItsReadersWithItsSender(t *testing.T) {
	w := ecs.NewWorld()
	hub, here, there := event.InstallHub(&w), w.NewEntity(), w.NewEntity()
	plan := planOf[chat](t)
	events := hub.AddMessage(plan)
	a, b := NewReader[MessageReceived[chat]](&w), NewReader[MessageReceived[chat]](&w)

	data := body(t, plan, chat{"hello", there}, oneEntity{})
	require.NoError(t, events.Receive(event.Head{From: 7, Tick: 100}, reading(data), oneEntity{here}))
	want := []MessageReceived[chat]{{From: 7, Tick: 100, Message: chat{"hello", here}}}
	assert.Equal(t, want, a.Read())
	assert.Equal(t, want, b.Read())
}

func TestMalformedMessageIsAnErrorAndNoEvent(t *testing.T) {
	w := ecs.NewWorld()
	hub := event.InstallHub(&w)
	plan := planOf[chat](t)
	events := hub.AddMessage(plan)
	reader := NewReader[MessageReceived[chat]](&w)

	good := body(t, plan, chat{Text: "hello"}, oneEntity{})
	for n := range good {
		assert.Error(t, events.Receive(event.Head{From: 7, Tick: 1}, reading(good[:n]), oneEntity{}), "cut to %d bytes", n)
	}
	assert.ErrorIs(t, events.Receive(event.Head{From: 7, Tick: 1}, reading(append(good, 0)), oneEntity{}), bits.ErrTrailing)
	assert.Empty(t, reader.Read())
}

func TestMessageThatNobodyReadsIsSkipped(t *testing.T) {
	w := ecs.NewWorld()
	events := event.InstallHub(&w).AddMessage(planOf[chat](t))
	require.NoError(t, events.Receive(event.Head{From: 7, Tick: 1}, reading([]byte("anything")), nil))
	reader := NewReader[MessageReceived[chat]](&w)
	assert.Empty(t, reader.Read())
	assert.NotNil(t, events.Sink)
}

func TestResponseReachesItsReaders(t *testing.T) {
	w := ecs.NewWorld()
	plan := planOf[pong](t)
	events := event.InstallHub(&w).AddRequest(planOf[ping](t), plan)
	events.Fail(1, errors.New("nobody reads yet"))

	reader := NewReader[ResponseReceived[ping, pong]](&w)
	gone := errors.New("the connection ended")
	require.NoError(t, events.Receive(2, reading(body(t, plan, pong{99}, nil)), nil))
	events.Fail(3, gone)
	require.Error(t, events.Receive(4, reading(nil), nil))
	assert.Equal(t, []ResponseReceived[ping, pong]{{ID: 2, Answer: pong{99}}, {ID: 3, Err: gone}}, reader.Read())
}

func TestReaderOfAnUnregisteredMessageSaysWhatToDo(t *testing.T) {
	w := ecs.NewWorld()
	event.InstallHub(&w)
	assert.PanicsWithValue(t, "plugin: a reader of messages of plugin.chat, which is not registered; "+
		"register it with protocol.Message[plugin.chat](p) before the app is made",
		func() { NewReader[MessageReceived[chat]](&w) })
	assert.PanicsWithValue(t, "plugin: a reader of answers plugin.pong to plugin.ping, which is no registered request; "+
		"register it with protocol.Request[plugin.ping, plugin.pong](p) before the app is made",
		func() { NewReader[ResponseReceived[ping, pong]](&w) })
}

// A peer that floods one type of message takes only a limited amount of memory.
func TestFloodOfMessagesIsBounded(t *testing.T) {
	w := ecs.NewWorld()
	hub := event.InstallHub(&w)
	plan := planOf[ping](t)
	events := hub.AddMessage(plan)
	reader := NewReader[MessageReceived[ping]](&w)
	for i := range uint32(event.MaxMessageEvents + 10) {
		require.NoError(t, events.Receive(event.Head{From: 1, Tick: 1}, reading(body(t, plan, ping{i}, nil)), nil))
	}
	got := reader.Read()
	assert.Len(t, got, event.MaxMessageEvents)
	assert.EqualValues(t, 10, got[0].Message.Number)
	assert.EqualValues(t, 10, hub.Dropped())
}

// Receiving and reading a message allocates only what its decoding allocates.
func TestReceivingMessagesAddsNoAllocation(t *testing.T) {
	w := ecs.NewWorld()
	hub := event.InstallHub(&w)
	plan := planOf[ping](t)
	events, data := hub.AddMessage(plan), body(t, plan, ping{7}, nil)
	reader, r, sum := NewReader[MessageReceived[ping]](&w), &bits.Reader{}, uint32(0)
	frame := func() {
		hub.BeginFrame(1)
		for range 100 {
			r.Reset(data)
			_ = events.Receive(event.Head{From: 1, Tick: 1}, r, nil)
		}
		for _, m := range reader.Read() {
			sum += m.Message.Number
		}
	}
	frame()
	frame()
	message := &ping{}
	decoding := testing.AllocsPerRun(100, func() {
		for range 100 {
			r.Reset(data)
			_ = wire.DecodeValue(plan, r, message, nil)
		}
	})
	assert.Equal(t, decoding, testing.AllocsPerRun(100, frame))
	assert.EqualValues(t, 103*100*7, sum)
}
