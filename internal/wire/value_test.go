package wire_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type (
	line struct {
		From ecs.Entity
		Text string `net:"max=40"`
	}
	note struct {
		Title string
		Lines []line
		Curve []float32 `net:"range=0..1,step=0.125,max=9"`
		Raw   []byte
		Names [2]string
		Grid  [][]bool
		Notes map[string]int `net:"-"`
		Last  uint8          `net:"range=0..7"`
	}
)

func notePlan(t testing.TB) *wire.Plan {
	plan, err := wire.ValuePlan[note]()
	require.NoError(t, err)
	return plan
}

// Proves: G4
func TestTextAndSlicesGoOverTheWire(t *testing.T) {
	plan, es := notePlan(t), entities(3)
	v := note{
		Title: "hello, wörld", Lines: []line{{es[1], "one"}, {ecs.Entity{}, ""}, {es[2], "three"}},
		Curve: []float32{0, 0.5, 1}, Raw: []byte{0, 255}, Names: [2]string{"", "x"},
		Grid: [][]bool{{true, false}, nil, {true}}, Notes: map[string]int{"a": 1}, Last: 7,
	}
	var w bits.Writer
	var refs table
	require.NoError(t, wire.EncodeValue(plan, &w, &v, &refs))
	assert.Len(t, refs.entities, 2)

	got := note{Title: "old", Curve: []float32{9, 9, 9, 9}, Notes: map[string]int{"b": 2}}
	var r bits.Reader
	r.Reset(w.Finish())
	require.NoError(t, wire.DecodeValue(plan, &r, &got, &refs))
	require.NoError(t, r.End())
	want := v
	want.Notes = nil
	assert.Equal(t, want, got)
	assert.True(t, wire.EqualValues(plan, &v, &got))
	got.Grid[2][0] = false
	assert.False(t, wire.EqualValues(plan, &v, &got))
}

func TestRandomValuesReadBackAsTheyWereWritten(t *testing.T) {
	type numbers struct {
		A []int64
		B []struct {
			C []uint16
			D float64
			E string
		}
		F []quantised
	}
	plan, err := wire.ValuePlan[numbers]()
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		var v, got numbers
		fill(t, reflect.ValueOf(&v).Elem())
		var w, again bits.Writer
		require.NoError(t, wire.EncodeValue(plan, &w, &v, nil))
		require.LessOrEqual(t, w.LenBits(), plan.MaxBits())
		var r bits.Reader
		r.Reset(w.Finish())
		require.NoError(t, wire.DecodeValue(plan, &r, &got, nil))
		require.NoError(t, r.End())
		require.NoError(t, wire.EncodeValue(plan, &again, &got, nil))
		require.Equal(t, w.Finish(), again.Finish())
		require.True(t, wire.EqualValues(plan, &v, &got))
	})
}

func TestALongValueIsTheSendersError(t *testing.T) {
	plan := notePlan(t)
	send := func(v note) error {
		var w bits.Writer
		return wire.EncodeValue(plan, &w, &v, &table{})
	}
	assert.NoError(t, send(note{Title: strings.Repeat("x", protocol.DefaultMaxText)}))
	for name, v := range map[string]note{
		"text":           {Title: strings.Repeat("x", protocol.DefaultMaxText+1)},
		"bytes":          {Raw: make([]byte, protocol.DefaultMaxText+1)},
		"elements":       {Lines: make([]line, protocol.DefaultMaxElements+1)},
		"by tag":         {Curve: make([]float32, 10)},
		"text inside":    {Lines: []line{{Text: strings.Repeat("x", 41)}}},
		"text in array":  {Names: [2]string{1: strings.Repeat("x", protocol.DefaultMaxText+1)}},
		"slice in slice": {Grid: [][]bool{make([]bool, protocol.DefaultMaxElements+1)}},
	} {
		err := send(v)
		assert.ErrorIs(t, err, protocol.ErrTooLong, name)
		assert.ErrorContains(t, err, "max=", name)
	}
}

func TestClampedNumbersOfValuesAreCounted(t *testing.T) {
	v := note{Curve: []float32{-1, 0.5, 2}, Last: 8}
	var w bits.Writer
	n, err := wire.EncodeCounted(notePlan(t), &w, &v, &table{})
	require.NoError(t, err)
	assert.Equal(t, 3, n)
}

