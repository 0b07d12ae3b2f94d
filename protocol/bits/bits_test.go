package bits_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/alloctest"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The expected bytes were derived from the package documentation by hand.
func TestGoldenStreams(t *testing.T) {
	cases := []struct {
		name  string
		write func(w *bits.Writer)
		hex   string
	}{
		{"nothing", func(*bits.Writer) {}, ""},
		{"one true bit", func(w *bits.Writer) { w.Bool(true) }, "01"},
		{"first bit is the lowest", func(w *bits.Writer) { w.Bool(false); w.Bool(true); w.Bits(0b101, 3) }, "16"},
		{"little-endian memory", func(w *bits.Writer) { w.Bits(0x04030201, 32) }, "01020304"},
		{"a nibble shifts the rest", func(w *bits.Writer) { w.Bits(0xf, 4); w.Bits(0x1234, 16) }, "4f2301"},
		{"align", func(w *bits.Writer) { w.Bool(true); w.Align(); w.Bits(0xab, 8); w.Align() }, "01ab"},
		{"bits above the width are ignored", func(w *bits.Writer) { w.Bits(0xfff, 4) }, "0f"},
		{"raw inside a byte", func(w *bits.Writer) { w.Bits(1, 4); w.Raw([]byte{0x11, 0x22}) }, "112102"},
		{"sixty-four bits", func(w *bits.Writer) { w.Bool(true); w.Bits(math.MaxUint64, 64) }, "ffffffffffffffff01"},
		{"uvarint 0", func(w *bits.Writer) { w.Uvarint(0) }, "00"},
		{"uvarint 7", func(w *bits.Writer) { w.Uvarint(7) }, "0e"},
		{"uvarint 8", func(w *bits.Writer) { w.Uvarint(8) }, "01"},
		{"uvarint 71", func(w *bits.Writer) { w.Uvarint(71) }, "fd"},
		{"uvarint 72", func(w *bits.Writer) { w.Uvarint(72) }, "0300"},
		{"uvarint 8263", func(w *bits.Writer) { w.Uvarint(8263) }, "fbff"},
		{"uvarint 8264", func(w *bits.Writer) { w.Uvarint(8264) }, "07000000"},
		{"uvarint 268443719", func(w *bits.Writer) { w.Uvarint(268443719) }, "f7ffffff"},
		{"uvarint 268443720", func(w *bits.Writer) { w.Uvarint(268443720) }, "8f0402000100000000"},
		{"varint -1", func(w *bits.Writer) { w.Varint(-1) }, "02"},
		{"varint 1", func(w *bits.Writer) { w.Varint(1) }, "04"},
	}
	for _, c := range cases {
		var w bits.Writer
		c.write(&w)
		assert.Equal(t, c.hex, hex.EncodeToString(w.Finish()), c.name)
	}
}

// Pair writes the same bits as two calls of Bits, at any position of the stream and with little
// memory left.
func TestPairIsTwoWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want, got bits.Writer
		got.Reset(make([]byte, 0, rapid.IntRange(0, 100).Draw(t, "room")))
		for range rapid.IntRange(1, 8).Draw(t, "pairs") {
			before, n := rapid.UintRange(0, 64).Draw(t, "before"), rapid.UintRange(64, 128).Draw(t, "n")
			low, high := rapid.Uint64().Draw(t, "low"), rapid.Uint64().Draw(t, "high")&(1<<(n-64)-1)
			for _, w := range []*bits.Writer{&want, &got} {
				w.Bits(low, before)
			}
			want.Bits(low, 64)
			want.Bits(high, n-64)
			got.Pair(low, high, n)
		}
		require.Equal(t, want.Finish(), got.Finish())
	})
}

// step is one write of a random stream, with the read that checks it.
type step struct {
	kind  int
	v     uint64
	n     uint
	bytes []byte
}

func drawSteps(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			kind:  rapid.IntRange(0, 6).Draw(t, "kind"),
			v:     rapid.Uint64().Draw(t, "v") >> rapid.UintRange(0, 63).Draw(t, "shift"),
			n:     rapid.UintRange(0, 64).Draw(t, "n"),
			bytes: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "bytes"),
		}
	}), 0, 60).Draw(t, "steps")
}

func (s step) write(w *bits.Writer) {
	switch s.kind {
	case 0:
		w.Bits(s.v, s.n)
	case 1:
		w.Bool(s.v&1 == 1)
	case 2:
		w.Uvarint(s.v)
	case 3:
		w.Varint(int64(s.v))
	case 4:
		w.Align()
	case 5:
		w.Raw(s.bytes)
	case 6:
		w.Copy(s.bytes, len(s.bytes)*8-int(s.n)*len(s.bytes)/80)
	}
}

