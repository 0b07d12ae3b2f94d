package wire_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// learned returns codes that fit a few values of a subject, and the same codes after they were sent
// to the other side, one version after the other.
func (s subject) learned(t *rapid.T) (codes, received *stepcode.Codes) {
	var counter wire.StepCounter
	for range rapid.IntRange(0, 3).Draw(t, "versions") {
		var trail stepcode.Trail
		for range rapid.IntRange(1, 3).Draw(t, "records") {
			from, _ := s.bases(t, &table{})
			value := s.near(t, from.Base)
			for range rapid.SampledFrom([]int{1, 40, 400}).Draw(t, "times") {
				from.Trail = &trail
				counter.Add(s.plan, &from, value)
			}
		}
		if next := counter.Derive(codes, stepcode.MaxBooks); next != nil {
			received = sendCodes(t, next, codes, received)
			codes = next
		}
	}
	return codes, received
}

func sendCodes(t require.TestingT, next, over, theirs *stepcode.Codes) *stepcode.Codes {
	var w bits.Writer
	next.Append(&w, over)
	assert.LessOrEqual(t, w.LenBits(), stepcode.MaxCodesBits)
	var r bits.Reader
	r.Reset(w.Finish())
	received, err := stepcode.ReadCodes(&r, theirs)
	require.NoError(t, err)
	require.NoError(t, r.End())
	return received
}

// With learned codes, a difference gives the same value as without, and can be skipped without a
// baseline.
//
// Proves: R30
func TestADifferenceInLearnedCodesGivesTheWholeValue(t *testing.T) {
	for _, s := range subjects(t) {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				codes, received := s.learned(t)
				var w bits.Writer
				var sending, receiving, skipping stepcode.Trail
				refs := &table{}
				for range 3 {
					sent, held := s.bases(t, refs)
					value := s.near(t, sent.Base)
					whole, got := make([]byte, len(value)), make([]byte, len(value))
					s.decode(t, s.encode(value, refs), whole, refs)
					at := w.LenBits()
					sent.Trail, sent.Codes = &sending, codes
					held.Trail, held.Codes = &receiving, received
					s.plan.EncodeDelta(&w, &sent, value, refs)
					r := readerAt(&w, at)
					skipper := r
					require.NoError(t, s.plan.DecodeDelta(&r, &held, got, refs))
					require.NoError(t, s.plan.SkipDelta(&skipper, &skipping, received))
					require.Equal(t, skipper.RemainingBits(), r.RemainingBits())
					require.Less(t, r.RemainingBits(), 8)
					require.Equal(t, s.encode(whole, refs), s.encode(got, refs))
				}
			})
		})
	}
}

// Values that continue to move in the same way take fewer bits with learned codes. Codes that fit
// are not sent again.
func TestLearnedCodesAreShorter(t *testing.T) {
	type spot struct {
		X, Y float32 `net:"range=-1000..1000,step=0.01"`
	}
	s := subjectOf[spot](t)
	base, value := bytesOf(&spot{}), bytesOf(&spot{X: 3, Y: -0.4})
	size := func(codes *stepcode.Codes) int {
		var w bits.Writer
		s.plan.EncodeDelta(&w, &wire.Bases{Base: base, Trail: &stepcode.Trail{}, Codes: codes}, value, nil)
		return w.LenBits()
	}
	var counter wire.StepCounter
	learn := func() {
		for range 1000 {
			counter.Add(s.plan, &wire.Bases{Base: base, Trail: &stepcode.Trail{}}, value)
		}
	}
	assert.Nil(t, counter.Derive(nil, stepcode.MaxBooks), "of nothing nothing is learned")
	learn()
	codes := counter.Derive(nil, stepcode.MaxBooks)
	require.NotNil(t, codes)
	assert.Less(t, size(codes), size(nil)-2)
	learn()
	assert.Nil(t, counter.Derive(codes, stepcode.MaxBooks))
}

// A step that has not occurred and is rare in the built-in codes has no learned code, and is
// written nevertheless.
func TestStepsWithoutACodeComeBack(t *testing.T) {
	type spot struct {
		X float32 `net:"range=-1000..1000,step=0.01"`
	}
	s := subjectOf[spot](t)
	base, usual := bytesOf(&spot{}), bytesOf(&spot{X: 0.01})
	var counter wire.StepCounter
	var trail stepcode.Trail
	for range 3000 {
		counter.Add(s.plan, &wire.Bases{Base: base, Trail: &trail}, usual)
	}
	codes := counter.Derive(nil, stepcode.MaxBooks)
	require.NotNil(t, codes)
	for class := range 16 {
		for _, step := range []float32{0.01, -0.01} {
			var w bits.Writer
			var sending, receiving stepcode.Trail
			v, got := bytesOf(&spot{X: step * float32(int(1)<<class)}), bytesOf(&spot{})
			s.plan.EncodeDelta(&w, &wire.Bases{Base: base, Trail: &sending, Codes: codes}, usual, nil)
			s.plan.EncodeDelta(&w, &wire.Bases{Base: base, Trail: &sending, Codes: codes}, v, nil)
			r := readerAt(&w, 0)
			for range 2 {
				require.NoError(t, s.plan.DecodeDelta(&r, &wire.Bases{Base: base, Trail: &receiving, Codes: codes}, got, nil))
			}
			require.True(t, s.plan.Equal(v, got), "class %d, %v", class, step)
		}
	}
}

