package input_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
)

// acts is the expected input of a tick.
type acts struct {
	tick   entangle.Tick
	status input.Status
	hands  hands
}

func requireActs(t *testing.T, stream interface {
	At(tick entangle.Tick) ([]byte, input.Status)
}, all ...acts,
) {
	t.Helper()
	for _, want := range all {
		v, s := stream.At(want.tick)
		require.Equal(t, want, acts{want.tick, s, handsOf(v)})
	}
}

func newWriter() *input.Writer { return input.NewWriter(codec{}, 60, 0) }

// Proves: I3
func TestAnInputActsAfterTheDelay(t *testing.T) {
	w := newWriter()
	w.Write(10, 3, hands{X: 1, Press: 7}.bytes())
	require.Equal(t, hands{X: 1}, handsOf(w.Latest()), "events are not repeated")
	w.Write(11, 3, w.Latest())
	w.WriteNone(12, 3)
	requireActs(
		t, w,
		acts{10, input.Unknown, hands{}},
		acts{12, input.Unknown, hands{}},
		acts{13, input.Fresh, hands{X: 1, Press: 7}},
		acts{14, input.Fresh, hands{X: 1}},
		acts{15, input.None, hands{}},
	)
}

// coarse is a codec that sends X without its lowest bit.
type coarse struct{ codec }

func (coarse) Round(v []byte) { v[0] &^= 1 }

func TestTheClientHasTheRoundedInput(t *testing.T) {
	w := input.NewWriter(coarse{}, 60, 0)
	w.Write(10, 0, hands{X: 7}.bytes())
	requireActs(t, w, acts{10, input.Fresh, hands{X: 6}})
	require.Equal(t, hands{X: 6}, handsOf(w.Latest()))
}

// Proves: I10
func TestADelayThatGrowsRepeatsTheLastInput(t *testing.T) {
	w := newWriter()
	w.Write(10, 0, hands{X: 1, Press: 7}.bytes())
	w.Write(11, 3, hands{X: 2}.bytes())
	requireActs(
		t, w,
		acts{10, input.Fresh, hands{X: 1, Press: 7}},
		acts{11, input.Fresh, hands{X: 1}},
		acts{12, input.Fresh, hands{X: 1}},
		acts{13, input.Fresh, hands{X: 1}},
		acts{14, input.Fresh, hands{X: 2}},
	)
}

// Proves: I10
func TestADelayThatShrinksKeepsEveryEvent(t *testing.T) {
	w := newWriter()
	w.Write(10, 4, hands{X: 1}.bytes())           // acts at 14
	w.Write(11, 1, hands{X: 2, Press: 1}.bytes()) // for 12, which has an input: the press waits
	w.Write(12, 1, hands{X: 3, Press: 2}.bytes()) // takes another tick, 15, with the first press
	w.Write(13, 1, hands{X: 4}.bytes())           // for 14, which has an input: dropped
	w.Write(14, 1, hands{X: 5}.bytes())           // for 15, which has an input: dropped
	w.Write(15, 1, hands{X: 6}.bytes())           // for 16, with the second press
	w.Write(16, 1, hands{X: 7}.bytes())
	requireActs(
		t, w,
		acts{14, input.Fresh, hands{X: 1}},
		acts{15, input.Fresh, hands{X: 3, Press: 1}},
		acts{16, input.Fresh, hands{X: 6, Press: 2}},
		acts{17, input.Fresh, hands{X: 7}},
	)
}

func TestAWaitingEventActsEvenWithoutInput(t *testing.T) {
	w := newWriter()
	w.Write(10, 2, hands{X: 1}.bytes())
	w.Write(11, 0, hands{X: 2, Press: 1}.bytes())
	w.WriteNone(12, 0) // the tick has an input
	w.WriteNone(13, 0)
	w.WriteNone(14, 0)
	requireActs(
		t, w,
		acts{12, input.Fresh, hands{X: 1}},
		acts{13, input.Fresh, hands{Press: 1}},
		acts{14, input.None, hands{}},
	)
}

func TestATickThatIsLeftOutIsAHole(t *testing.T) {
	w := newWriter()
	w.Write(10, 1, hands{X: 1, Press: 1}.bytes())
	w.Write(12, 1, hands{X: 2}.bytes())
	requireActs(
		t, w,
		acts{11, input.Fresh, hands{X: 1, Press: 1}},
		acts{12, input.Repeated, hands{X: 1}},
		acts{13, input.Fresh, hands{X: 2}},
	)
}
