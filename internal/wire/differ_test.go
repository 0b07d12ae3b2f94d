package wire_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// counter has one counter that rises, and a level that is rounded on the wire.
type counter struct {
	Count uint32
	Level float32 `net:"range=0..10,step=0.5"`
	Local uint16  `net:"-"`
}

// counterDiffer sends by how much the counter has risen, and half steps of the level. If the
// counter has fallen, it cannot express that and writes nonsense.
type counterDiffer struct{}

func (counterDiffer) Diff(w *bits.Writer, base, value *counter) {
	w.Bits(uint64(value.Count-base.Count), 12)
	w.Bits(uint64(value.Level*2), 5)
}

func (counterDiffer) Apply(r *bits.Reader, base *counter) (counter, error) {
	rise, level := r.Bits(12), r.Bits(5)
	if level > 20 {
		return counter{}, errLevel
	}
	return counter{Count: base.Count + uint32(rise), Level: float32(level) / 2, Local: 7}, nil
}

var errLevel = errors.New("level too high")

// planDiffed is the plan of a component registered with a Differ.
func planDiffed[T any](t testing.TB, d protocol.Differ[T]) *wire.Plan {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Component[T](p).Delta().Diff(d)
	require.NoError(t, p.Err())
	return registry.Of(p).Components[0].Plan
}

// The difference of a Differ gives the value, also if the sides have the baseline rounded
// differently, and if the Differ cannot express what has changed.
//
// Proves: R30
func TestADifferGivesTheWholeValue(t *testing.T) {
	plan := planDiffed(t, counterDiffer{})
	draw := rapid.Custom(func(t *rapid.T) counter {
		return counter{
			Count: rapid.Uint32().Draw(t, "count"), Level: rapid.Float32Range(-1, 12).Draw(t, "level"), Local: rapid.Uint16().Draw(t, "local"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		base, value := draw.Draw(t, "base"), draw.Draw(t, "value")
		if rapid.Bool().Draw(t, "near") {
			value.Count = base.Count + rapid.Uint32Range(0, 4095).Draw(t, "rise")
		}
		held, want := base, value
		plan.Round(bytesOf(&held))
		plan.Round(bytesOf(&want))
		want.Local = 0

		var w bits.Writer
		w.Bits(1, 3)
		plan.EncodeDelta(&w, &wire.Bases{Base: bytesOf(&base)}, bytesOf(&value), nil)
		var r bits.Reader
		r.Reset(w.Finish())
		r.Bits(3)
		skipped := r
		var got counter
		require.NoError(t, plan.DecodeDelta(&r, &wire.Bases{Base: bytesOf(&held)}, bytesOf(&got), nil))
		require.NoError(t, plan.SkipDelta(&skipped, nil))
		require.Equal(t, r.RemainingBits(), skipped.RemainingBits())
		require.NoError(t, r.End())
		require.Equal(t, want, got)
	})
}

func TestADifferIsUsedWhereItCan(t *testing.T) {
	plan := planDiffed(t, counterDiffer{})
	size := func(base, value counter) int {
		var w bits.Writer
		plan.EncodeDelta(&w, &wire.Bases{Base: bytesOf(&base)}, bytesOf(&value), nil)
		return w.LenBits()
	}
	assert.Equal(t, 8+17, size(counter{Count: 5}, counter{Count: 9, Level: 3}))
	assert.Equal(t, 4+10+5, size(counter{Count: 5}, counter{Count: 4}), "whole")
}

// talker writes and reads the given number of bits.
type talker struct{ writes, reads int }

func (d talker) Diff(w *bits.Writer, _, _ *counter) {
	for range d.writes {
		w.Bool(false)
	}
}

func (d talker) Apply(r *bits.Reader, _ *counter) (v counter, err error) {
	for range d.reads {
		r.Bool()
	}
	return v, nil
}

// A Differ costs no more than its bits if its Apply does not read the bits that its Diff wrote, or
// if it writes too much.
func TestABadDifferSendsWholeValues(t *testing.T) {
	for _, d := range []talker{{3, 2}, {3, 4}, {protocol.MaxDifferBits + 1, protocol.MaxDifferBits + 1}} {
		plan := planDiffed(t, d)
		var base, value counter
		var w bits.Writer
		plan.EncodeDelta(&w, &wire.Bases{Base: bytesOf(&base)}, bytesOf(&value), nil)
		assert.Equal(t, 4+4+5, w.LenBits())
	}
}

// Proves: G8
func TestADifferRefusesWhatItDidNotWrite(t *testing.T) {
	plan := planDiffed(t, counterDiffer{})
	cases := []struct {
		name  string
		write func(w *bits.Writer)
		err   error
	}{
		{"shorter than it says", func(w *bits.Writer) { w.Uvarint(19); w.Bits(0, 18) }, wire.ErrDiffer},
		{"longer than it says", func(w *bits.Writer) { w.Uvarint(17); w.Bits(0, 17) }, wire.ErrDiffer},
		{"longer than any", func(w *bits.Writer) { w.Uvarint(protocol.MaxDifferBits + 2) }, wire.ErrDiffer},
		{"beyond the end", func(w *bits.Writer) { w.Uvarint(1 << 10) }, bits.ErrShort},
		{"an error of its own", func(w *bits.Writer) { w.Uvarint(18); w.Bits(1<<17-1, 17) }, errLevel},
		{"a whole value out of range", func(w *bits.Writer) { w.Uvarint(0); w.Bits(0, 4); w.Bits(31, 5) }, wire.ErrRange},
	}
	for _, c := range cases {
		var w bits.Writer
		c.write(&w)
		var r bits.Reader
		r.Reset(w.Finish())
		var base, value counter
		assert.ErrorIs(t, plan.DecodeDelta(&r, &wire.Bases{Base: bytesOf(&base)}, bytesOf(&value), nil), c.err, c.name)
	}
}
