package wire_test

import (
	"bytes"
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// encoded is a value's bits and their number.
type encoded struct {
	bits int
	data string
}

func (s subject) encode(value []byte, refs *table) encoded {
	var w bits.Writer
	s.plan.Encode(&w, value, refs)
	return encoded{w.LenBits(), string(w.Finish())}
}

func (s subject) decode(t require.TestingT, e encoded, into []byte, refs *table) {
	var r bits.Reader
	r.Reset([]byte(e.data))
	require.NoError(t, s.plan.Decode(&r, into, refs), s.name)
	require.NoError(t, r.End(), s.name)
	require.Equal(t, e.bits, len(e.data)*8-(-e.bits&7), s.name)
}

// A decoded value encodes to the same bits, and a value rounded in place equals the one
// that the other side decodes.
//
// Proves: G3
func TestDecodedValuesEncodeToTheSameBits(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				value, refs := s.draw(t), &table{}
				e := s.encode(value, refs)
				require.LessOrEqual(t, e.bits, s.plan.MaxBits())

				read := make([]byte, len(value))
				s.decode(t, e, read, refs)
				require.Equal(t, e, s.encode(read, refs))

				again := bytes.Clone(read)
				require.Zero(t, s.plan.Round(again), "what was read lies within range")
				require.Equal(t, read, again, "what was read is rounded already")

				rounded := bytes.Clone(value)
				s.plan.Round(rounded)
				require.Equal(t, e, s.encode(rounded, refs))
				require.True(t, s.plan.Equal(value, rounded))
				if !s.plan.Rounds() {
					require.Equal(t, value, rounded)
				}
			})
		})
	}
}

// Equal returns what comparing the encodings would return.
func TestEqualIsEqualityOnTheWire(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := s.draw(t)
				b := bytes.Clone(a)
				if rapid.Bool().Draw(t, "round") {
					s.plan.Round(b)
				}
				if rapid.Bool().Draw(t, "other") {
					b = s.draw(t)
				}
				refs := &table{}
				same := s.encode(a, refs) == s.encode(b, refs)
				require.Equal(t, same, s.plan.Equal(a, b))
				if s.plan.Exact() {
					require.Equal(t, same, bytes.Equal(a, b))
				}
			})
		})
	}
}

func TestExactIsTrueOnlyWhereEveryByteIsSentAsItIs(t *testing.T) {
	exact := map[string]bool{}
	for _, s := range subjects(t) {
		exact[s.name] = s.plan.Exact()
	}
	assert.Equal(t, map[string]bool{
		"wire_test.plain": false, "wire_test.packedBytes": true, "wire_test.flags": true,
		"wire_test.ranged": false, "wire_test.platform": true, "wire_test.quantised": false,
		"wire_test.angles": false, "wire_test.quats": false, "wire_test.nested": false,
		"wire_test.links": false, "wire_test.complexes": false, "wire_test.button": false,
		"wire_test.empty": true, "wire_test.pose": false, "float32": true, "[3]uint16": true,
	}, exact)
}

// Proves: G9
func TestOutOfRangeIsClampedAndCounted(t *testing.T) {
	nan, inf := float32(math.NaN()), math.Inf(-1)
	cases := []struct {
		name    string
		value   ranged
		clamped int
		want    ranged
	}{
		{"inside", ranged{Health: 100, Big: 5, Few: -3, Uint: 7}, 0, ranged{Health: 100, Big: 5, Few: -3, Uint: 7}},
		{"above", ranged{Health: 101, Big: 5, Few: 0, Int: 2000, Uint: 10}, 4, ranged{Health: 100, Big: 5, Few: -1, Int: 1000, Uint: 9}},
		{"below", ranged{Health: -1, Big: 4, Few: -4, Int: -2000, Uint: 6}, 5, ranged{Big: 5, Few: -3, Int: -1000, Uint: 7}},
	}
	plan, err := wire.ComponentPlan[ranged]()
	require.NoError(t, err)
	for _, c := range cases {
		var w bits.Writer
		assert.Equal(t, c.clamped, plan.Encode(&w, bytesOf(&c.value), nil), c.name)
		assert.Equal(t, c.clamped, plan.Round(bytesOf(&c.value)), c.name)
		assert.Equal(t, c.want, c.value, c.name)
	}

	q, err := wire.ComponentPlan[quantised]()
	require.NoError(t, err)
	v := quantised{Pos: [3]float32{nan, 513, -512.004}, Uneven: -7, Fine: inf, Long: [7]float32{0.5, nan, 2}}
	var w bits.Writer
	assert.Equal(t, 6, q.Encode(&w, bytesOf(&v), nil), "half a step beyond a limit is still that limit")
	assert.Equal(t, 6, q.Round(bytesOf(&v)))
	assert.Equal(t, [3]float32{0, 512, -512}, v.Pos, "no number becomes the value nearest to zero")
	assert.Equal(t, float32(0.1), v.Uneven)
	assert.Equal(t, -1e6, v.Fine)
	assert.Equal(t, [7]float32{0.5, 0, 1}, v.Long)
}

