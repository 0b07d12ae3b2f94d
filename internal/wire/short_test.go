package wire_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type (
	shortPoint struct {
		X, Y, Z float32 `net:"range=-512..512,step=0.01"`
	}
	shortWidePoint struct {
		X, Y, Z float32 `net:"range=-2000..2000,step=0.01"`
	}
	shortCorner struct {
		X, Y float32 `net:"range=0..8,step=0.5"`
	}
	shortSpeed struct {
		V float64 `net:"range=0.5..3,step=0.3"`
	}
	shortTurn struct {
		Q [4]float32 `net:"quat"`
	}
	shortFine struct {
		Q [4]float32 `net:"quat,bits=16"`
	}
	shortRing struct {
		A float32 `net:"angle,step=1"`
	}
	shortHits struct {
		N int16 `net:"range=-3..96"`
	}
	shortWord  struct{ N float32 }
	shortFlag  struct{ On bool }
	shortWhole struct{ N uint64 }
	shortSmall struct{ N int32 }
	shortBlock struct{ V [15]float32 }
	shortBytes struct{ B [13]uint8 }
	shortKept  struct {
		Kept uint32  `net:"-"`
		V    float32 `net:"range=0..8,step=0.5"`
	}
	shortMixed struct {
		V [2]float32
		N int
		_ bool
		Q [4]float32 `net:"quat"`
		A uint8
	}
)

// shorts returns types with values that are sent as one short code each; see Plan.Short.
func shorts(t testing.TB) []subject {
	return []subject{
		subjectOf[shortPoint](t), subjectOf[shortWidePoint](t), subjectOf[shortCorner](t), subjectOf[shortSpeed](t), subjectOf[shortTurn](t), subjectOf[shortFine](t),
		subjectOf[shortRing](t), subjectOf[shortHits](t), subjectOf[shortWord](t), subjectOf[shortFlag](t),
		subjectOf[shortWhole](t), subjectOf[shortSmall](t), subjectOf[shortBlock](t), subjectOf[shortBytes](t), subjectOf[shortKept](t), subjectOf[shortMixed](t),
	}
}

// Reading any bytes as a code and by the plan gives the same value, the same error and the same
// position.
func TestACodeIsWhatDecodeReads(t *testing.T) {
	for _, s := range append(shorts(t), subjects(t)...) {
		t.Run(s.name, func(t *testing.T) {
			short := s.plan.Short()
			if short == nil {
				return
			}
			rapid.Check(t, func(t *rapid.T) {
				data := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "wire")
				var a, b bits.Reader
				a.Reset(data)
				b.Reset(data)
				skip := rapid.UintRange(0, 7).Draw(t, "skip")
				a.Skip(skip)
				b.Skip(skip)
				before := s.draw(t)
				want, got := append([]byte(nil), before...), append([]byte(nil), before...)
				err := s.plan.Decode(&a, want, nil)
				require.Equal(t, err, decodeShort(s.plan, short, &b, got))
				require.Equal(t, err, b.Err())
				require.Equal(t, a.RemainingBits(), b.RemainingBits())
				if err != nil {
					want = before
				}
				require.Equal(t, want, got)
			})
		})
	}
}

// Encoded values come back through a code.
func TestACodeIsWhatEncodeWrites(t *testing.T) {
	for _, s := range shorts(t) {
		t.Run(s.name, func(t *testing.T) {
			short := s.plan.Short()
			require.NotNil(t, short)
			rapid.Check(t, func(t *rapid.T) {
				value := s.draw(t)
				var w bits.Writer
				s.plan.Encode(&w, value, nil)
				data := w.Finish()
				var a, b bits.Reader
				a.Reset(data)
				b.Reset(data)
				require.NoError(t, s.plan.Decode(&a, value, nil))
				got := append([]byte(nil), value...)
				clear(got[len(got)-1:])
				require.NoError(t, decodeShort(s.plan, short, &b, got))
				require.True(t, s.plan.Equal(value, got))
			})
		})
	}
}

// decodeShort decodes one value through a run of one record.
func decodeShort(plan *wire.Plan, short *wire.Short, r *bits.Reader, value []byte) error {
	run := wire.ShortRun{Plans: []*wire.Short{short}}
	if run.Length(r) == 0 {
		return plan.Decode(r, append([]byte(nil), value...), nil)
	}
	right, err := run.Read(r, 1)
	if right == 1 {
		run.PutOne(0, 0, &value[0])
	}
	return err
}

func TestNotEveryPlanIsForRuns(t *testing.T) {
	for _, s := range []subject{subjectOf[links](t), subjectOf[empty](t), subjectOf[[257]uint8](t)} {
		assert.Nil(t, s.plan.Short(), s.name)
	}
	assert.Nil(t, planWith(t, protocol.Codec[pose](poseCodec{version: "1"})).Short())
}

// shortNothing has memory, but none of its fields takes a bit.
type shortNothing struct {
	None [0]int32
	Own  uint32 `net:"-"`
}

// Values without bits have no Short: the number of records in a stream follows from their bits.
func TestValuesWithoutBitsAreNotRead(t *testing.T) {
	plan, err := wire.ComponentPlan[shortNothing]()
	require.NoError(t, err)
	assert.Zero(t, plan.MaxBits())
	assert.Nil(t, plan.Short())
}