// The length that a peer sends is checked before memory is allocated for it.
//
// Proves: G8
func TestClaimsOfLengthCostNoMemory(t *testing.T) {
	type texts struct{ List []string }
	plan, err := wire.ValuePlan[texts]()
	require.NoError(t, err)
	var v texts
	read := func(write func(w *bits.Writer)) error {
		var w bits.Writer
		write(&w)
		var r bits.Reader
		r.Reset(w.Finish())
		return wire.DecodeValue(plan, &r, &v, nil)
	}
	assert.ErrorIs(t, read(func(w *bits.Writer) { w.Uvarint(1 << 60) }), protocol.ErrTooLong)
	assert.ErrorIs(t, read(func(w *bits.Writer) { w.Uvarint(200) }), bits.ErrShort)
	assert.Nil(t, v.List)
	assert.ErrorIs(t, read(func(w *bits.Writer) { w.Uvarint(1); w.Uvarint(1025) }), protocol.ErrTooLong)
	assert.ErrorIs(t, read(func(w *bits.Writer) { w.Uvarint(1); w.Uvarint(1000) }), bits.ErrShort)
	assert.Equal(t, []string{""}, v.List, "the second claim was not believed")
}

// A receiver would refuse a value that takes far more memory than bytes on the wire, so the sender
// does not send it.
func TestMemoryIsBoundedByTheBytesOfTheWire(t *testing.T) {
	type wide struct {
		Sparse []int64 `net:"range=0..1,max=100000"`
	}
	plan, err := wire.ValuePlan[wide]()
	require.NoError(t, err)
	fits := wide{Sparse: make([]int64, 8000)}
	var w bits.Writer
	require.NoError(t, wire.EncodeValue(plan, &w, &fits, nil))

	big := wide{Sparse: make([]int64, 20000)}
	w.Reset(nil)
	require.ErrorIs(t, wire.EncodeValue(plan, &w, &big, nil), wire.ErrMemory)
	var r bits.Reader
	r.Reset(w.Finish())
	var got wide
	assert.ErrorIs(t, wire.DecodeValue(plan, &r, &got, nil), wire.ErrMemory)
	assert.Empty(t, got.Sparse)
}

func TestAPlanOfAnotherTypeIsTheCallersMistake(t *testing.T) {
	plan := notePlan(t)
	assert.Panics(t, func() { _ = wire.EncodeValue(plan, &bits.Writer{}, &line{}, nil) })
	assert.Panics(t, func() { _ = wire.DecodeValue(plan, &bits.Reader{}, &line{}, nil) })
	assert.Panics(t, func() { plan.Encode(&bits.Writer{}, make([]byte, plan.Size()), nil) })
}

func TestDiscardReadsAsFarAsDecode(t *testing.T) {
	plan := notePlan(t)
	v := note{Title: "t", Grid: [][]bool{{true}}, Last: 3}
	var w bits.Writer
	require.NoError(t, wire.EncodeValue(plan, &w, &v, &table{}))
	n := w.LenBits()
	w.Bits(0xffff, 16)
	var r bits.Reader
	r.Reset(w.Finish())
	before := r.RemainingBits()
	require.NoError(t, plan.Discard(&r, &table{}))
	assert.Equal(t, n, before-r.RemainingBits())
	r.Reset([]byte{0xff})
	assert.Error(t, plan.Discard(&r, &table{}))
}

// Proves: G8
func FuzzDecodeValue(f *testing.F) {
	plan, refs := notePlan(f), &table{entities: entities(4)}
	v := note{Title: "title", Lines: []line{{Text: "x"}}, Curve: []float32{1}, Raw: []byte{3}, Grid: [][]bool{{true}}}
	var w bits.Writer
	require.NoError(f, wire.EncodeValue(plan, &w, &v, refs))
	f.Add(w.Finish())
	f.Fuzz(func(t *testing.T, data []byte) {
		var r bits.Reader
		r.Reset(data)
		var got note
		if wire.DecodeValue(plan, &r, &got, refs) != nil {
			return
		}
		n := len(data)*8 - r.RemainingBits()
		var read, written bits.Writer
		read.Copy(data, n)
		if err := wire.EncodeValue(plan, &written, &got, refs); err != nil {
			// The bytes that follow a value on the wire count for the receiver's memory budget.
			require.ErrorIs(t, err, wire.ErrMemory)
			return
		}
		require.Equal(t, n, written.LenBits())
		require.Equal(t, read.Finish(), written.Finish())
	})
}