// Proves: G9
func TestAnglesAndRotationsHaveTheirOwnCodecs(t *testing.T) {
	a, err := wire.ComponentPlan[angles]()
	require.NoError(t, err)
	turns := angles{Yaw: float32(1 + 4*math.Pi), Fine: -1 - 6*math.Pi, Coarse: [3]float32{math.Pi, -math.Pi, math.Pi / 4}}
	require.Zero(t, a.Round(bytesOf(&turns)), "whole turns are no clamping")
	assert.InDelta(t, 1, turns.Yaw, math.Pi/4096+1e-6)
	assert.InDelta(t, -1, turns.Fine, 0.000005)
	assert.Equal(t, [3]float32{math.Pi, math.Pi, math.Pi / 4}, turns.Coarse)
	lost := angles{Yaw: float32(math.Inf(1)), Fine: math.NaN()}
	assert.Equal(t, 2, a.Round(bytesOf(&lost)))
	assert.Zero(t, lost.Fine)

	q, err := wire.ComponentPlan[quats]()
	require.NoError(t, err)
	none := quats{B: xyzw{X: math.NaN()}, C: [2]wxyz{{W: 1}, {}}}
	assert.Equal(t, 3, q.Round(bytesOf(&none)), "what has no direction is counted")
	assert.Equal(t, quats{A: [4]float32{0, 0, 0, 1}, B: xyzw{W: 1}, C: [2]wxyz{{W: 1}, {W: 1}}}, none, "and becomes the identity")
}

// A rotation and its negative are the same rotation, and the length of the quaternion does not
// matter.
func TestRotationsAreSentWithinTheirPrecision(t *testing.T) {
	plan, err := wire.ComponentPlan[pose]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var v, minus, long pose
		var length float64
		for i := range v.Rot {
			f := rapid.Float64Range(-1, 1).Draw(t, "part")
			v.Rot[i] = float32(f)
			length += f * f
		}
		if length < 0.01 {
			return
		}
		var dot float64
		scale := 1 / float32(math.Sqrt(length))
		for i := range v.Rot {
			v.Rot[i] *= scale
			minus.Rot[i] = -v.Rot[i]
			long.Rot[i] = 3 * v.Rot[i]
		}
		read := v
		require.Zero(t, plan.Round(bytesOf(&read)))
		require.True(t, plan.Equal(bytesOf(&v), bytesOf(&minus)))
		for i := range v.Rot {
			dot += float64(v.Rot[i]) * float64(read.Rot[i])
		}
		// Three components are off by half a step each, and the fourth by as much.
		require.Less(t, 2*math.Acos(min(1, math.Abs(dot)))*180/math.Pi, 0.6)
		plan.Round(bytesOf(&long))
		for i := range long.Rot {
			require.InDelta(t, read.Rot[i], long.Rot[i], 0.006, "the length does not matter")
		}
	})
}

func TestFieldsThatAreNotSentAreZeroOnTheOtherSide(t *testing.T) {
	s := subjectOf[nested](t)
	v := nested{Cache: [3]uint64{1, 2, 3}, Last: 9}
	dirty := nested{Cache: [3]uint64{7, 7, 7}}
	s.decode(t, s.encode(bytesOf(&v), nil), bytesOf(&dirty), nil)
	assert.Equal(t, nested{Last: 9}, dirty)
	s.plan.Round(bytesOf(&v))
	assert.Equal(t, [3]uint64{1, 2, 3}, v.Cache, "they stay on this one")
}

// Proves: G5
func TestEntitiesAreFoundByTypeAndMapped(t *testing.T) {
	plan, err := wire.ComponentPlan[links]()
	require.NoError(t, err)
	require.True(t, plan.HasRefs())
	here, there := entities(5), entities(40)[30:]

	v := links{Target: here[1]}
	v.Slots[0].Item, v.Slots[2].Item, v.Slots[3].Item = here[2], here[1], here[3]
	var sender table
	var w bits.Writer
	plan.Encode(&w, bytesOf(&v), &sender)
	require.Len(t, sender.entities, 3, "each once, and not the zero entity")

	receiver := table{entities: there[:3]}
	var got links
	var r bits.Reader
	r.Reset(w.Finish())
	require.NoError(t, plan.Decode(&r, bytesOf(&got), &receiver))
	want := links{Target: there[0]}
	want.Slots[0].Item, want.Slots[2].Item, want.Slots[3].Item = there[1], there[0], there[2]
	assert.Equal(t, want, got)

	r.Reset(w.Finish())
	assert.ErrorIs(t, plan.Decode(&r, bytesOf(&got), &table{}), wire.ErrReference)
}

// Several goroutines can use one plan. The race detector checks that.
func TestAPlanHasNoStateOfItsOwn(t *testing.T) {
	s := subjectOf[quantised](t)
	v := quantised{Pos: [3]float32{9999, 1, 2}, Uneven: 1, Fine: 3, Long: [7]float32{1, 0, 2}}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			var w bits.Writer
			for range 100 {
				assert.Equal(t, 2, s.plan.Encode(&w, bytesOf(&v), nil))
			}
		})
	}
	group.Wait()
}

