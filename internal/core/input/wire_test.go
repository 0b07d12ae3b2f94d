package input_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/input"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// names writes the place of a lane as its name.
type names struct{}

func (names) AppendHead(w *bits.Writer, lane int) { w.Uvarint(uint64(lane)) }

func TestFrameGolden(t *testing.T) {
	w := input.NewWriter(codec{}, 60, 0)
	for tick := entangle.Tick(100); tick < 110; tick++ {
		w.Write(tick, 0, hands{X: 10, Y: 200}.bytes())
	}
	w.Write(110, 0, hands{X: 20, Y: 200}.bytes())
	var c input.Composer
	c.Begin(nil, 100, 110, &input.Shown{Tick: 80, Fraction: 128})
	require.Equal(t, 1, c.Pack([]input.OwnLane{{Type: 0, Writer: w}}, names{}, 6, 1))
	frame := c.Finish()
	t.Log(len(frame), hex.EncodeToString(frame))

	var f input.Frame
	f.Open(frame, 110, 1)
	s, ok := f.Shown()
	require.True(t, ok)
	require.Equal(t, input.Shown{Tick: 80, Fraction: 128}, s)
	r := input.NewReader(input.ReaderConfig{Codec: codec{}, TickRate: 60}, 104)
	require.True(t, f.Next())
	require.Zero(t, f.Bits().Uvarint())
	b := f.Put(r)
	require.Equal(t, uint64(0b111111), b.New)
	require.False(t, f.Next())
	require.NoError(t, f.Err())
	for tick := entangle.Tick(105); tick < 110; tick++ {
		v, s := r.Take(tick)
		require.Equal(t, input.Fresh, s)
		require.Equal(t, hands{X: 10, Y: 200}, handsOf(v))
	}
	v, s2 := r.Take(110)
	require.Equal(t, input.Fresh, s2)
	require.Equal(t, hands{X: 20, Y: 200}, handsOf(v))
	v, s2 = r.Take(111)
	require.Equal(t, input.Repeated, s2)
	require.Equal(t, hands{X: 20, Y: 200}, handsOf(v))
}
