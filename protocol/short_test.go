package protocol_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type (
	shortPoint struct {
		X, Y, Z float32 `net:"range=-512..512,step=0.01"`
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
	shortWhole struct{ N uint32 }
	shortFlag  struct{ On bool }
)

// shorts are all types of which a plan is one code.
func shorts(t testing.TB) []subject {
	return []subject{
		subjectOf[shortPoint](t), subjectOf[shortCorner](t), subjectOf[shortSpeed](t), subjectOf[shortTurn](t), subjectOf[shortFine](t),
		subjectOf[shortRing](t), subjectOf[shortHits](t), subjectOf[shortWhole](t), subjectOf[shortFlag](t),
	}
}

func readShort(s *protocol.Short, r *bits.Reader) (code uint64, ok bool) {
	var codes [protocol.MaxShorts]uint64
	ok = protocol.ReadShorts([]*protocol.Short{s}, r, &codes)
	return codes[0], ok
}

// Bytes of any kind are read alike as a code and by the plan: the same value, the
// same error, the same bits.
func TestACodeIsWhatDecodeReads(t *testing.T) {
	for _, s := range append(shorts(t), subjects(t)...) {
		t.Run(s.name, func(t *testing.T) {
			short := s.plan.Short()
			if short == nil {
				return
			}
			rapid.Check(t, func(t *rapid.T) {
				wire := rapid.SliceOfN(rapid.Byte(), 0, 12).Draw(t, "wire")
				var a, b bits.Reader
				a.Reset(wire)
				b.Reset(wire)
				skip := rapid.UintRange(0, 7).Draw(t, "skip")
				a.Skip(skip)
				b.Skip(skip)
				before := s.draw(t)
				want, got := append([]byte(nil), before...), append([]byte(nil), before...)
				err := s.plan.Decode(&a, want, nil)
				code, ok := readShort(short, &b)
				require.Equal(t, err == nil, ok)
				require.Equal(t, err, b.Err())
				require.Equal(t, a.RemainingBits(), b.RemainingBits())
				if ok {
					short.Set(&got[0], code)
					require.Equal(t, want, got)
				}
			})
		})
	}
}

// What was encoded comes back through a code.
func TestACodeIsWhatEncodeWrites(t *testing.T) {
	for _, s := range shorts(t) {
		t.Run(s.name, func(t *testing.T) {
			short := s.plan.Short()
			require.NotNil(t, short)
			rapid.Check(t, func(t *rapid.T) {
				value := s.draw(t)
				var w bits.Writer
				s.plan.Encode(&w, value, nil)
				wire := w.Finish()
				var a, b bits.Reader
				a.Reset(wire)
				b.Reset(wire)
				require.NoError(t, s.plan.Decode(&a, value, nil))
				code, ok := readShort(short, &b)
				require.True(t, ok)
				got := append([]byte(nil), value...)
				clear(got[len(got)-1:])
				short.Set(&got[0], code)
				require.True(t, s.plan.Equal(value, got))
			})
		})
	}
}

// Codes that follow each other are read as if each were alone, up to the first that
// is wrong.
func TestSeveralCodesAreReadInOneCall(t *testing.T) {
	all := shorts(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, protocol.MaxShorts).Draw(t, "n")
		plans := make([]*protocol.Short, n)
		for i := range plans {
			plans[i] = rapid.SampledFrom(all).Draw(t, "type").plan.Short()
		}
		wire := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "wire")
		var a, b bits.Reader
		a.Reset(wire)
		b.Reset(wire)
		var codes [protocol.MaxShorts]uint64
		ok := protocol.ReadShorts(plans, &a, &codes)
		for i, plan := range plans {
			code, one := readShort(plan, &b)
			if !one {
				break
			}
			require.Equal(t, code, codes[i])
		}
		require.Equal(t, b.Err(), a.Err())
		require.Equal(t, b.Err() == nil, ok)
		require.Equal(t, b.RemainingBits(), a.RemainingBits())
	})
}

func TestNotEveryPlanIsACode(t *testing.T) {
	for _, s := range []subject{subjectOf[links](t), subjectOf[nested](t), subjectOf[[8]uint8](t), subjectOf[empty](t), subjectOf[[2][4]float32](t)} {
		assert.Nil(t, s.plan.Short(), s.name)
	}
	assert.Nil(t, planWith(t, protocol.Codec[pose](poseCodec{version: "1"})).Short())
}