func (s step) check(t require.TestingT, r *bits.Reader) {
	switch s.kind {
	case 0:
		require.Equal(t, s.v&(1<<s.n-1), r.Bits(s.n))
	case 1:
		require.Equal(t, s.v&1 == 1, r.Bool())
	case 2:
		require.Equal(t, s.v, r.Uvarint())
	case 3:
		require.Equal(t, int64(s.v), r.Varint())
	case 4:
		r.Align()
	case 5:
		got := make([]byte, len(s.bytes))
		r.Raw(got)
		require.Equal(t, append([]byte{}, s.bytes...), got)
	case 6:
		n := len(s.bytes)*8 - int(s.n)*len(s.bytes)/80
		got := make([]byte, (n+7)/8)
		r.Copy(got, n)
		want := append([]byte{}, s.bytes[:len(got)]...)
		if n&7 != 0 {
			want[len(want)-1] &= 1<<(n&7) - 1
		}
		require.Equal(t, want, got)
	}
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := drawSteps(t)
		prefix := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "prefix")
		var w bits.Writer
		w.Reset(append([]byte{}, prefix...))
		for _, s := range steps {
			s.write(&w)
		}
		n := w.LenBits()
		out := w.Finish()
		require.Equal(t, append([]byte{}, prefix...), append([]byte{}, out[:len(prefix)]...))
		require.Equal(t, (n+7)/8, len(out)-len(prefix))

		var r bits.Reader
		r.Reset(out[len(prefix):])
		for _, s := range steps {
			s.check(t, &r)
		}
		require.NoError(t, r.Err())
		require.Equal(t, -n&7, r.RemainingBits())
		require.NoError(t, r.End())
	})
}

// The Writer equals a simple model that keeps one bool per bit.
func TestWriterEqualsOneBitAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w bits.Writer
		var plain []byte
		at := 0
		for range rapid.IntRange(0, 100).Draw(t, "count") {
			v, n := rapid.Uint64().Draw(t, "v"), rapid.UintRange(0, 64).Draw(t, "n")
			w.Bits(v, n)
			for i := range n {
				if at%8 == 0 {
					plain = append(plain, 0)
				}
				plain[at/8] |= byte(v>>i&1) << (at % 8)
				at++
			}
		}
		require.Equal(t, at, w.LenBits())
		require.Equal(t, append([]byte{}, plain...), append([]byte{}, w.Finish()...))
	})
}

// For any bytes, the Reader equals a simple model that looks at one bit at a time.
func TestReaderEqualsOneBitAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "data")
		var r bits.Reader
		r.Reset(data)
		at, end := uint(0), uint(len(data)*8)
		next := func(n uint) (v uint64) {
			for i := range min(n, end-at) {
				v |= uint64(data[(at+i)/8]>>((at+i)%8)&1) << i
			}
			return v
		}
		for r.Err() == nil {
			require.Equal(t, int(end-at), r.RemainingBits())
			n := rapid.UintRange(0, 64).Draw(t, "n")
			require.Equal(t, next(bits.PeekBits), r.Peek()&(1<<bits.PeekBits-1))
			var got, want uint64
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				want, got = next(n), r.Bits(n)
			case 1:
				n = 1
				want = next(1)
				if r.Bool() {
					got = 1
				}
			case 2:
				r.Skip(n)
			}
			if n > end-at {
				require.ErrorIs(t, r.Err(), bits.ErrShort)
				require.Zero(t, got)
				require.Zero(t, r.Peek())
				require.Zero(t, r.RemainingBits())
				return
			}
			require.NoError(t, r.Err())
			require.Equal(t, want, got)
			if at += n; at == end {
				return
			}
		}
	})
}

func TestCopySplicesAtAnyBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "src")
		n := rapid.IntRange(0, len(src)*8).Draw(t, "bits")
		lead := rapid.UintRange(0, 70).Draw(t, "lead")
		var fast, plain bits.Writer
		for range lead {
			fast.Bool(true)
			plain.Bool(true)
		}
		fast.Copy(src, n)
		for i := range n {
			plain.Bool(src[i/8]>>(i%8)&1 == 1)
		}
		fast.Bits(5, 3)
		plain.Bits(5, 3)
		require.Equal(t, append([]byte{}, plain.Finish()...), append([]byte{}, fast.Finish()...))
	})
}