// The codes that are derived from counts are the same on all machines.
func TestGoldenCodes(t *testing.T) {
	type spot struct {
		X, Y float32 `net:"range=-1000..1000,step=0.01"`
	}
	s := subjectOf[spot](t)
	var counter wire.StepCounter
	var trail stepcode.Trail
	for i := range 2000 {
		x := float32(i*i%97) / 10
		counter.Add(s.plan, &wire.Bases{Base: bytesOf(&spot{}), Trail: &trail}, bytesOf(&spot{X: x, Y: -x / 3}))
	}
	var w bits.Writer
	counter.Derive(nil, stepcode.MaxBooks).Append(&w, nil)
	assert.Equal(t, "888ee5ec5ecece96426539d7b7d3d3032c7fcefdf4fc7c03562c67f732f6b61c2acbbabd9c9d2d854a93eeabe7e7075c3e9dfbe9f9f9"+
		"06933d6d7b36f6764101", hex.EncodeToString(w.Finish()))
}

// If bytes can be read as codes, writing the codes gives the same bytes, and the codes can be used.
func FuzzCodes(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{1, 0, 0xff, 0x77, 0x12, 0x40, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, in []byte) {
		var r bits.Reader
		r.Reset(in)
		codes, err := stepcode.ReadCodes(&r, nil)
		if err != nil {
			require.Nil(t, codes)
			return
		}
		n := len(in)*8 - r.RemainingBits()
		var w bits.Writer
		codes.Append(&w, nil)
		require.Equal(t, n, w.LenBits())
		r.Reset(w.Finish())
		_, err = stepcode.ReadCodes(&r, nil)
		require.NoError(t, err)
	})
}

// Codes that a peer sends are checked before they are used.
//
// Proves: G8
func TestMalformedCodesAreRefused(t *testing.T) {
	const (
		one     = "1000000" // context
		first   = "0000"    // skipped contexts: none
		unsent  = "0000000000"
		halves  = "1000" + "000000000" + "000" // 1 bit for class 0, and 1 bit for far
		quarter = "1100" + "000000000" + "000" // 2 bits for class 0, and 1 bit for far
	)
	read := func(stream string) error {
		var r bits.Reader
		r.Reset(packBits(stream))
		codes, err := stepcode.ReadCodes(&r, nil)
		assert.Equal(t, err == nil, codes != nil, stream)
		return err
	}
	require.NoError(t, read(one+first+halves))
	for name, stream := range map[string]string{
		"no codes":                   "0000000",
		"bits are left over":         one + first + quarter,
		"far takes all, and more":    one + first + "1000" + "1000" + "00000000" + "000",
		"a sign of class 0":          one + "0100" + halves,
		"beyond the last context":    one + "110" + "0001100010000" + halves,
		"far beyond":                 one + "1111" + "11111111" + halves,
		"the other sign of no class": one + "0100" + unsent,
	} {
		assert.Error(t, read(stream+"000000000000000000000000"), name)
	}
}

// Codes have at most as many books as allowed, namely those that save most. If there is nothing new
// to send, nothing is allocated.
func TestCodesHaveSoManyBooksAtMost(t *testing.T) {
	type spot struct {
		X, Y, Z float32 `net:"range=-1000..1000,step=0.01"`
	}
	s := subjectOf[spot](t)
	var counter wire.StepCounter
	base := bytesOf(&spot{})
	add := func() {
		var trail stepcode.Trail
		for i := range 400 {
			value := bytesOf(&spot{X: 3, Y: float32(i % 2), Z: float32(i%3) * 100})
			counter.Add(s.plan, &wire.Bases{Base: base, Trail: &trail}, value)
		}
	}
	add()
	few := counter.Derive(nil, 2)
	require.NotNil(t, few)
	assert.Equal(t, 2, few.Books())
	add()
	assert.Nil(t, counter.Derive(few, 2), "there is no room for more")
	more := counter.Derive(few, stepcode.MaxBooks)
	require.NotNil(t, more)
	assert.Greater(t, more.Books(), 2)
	assert.Zero(t, (*stepcode.Codes)(nil).Books())
	add()
	assert.Zero(t, alloctest.Count(10, func() { counter.Derive(more, stepcode.MaxBooks) }))
}