func TestNothingIsAllocated(t *testing.T) {
	for _, s := range subjects(t) {
		value, into, buf := make([]byte, s.plan.Size()), make([]byte, s.plan.Size()), make([]byte, 0, 1024)
		var w bits.Writer
		var r bits.Reader
		refs := &table{}
		assert.Zero(t, alloctest.Count(50, func() {
			w.Reset(buf)
			s.plan.Encode(&w, value, refs)
			r.Reset(w.Finish())
			_ = s.plan.Decode(&r, into, refs)
			s.plan.Round(into)
			s.plan.Equal(value, into)
		}), s.name)
	}
}

func TestAValueOfAnotherSizeIsTheCallersMistake(t *testing.T) {
	plan, err := wire.ComponentPlan[packedBytes]()
	require.NoError(t, err)
	assert.PanicsWithValue(t, "protocol: a value of wire_test.packedBytes is 37 bytes, got 3: pass exactly the memory of one value",
		func() { plan.Encode(&bits.Writer{}, make([]byte, 3), nil) })
}

func TestEventsCanBeCleared(t *testing.T) {
	plan, err := wire.ComponentPlan[button]()
	require.NoError(t, err)
	v := button{Move: [2]float32{1, 0}, Fire: true, Jump: 2}
	plan.ClearEvents(bytesOf(&v))
	assert.Equal(t, button{Move: [2]float32{1, 0}}, v)
	assert.Equal(t, reflect.TypeFor[button](), plan.Type())
}

// Proves: G8
func FuzzDecodeComponent(f *testing.F) {
	all := subjects(f)
	for i := range all {
		f.Add(uint8(i), []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 250, 251, 252, 253, 254, 255, 0, 0, 0, 0})
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		s := all[int(which)%len(all)]
		refs := &table{entities: entities(20)}
		var r bits.Reader
		r.Reset(data)
		value := make([]byte, s.plan.Size())
		if err := s.plan.Decode(&r, value, refs); err != nil {
			return
		}
		n := len(data)*8 - r.RemainingBits()
		var read, written bits.Writer
		read.Copy(data, n)
		s.plan.Encode(&written, value, refs)
		require.Equal(t, n, written.LenBits(), s.name)
		require.Equal(t, read.Finish(), written.Finish(), s.name)
	})
}

// If a decoder gets the bytes of another type, it reads a value that it could have written itself,
// or returns an error. It never panics, and never reads a value that it would write in another way.
//
// Proves: G8
func TestBytesOfAnotherType(t *testing.T) {
	all := subjects(t)
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(all).Draw(t, "written as"), rapid.SampledFrom(all).Draw(t, "read as")
		refs := &table{}
		e := from.encode(from.draw(t), refs)
		var r bits.Reader
		r.Reset([]byte(e.data))
		read := make([]byte, to.plan.Size())
		if to.plan.Decode(&r, read, refs) != nil {
			return
		}
		again := to.encode(read, refs)
		require.Equal(t, len(e.data)*8-r.RemainingBits(), again.bits, "read from %s as %s", from.name, to.name)
	})
}

// For every kind of number, bits that stand for a value outside of its range are refused.
//
// Proves: G8
func TestBitsBeyondARangeAreRefused(t *testing.T) {
	refuse := func(name string, plan *wire.Plan, err error) {
		require.NoError(t, err, name)
		var r bits.Reader
		r.Reset(bytes.Repeat([]byte{0xff}, plan.MaxBits()/8+1))
		assert.ErrorIs(t, plan.Decode(&r, make([]byte, plan.Size()), nil), wire.ErrRange, name)
		assert.Zero(t, r.RemainingBits(), name)
	}
	plan, err := wire.ComponentPlan[struct {
		V [3]float32 `net:"range=-1..1,step=0.1"`
	}]()
	refuse("vector", plan, err)
	plan, err = wire.ComponentPlan[struct {
		V [9]float32 `net:"range=-1..1,step=0.1"`
	}]()
	refuse("run", plan, err)
	plan, err = wire.ComponentPlan[struct {
		V float64 `net:"range=-1..1,step=0.1"`
	}]()
	refuse("float64", plan, err)
	plan, err = wire.ComponentPlan[struct {
		V uint8 `net:"range=0..100"`
	}]()
	refuse("integer", plan, err)
	plan, err = wire.ComponentPlan[struct {
		V float32 `net:"angle,step=0.1"`
	}]()
	refuse("angle", plan, err)
	plan, err = wire.ComponentPlan[struct {
		V [4]float32 `net:"quat"`
	}]()
	refuse("quat", plan, err)
	plan, err = wire.ComponentPlan[struct {
		V [2][4]float64 `net:"quat"`
	}]()
	refuse("quats", plan, err)
}
