package columns

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// plainDiff is a simple version of the tested functions.
func plainDiff(now, old []byte, size int) (m uint64) {
	for r := range len(now) / size {
		if !bytes.Equal(now[r*size:(r+1)*size], old[r*size:(r+1)*size]) {
			m |= 1 << r
		}
	}
	return m
}

var diffSizes = []int{1, 4, 8, 12, 16, 24}

// TestDiffEqualsPlainPass compares each function with the simple one, on blocks with changes anywhere.
func TestDiffEqualsPlainPass(t *testing.T) {
	for _, size := range diffSizes {
		diff := diffFuncs[size]
		require.NotNil(t, diff, size)
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				now, old := make([]byte, blockRows*size), make([]byte, blockRows*size)
				for range rapid.IntRange(0, 80).Draw(t, "changes") {
					at := rapid.IntRange(0, len(now)-1).Draw(t, "at")
					now[at] = rapid.Byte().Draw(t, "now")
					old[at] = rapid.Byte().Draw(t, "old")
				}
				require.Equal(t, plainDiff(now, old, size), diff(unsafe.Pointer(&now[0]), unsafe.Pointer(&old[0])))
			})
		})
	}
}

// TestDiffRowsEqualsPlainPass does the same for any size and number of rows.
func TestDiffRowsEqualsPlainPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 40).Draw(t, "size")
		n := rapid.IntRange(1, blockRows).Draw(t, "rows") * size
		now, old := make([]byte, n), make([]byte, n)
		for range rapid.IntRange(0, 10).Draw(t, "changes") {
			now[rapid.IntRange(0, n-1).Draw(t, "at")] = rapid.Byte().Draw(t, "now")
		}
		require.Equal(t, plainDiff(now, old, size), diffRows(now, old, size))
	})
}

// TestDiffSeesEveryBit flips each single bit of a block.
func TestDiffSeesEveryBit(t *testing.T) {
	for _, size := range diffSizes {
		diff := diffFuncs[size]
		now, old := make([]byte, blockRows*size), make([]byte, blockRows*size)
		for bit := range len(now) * 8 {
			now[bit/8] ^= 1 << (bit % 8)
			require.Equal(t, uint64(1)<<(bit/8/size), diff(unsafe.Pointer(&now[0]), unsafe.Pointer(&old[0])))
			now[bit/8] = 0
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	for _, size := range diffSizes {
		now, old := make([]byte, blockRows*size), make([]byte, blockRows*size)
		diff := diffFuncs[size]
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			for b.Loop() {
				diff(unsafe.Pointer(&now[0]), unsafe.Pointer(&old[0]))
			}
		})
	}
}