// Proves: G8
func TestReaderErrors(t *testing.T) {
	cases := []struct {
		name string
		data []byte
		read func(r *bits.Reader)
		err  error
	}{
		{"one bit too many", []byte{1}, func(r *bits.Reader) { r.Bits(9) }, bits.ErrShort},
		{"a word too many", make([]byte, 15), func(r *bits.Reader) { r.Bits(64); r.Bits(64) }, bits.ErrShort},
		{"raw", []byte{1}, func(r *bits.Reader) { r.Raw(make([]byte, 2)) }, bits.ErrShort},
		{"copy", []byte{1}, func(r *bits.Reader) { r.Copy(make([]byte, 2), 9) }, bits.ErrShort},
		{"cut uvarint", []byte{0x8f, 1}, func(r *bits.Reader) { r.Uvarint() }, bits.ErrShort},
		{"long uvarint", []byte{0x0f, 0, 0, 0, 0, 0, 0, 0, 0}, func(r *bits.Reader) { r.Uvarint() }, bits.ErrLong},
		{"dirty align", []byte{2, 1}, func(r *bits.Reader) { r.Bool(); r.Align() }, bits.ErrPadding},
		{"dirty end", []byte{2}, func(r *bits.Reader) { r.Bool() }, bits.ErrPadding},
		{"a byte left", []byte{1, 0}, func(r *bits.Reader) { r.Bits(8) }, bits.ErrTrailing},
		{"first error stays", nil, func(r *bits.Reader) { r.Bool(); r.Fail(errors.New("later")) }, bits.ErrShort},
	}
	for _, c := range cases {
		var r bits.Reader
		r.Reset(c.data)
		c.read(&r)
		assert.ErrorIs(t, r.End(), c.err, c.name)
		assert.Zero(t, r.Bits(64), c.name)
		assert.Zero(t, r.Uvarint(), c.name)
		assert.Zero(t, r.RemainingBits(), c.name)
	}
}

func TestFailedReadLeavesTheDestination(t *testing.T) {
	var r bits.Reader
	r.Reset([]byte{1, 2})
	dst := []byte{9, 9, 9}
	r.Raw(dst)
	assert.Equal(t, []byte{9, 9, 9}, dst)
}

func TestCopyOfMoreThanThereIsPanics(t *testing.T) {
	assert.Panics(t, func() { new(bits.Writer).Copy([]byte{1}, 9) })
	assert.Panics(t, func() { new(bits.Reader).Copy([]byte{1}, 9) })
}

func TestUvarintBits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Uint64().Draw(t, "v") >> rapid.UintRange(0, 63).Draw(t, "shift")
		var w bits.Writer
		w.Uvarint(v)
		require.Equal(t, w.LenBits(), bits.UvarintBits(v))
	})
}

func TestNoAllocation(t *testing.T) {
	buf := make([]byte, 0, 256)
	src := make([]byte, 64)
	var w bits.Writer
	var r bits.Reader
	assert.Zero(t, alloctest.Count(100, func() {
		w.Reset(buf)
		w.Bits(3, 5)
		w.Uvarint(300)
		w.Raw(src[:9])
		w.Copy(src, 300)
		w.Align()
		r.Reset(w.Finish())
		r.Bits(5)
		r.Uvarint()
		r.Raw(src[:9])
		r.Copy(src, 300)
	}))
}

// FuzzReader uses the first half of the input as the calls of a Reader over the second half, and
// requires that the values read are written back as the same bits.
func FuzzReader(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0x40, 0x23, 0x51, 0x12, 9, 8, 7, 6})
	f.Fuzz(func(t *testing.T, in []byte) {
		plan, data := in[:len(in)/2], in[len(in)/2:]
		var r bits.Reader
		var w bits.Writer
		r.Reset(data)
		for _, p := range plan {
			before := r
			mirror(&r, &w, p)
			if r.Err() != nil {
				require.Zero(t, r.RemainingBits())
				require.NoError(t, before.Err())
				return
			}
		}
		n := w.LenBits()
		require.Equal(t, len(data)*8-r.RemainingBits(), n)
		out := w.Finish()
		for i := range n {
			require.Equal(t, data[i/8]>>(i%8)&1, out[i/8]>>(i%8)&1, fmt.Sprint("bit ", i))
		}
	})
}

func mirror(r *bits.Reader, w *bits.Writer, p byte) {
	switch p % 5 {
	case 0:
		n := uint(p) % 65
		if v := r.Bits(n); r.Err() == nil {
			w.Bits(v, n)
		}
	case 1:
		if v := r.Uvarint(); r.Err() == nil {
			w.Uvarint(v)
		}
	case 2:
		if v := r.Varint(); r.Err() == nil {
			w.Varint(v)
		}
	case 3:
		if r.Align(); r.Err() == nil {
			w.Align()
		}
	case 4:
		dst := make([]byte, p/8)
		if r.Raw(dst); r.Err() == nil {
			w.Raw(dst)
		}
	}
}

// In the next two benchmarks, one operation is 512 fields.
func BenchmarkWrite512Fields(b *testing.B) {
	buf := make([]byte, 0, 4096)
	var w bits.Writer
	for b.Loop() {
		w.Reset(buf)
		for i := range 512 {
			w.Bits(uint64(i), 17)
		}
	}
}

func BenchmarkRead512Fields(b *testing.B) {
	data := make([]byte, 4096)
	var r bits.Reader
	var sum uint64
	for b.Loop() {
		r.Reset(data)
		for range 512 {
			sum += r.Bits(17)
		}
	}
	_ = sum
}

func BenchmarkCopy(b *testing.B) {
	src, buf := make([]byte, 1000), make([]byte, 0, 4096)
	b.SetBytes(1000)
	var w bits.Writer
	for b.Loop() {
		w.Reset(buf)
		w.Bits(1, 3)
		w.Copy(src, 8000)
	}
}
