package wire_test

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

var errPose = errors.New("no pose")

// poseCodec sends the integer part of a position, and no rotation.
type poseCodec struct{ version string }

func (poseCodec) Encode(w *bits.Writer, v *pose) {
	for _, x := range v.Pos {
		w.Varint(int64(x))
	}
}

func (poseCodec) Decode(r *bits.Reader, v *pose) error {
	for i := range v.Pos {
		x := r.Varint()
		if x > math.MaxInt16 {
			return errPose
		}
		v.Pos[i] = float32(x)
	}
	return nil
}

func (c poseCodec) Version() string { return c.version }

// fastCodec has a comparison and a maximum size of its own.
type fastCodec struct{ poseCodec }

func (fastCodec) Equal(a, b *pose) bool { return int64(a.Pos[0]) == int64(b.Pos[0]) }
func (fastCodec) MaxBits() int          { return 99 }

func planWith[T any](t *testing.T, c protocol.Codec[T]) *wire.Plan {
	p := protocol.New(protocol.Config{Name: "game"})
	protocol.Component[T](p).Codec(c)
	require.NoError(t, p.Err())
	return registry.Of(p).ComponentOf(reflect.TypeFor[T]()).Plan
}

// Proves: G4
func TestATypeBringsItsOwnCodec(t *testing.T) {
	plan := planWith(t, protocol.Codec[pose](poseCodec{version: "1"}))
	v := pose{Pos: [3]float32{1.5, -2.5, 300}, Rot: [4]float32{1}}
	var w bits.Writer
	plan.Encode(&w, bytesOf(&v), nil)
	assert.Equal(t, 4+4+16, w.LenBits())

	got := pose{Rot: [4]float32{7}}
	var r bits.Reader
	r.Reset(w.Finish())
	require.NoError(t, plan.Decode(&r, bytesOf(&got), nil))
	assert.Equal(t, pose{Pos: [3]float32{1, -2, 300}}, got, "decoded into a zero value")

	assert.False(t, plan.Exact())
	assert.True(t, plan.Equal(bytesOf(&v), bytesOf(&got)))
	got.Pos[1] = 9
	assert.False(t, plan.Equal(bytesOf(&v), bytesOf(&got)))
	plan.Round(bytesOf(&v))
	assert.Equal(t, pose{Pos: [3]float32{1, -2, 300}}, v)
	assert.Zero(t, plan.MaxBits())
}

func TestACodecsErrorEndsTheStream(t *testing.T) {
	plan := planWith(t, protocol.Codec[pose](poseCodec{version: "1"}))
	var w bits.Writer
	w.Varint(1 << 40)
	w.Bits(0xff, 8)
	var r bits.Reader
	r.Reset(w.Finish())
	var got pose
	assert.ErrorIs(t, plan.Decode(&r, bytesOf(&got), nil), errPose)
	assert.Zero(t, r.RemainingBits())
}

func TestACodecMayCompareAndKnowItsSize(t *testing.T) {
	plan := planWith(t, protocol.Codec[pose](fastCodec{poseCodec{"1"}}))
	a, b := pose{Pos: [3]float32{1, 2, 3}}, pose{Pos: [3]float32{1.5, 9, 9}}
	assert.True(t, plan.Equal(bytesOf(&a), bytesOf(&b)), "by its own word")
	assert.Equal(t, 99, plan.MaxBits())
}

// ownerCodec sends an entity by the table of references.
type ownerCodec struct{}

func (ownerCodec) Encode(*bits.Writer, *withEntity)       { panic("has references") }
func (ownerCodec) Decode(*bits.Reader, *withEntity) error { panic("has references") }
func (ownerCodec) Version() string                        { return "1" }

func (ownerCodec) EncodeRefs(w *bits.Writer, v *withEntity, refs protocol.RefWriter) {
	w.Uvarint(uint64(refs.Index(v.Other)))
}

func (ownerCodec) DecodeRefs(r *bits.Reader, v *withEntity, refs protocol.RefReader) error {
	e, ok := refs.At(uint32(r.Uvarint()))
	if !ok {
		return wire.ErrReference
	}
	v.Other = e
	return nil
}

func TestACodecMapsEntities(t *testing.T) {
	plan := planWith(t, protocol.Codec[withEntity](ownerCodec{}))
	assert.True(t, plan.HasRefs())
	es := entities(3)
	a, b := withEntity{es[0]}, withEntity{es[1]}
	assert.False(t, plan.Equal(bytesOf(&a), bytesOf(&b)), "the same place in two tables is not the same entity")
	same := a
	plan.Round(bytesOf(&same))
	assert.Equal(t, a, same)

	var w bits.Writer
	plan.Encode(&w, bytesOf(&a), &table{})
	var r bits.Reader
	r.Reset(w.Finish())
	require.NoError(t, plan.Decode(&r, bytesOf(&b), &table{entities: []ecs.Entity{es[2]}}))
	assert.Equal(t, es[2], b.Other)
}
