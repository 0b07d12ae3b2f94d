//go:build !js

package kelindar_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/entangle-ecs/entangle/protocol/kelindar"
)

type scores struct {
	Points map[string]int
	Best   *string
	Rounds []map[uint8]float32
	Ended  time.Time
	Tags   map[string]struct{}
}

func someScores() scores {
	best := "ann"
	return scores{
		Points: map[string]int{"ann": 3, "bob": -1}, Best: &best, Rounds: []map[uint8]float32{{1: 0.5}, {}},
		Ended: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC), Tags: map[string]struct{}{"a": {}},
	}
}

func planOf[T any](t testing.TB, c kelindar.Codec[T]) *wire.Plan {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Message[T](p).Codec(c)
	require.NoError(t, p.Err())
	return registry.Of(p).Messages[0].Plan
}

// Proves: G4
func TestMapsAndPointersGoOverTheWire(t *testing.T) {
	plan, v := planOf(t, kelindar.Codec[scores]{}), someScores()
	var w bits.Writer
	w.Bits(1, 3)
	require.NoError(t, wire.EncodeValue(plan, &w, &v, nil))
	var r bits.Reader
	r.Reset(w.Finish())
	r.Bits(3)
	var got scores
	require.NoError(t, wire.DecodeValue(plan, &r, &got, nil))
	require.NoError(t, r.End())
	assert.Equal(t, v, got)
	assert.True(t, wire.EqualValues(plan, &v, &got))
	got.Points["ann"]++
	assert.False(t, wire.EqualValues(plan, &v, &got))
}

func TestAValueAboveTheLimitIsTheSendersError(t *testing.T) {
	plan := planOf(t, kelindar.Codec[scores]{Limit: 10})
	v := someScores()
	var w bits.Writer
	err := wire.EncodeValue(plan, &w, &v, nil)
	assert.ErrorIs(t, err, protocol.ErrTooLong)
	assert.ErrorContains(t, err, "Codec.Limit")
	assert.Zero(t, w.LenBits())
}

func TestHostileBytesAreErrors(t *testing.T) {
	plan := planOf(t, kelindar.Codec[scores]{Limit: 300})
	read := func(length uint64, body string) error {
		var w bits.Writer
		w.Uvarint(length)
		w.Raw([]byte(body))
		var r bits.Reader
		r.Reset(w.Finish())
		var got scores
		return wire.DecodeValue(plan, &r, &got, nil)
	}
	assert.ErrorIs(t, read(301, strings.Repeat("x", 301)), protocol.ErrTooLong)
	assert.ErrorIs(t, read(300, "x"), bits.ErrShort)
	assert.Error(t, read(0, ""))

	var w bits.Writer
	v := scores{}
	require.NoError(t, wire.EncodeValue(plan, &w, &v, nil))
	var r bits.Reader
	r.Reset(w.Finish())
	n := r.Uvarint()
	body := make([]byte, n)
	r.Raw(body)
	require.NoError(t, read(n, string(body)))
	assert.ErrorIs(t, read(n+1, string(body)+"\x00"), bits.ErrTrailing)
}

// grumpy panics when it is decoded.
type grumpy struct{ N uint8 }

func (g grumpy) MarshalBinary() ([]byte, error) {
	if g.N == 9 {
		return nil, errors.New("nine is too much")
	}
	return []byte{g.N}, nil
}
func (g *grumpy) UnmarshalBinary([]byte) error { panic("not today") }

func TestAPanicBecomesAnError(t *testing.T) {
	plan := planOf(t, kelindar.Codec[grumpy]{})
	var w bits.Writer
	require.NoError(t, wire.EncodeValue(plan, &w, &grumpy{1}, nil))
	var r bits.Reader
	r.Reset(w.Finish())
	assert.ErrorContains(t, wire.DecodeValue(plan, &r, &grumpy{}, nil), "not today")
	assert.ErrorContains(t, wire.EncodeValue(plan, &w, &grumpy{9}, nil), "nine is too much")
}

type (
	hidden   struct{ In struct{ secret int } }
	list     struct{ Next *list }
	nothing  struct{ List []struct{ _ int } }
	noKeys   struct{ M map[[0]int]int }
	anything struct{ V any }
	target   struct{ By map[string]*ecs.Entity }
)

func TestTypesThatWouldLoseSomethingAreRefused(t *testing.T) {
	refused[hidden](t, protocol.ErrType, "hidden.In.secret", "not exported")
	refused[list](t, protocol.ErrType, "contains itself")
	refused[nothing](t, protocol.ErrType, "carry nothing")
	refused[noKeys](t, protocol.ErrType, "carry nothing")
	refused[anything](t, protocol.ErrType, "kelindar/binary v1.2.3")
	refused[target](t, protocol.ErrType, "target.By[]", "is an entity")
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Message[scores](p).Codec(kelindar.Codec[scores]{Limit: -1})
	assert.ErrorContains(t, p.Err(), "Codec.Limit")
}

func refused[T any](t *testing.T, kind error, words ...string) {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Message[T](p).Codec(kelindar.Codec[T]{})
	assert.ErrorIs(t, p.Err(), kind)
	for _, word := range words {
		assert.ErrorContains(t, p.Err(), word)
	}
}

type (
	scoresOld struct{ Points map[string]int }
	scoresNew struct{ Points map[string]int64 }
)

func TestVersionAndFieldsAreInTheHash(t *testing.T) {
	older, newer := kelindar.Codec[scoresOld]{}.Version(), kelindar.Codec[scoresNew]{}.Version()
	assert.Equal(t, "kelindar/binary v1.2.3 {Points map[string]int}", older)
	assert.NotEqual(t, older, newer)
}

// Proves: G8
func FuzzDecode(f *testing.F) {
	plan, v := planOf(f, kelindar.Codec[scores]{}), someScores()
	var w bits.Writer
	require.NoError(f, wire.EncodeValue(plan, &w, &v, nil))
	f.Add(w.Finish())
	f.Add([]byte{0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		var r bits.Reader
		r.Reset(data)
		var got, again scores
		if wire.DecodeValue(plan, &r, &got, nil) != nil {
			return
		}
		// The library accepts several encodings of one value, so the test compares values. A float
		// may be NaN, which equals nothing.
		var w bits.Writer
		if wire.EncodeValue(plan, &w, &got, nil) != nil {
			return
		}
		r.Reset(w.Finish())
		require.NoError(t, wire.DecodeValue(plan, &r, &again, nil))
		require.Equal(t, len(got.Points), len(again.Points))
		require.Equal(t, len(got.Rounds), len(again.Rounds))
	})
}
