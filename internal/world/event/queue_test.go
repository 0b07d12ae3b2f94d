package event_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/world/event"
)

// The test compares a queue with a reference model, a list of all pushed events. In random frames
// of 0 to 3 ticks, events are raised at random moments. Readers that run once per frame or once per
// tick, at a fixed moment of it, each read the whole list, in order, once.
func TestEachReaderSeesEachEventOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hub := event.NewHub()
		queue := event.QueueOf[int](hub)
		var raised []int
		readers := make([]reader, 6) // two per frame, two per tick, two after the ticks
		for i := range readers {
			readers[i].cursor = queue.Cursor()
		}
		raise := func() {
			for range rapid.IntRange(0, 3).Draw(t, "events") {
				raised = append(raised, len(raised))
				queue.Push(raised[len(raised)-1])
			}
		}
		turn := func(readers []reader) {
			readers[0].read()
			raise()
			readers[1].read()
		}
		ticks := 0
		frame := func(n int) {
			hub.BeginFrame(ticks)
			ticks = n
			turn(readers[:2])
			for range ticks {
				turn(readers[2:4])
			}
			turn(readers[4:])
		}
		for range rapid.IntRange(1, 30).Draw(t, "frames") {
			frame(rapid.IntRange(0, 3).Draw(t, "ticks"))
		}
		last := len(raised)
		frame(1)
		for i := range readers {
			if got := readers[i].seen[:min(last, len(readers[i].seen))]; !slices.Equal(got, raised[:last]) {
				t.Fatalf("reader %d saw %v, want %v", i, got, raised[:last])
			}
		}
	})
}

type reader struct {
	cursor event.Cursor[int]
	seen   []int
}

func (r *reader) read() { r.seen = append(r.seen, r.cursor.Read()...) }

func TestEventLivesUntilTheEndOfTheNextFrameWithATick(t *testing.T) {
	hub := event.NewHub()
	queue := event.QueueOf[int](hub)
	inTime, late := queue.Cursor(), queue.Cursor()
	queue.Push(1)
	for range 50 {
		hub.BeginFrame(0)
	}
	hub.BeginFrame(1)
	assert.Equal(t, []int{1}, inTime.Read())
	assert.Empty(t, inTime.Read())
	hub.BeginFrame(1)
	assert.Empty(t, late.Read())
}

func TestReaderSeesWhatIsRaisedAfterItWasMade(t *testing.T) {
	hub := event.NewHub()
	queue := event.QueueOf[int](hub)
	first := queue.Cursor()
	queue.Push(1)
	second := queue.Cursor()
	queue.Push(2)
	assert.Equal(t, []int{1, 2}, first.Read())
	assert.Equal(t, []int{2}, second.Read())
}

func TestQueueWithoutReadersKeepsNothing(t *testing.T) {
	hub := event.NewHub()
	queue := event.QueueOf[int](hub)
	queue.Push(1)
	require.NoError(t, queue.PushNew(func(*int) error { return errors.New("built for nobody") }))
	reader := queue.Cursor()
	assert.Empty(t, reader.Read())
}

func TestFullQueueDropsTheOldestAndCounts(t *testing.T) {
	const extra = 2*event.MaxEvents + 17
	hub := event.NewHub()
	queue := event.QueueOf[int](hub)
	early, reader := queue.Cursor(), queue.Cursor()
	queue.Push(0)
	queue.Push(1)
	held := early.Read()
	for i := 2; i < event.MaxEvents+extra; i++ {
		queue.Push(i)
	}
	got := reader.Read()
	require.Len(t, got, event.MaxEvents)
	assert.Equal(t, extra, got[0])
	assert.Equal(t, event.MaxEvents+extra-1, got[len(got)-1])
	assert.EqualValues(t, extra, queue.Dropped())
	assert.EqualValues(t, extra, hub.Dropped())
	assert.Equal(t, []int{0, 1}, held, "a slice read in this frame keeps its events")
	assert.Len(t, early.Read(), event.MaxEvents)

	hub.BeginFrame(1)
	queue.Push(-1)
	assert.Equal(t, []int{-1}, reader.Read())
	hub.BeginFrame(1)
	hub.BeginFrame(1)
	assert.Empty(t, reader.Read())
}

func TestEventThatFailsToBuildIsTakenBack(t *testing.T) {
	hub := event.NewHub()
	queue := event.QueueOf[string](hub)
	reader := queue.Cursor()
	bad := errors.New("bad bytes")
	require.NoError(t, queue.PushNew(func(e *string) error { *e = "good"; return nil }))
	require.ErrorIs(t, queue.PushNew(func(e *string) error { *e = "half"; return bad }), bad)
	require.NoError(t, queue.PushNew(func(e *string) error {
		assert.Empty(t, *e, "a place is given out empty")
		*e = "next"
		return nil
	}))
	assert.Equal(t, []string{"good", "next"}, reader.Read())
}

func TestSliceThatWasReadCannotBeGrownIntoTheQueue(t *testing.T) {
	hub := event.NewHub()
	queue := event.QueueOf[int](hub)
	a, b := queue.Cursor(), queue.Cursor()
	queue.Push(1)
	_ = append(a.Read(), 99)
	queue.Push(2)
	assert.Equal(t, []int{1, 2}, b.Read())
}

func TestEventsAllocateNothingOnceTheBufferHasGrown(t *testing.T) {
	hub := event.NewHub()
	queue := event.QueueOf[[4]uint64](hub)
	reader := queue.Cursor()
	sum := uint64(0)
	frame := func() {
		hub.BeginFrame(1)
		for i := range uint64(100) {
			queue.Push([4]uint64{i})
			_ = queue.PushNew(func(e *[4]uint64) error { e[1] = i; return nil })
		}
		for _, e := range reader.Read() {
			sum += e[0] + e[1]
		}
	}
	frame()
	frame()
	assert.Zero(t, alloctest.Count(100, frame))
	assert.NotZero(t, sum)
}
