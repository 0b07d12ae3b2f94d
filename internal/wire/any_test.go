package wire_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

type anyValue struct {
	Text  string
	Marks []uint16
	Who   ecs.Entity
	Own   int `net:"-"`
}

// A value that is passed as a pointer of unknown type is written like one of its known type, and
// reading overwrites what was there.
func TestAValueOfUnknownTypeIsWrittenAsThatOfItsType(t *testing.T) {
	plan, err := wire.ValuePlan[anyValue]()
	require.NoError(t, err)
	v := anyValue{"text", []uint16{1, 2}, ecs.Entity{}, 7}
	var w, typed bits.Writer
	_, err = plan.EncodeAny(&w, &v, nil)
	require.NoError(t, err)
	require.NoError(t, wire.EncodeValue(plan, &typed, &v, nil))
	body := w.Finish()
	require.Equal(t, typed.Finish(), body)

	got := anyValue{Text: "longer than before", Marks: []uint16{9, 9, 9}, Own: 3}
	var r bits.Reader
	r.Reset(body)
	require.NoError(t, plan.DecodeAny(&r, &got, nil))
	assert.Equal(t, anyValue{Text: "text", Marks: []uint16{1, 2}}, got)
	assert.True(t, plan.EqualAny(&v, &got))
	got.Marks[0]++
	assert.False(t, plan.EqualAny(&v, &got))
	assert.True(t, plan.Canonical())

	v.Text = string(make([]byte, protocol.DefaultMaxText+1))
	_, err = plan.EncodeAny(&w, &v, nil)
	assert.ErrorIs(t, err, protocol.ErrTooLong)
	for _, wrong := range []any{nil, v, &w, (*anyValue)(nil)} {
		assert.False(t, plan.Takes(wrong))
		assert.Panics(t, func() { plan.EqualAny(wrong, &v) })
	}
}

// A codec with a comparison of its own may write equal values in different ways.
func TestACodecThatComparesIsNotCanonical(t *testing.T) {
	assert.True(t, planWith(t, protocol.Codec[pose](poseCodec{})).Canonical())
	assert.False(t, planWith(t, protocol.Codec[pose](fastCodec{})).Canonical())
}
