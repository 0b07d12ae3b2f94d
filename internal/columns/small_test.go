package columns

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawPair returns two values of n bytes that are equal or differ in some.
func drawPair(t *rapid.T, n int) (a, b []byte) {
	a = rapid.SliceOfN(rapid.ByteRange(0, 3), n, n).Draw(t, "value")
	b = bytes.Clone(a)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		b[rapid.IntRange(0, n-1).Draw(t, "at")] = rapid.ByteRange(0, 3).Draw(t, "byte")
	}
	return a, b
}

// TestDifferEqualsBytesEqual compares values of all small lengths.
func TestDifferEqualsBytesEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 80).Draw(t, "bytes")
		a, b := drawPair(t, n)
		require.Equal(t, !bytes.Equal(a, b), differ(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), n) != 0)
	})
}

// TestSmallSegmentEqualsPlainPass compares, reports and updates columns of a few rows.
func TestSmallSegmentEqualsPlainPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 3, 4, 7, 8, 12, 13, 24, 40}).Draw(t, "size")
		rows := make([]Slot, rapid.IntRange(1, smallRows).Draw(t, "rows"))
		for r := range rows {
			rows[r] = Slot(r + 1)
		}
		now, old := drawPair(t, len(rows)*size)
		want := []Slot{99}
		for r, slot := range rows {
			if !bytes.Equal(now[r*size:(r+1)*size], old[r*size:(r+1)*size]) {
				want = append(want, slot)
			}
		}
		v := view{unsafe.Pointer(&now[0]), unsafe.Pointer(&old[0])}
		o := outline{[]view{v}, []shapeCol{{size: size}}, len(rows)}
		require.Equal(t, len(want) == 1, o.nextDiffering(0) == 1)
		report := []Slot{99}
		takeDiffering(&report, rows, &v, size)
		require.Equal(t, want, report)
		require.Equal(t, now, old)
	})
}
