package ring_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/entangle-ecs/entangle/internal/ring"
)

// TestQueueEqualsSlice compares a queue with a slice, over growth and many turns around its memory.
func TestQueueEqualsSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q ring.Queue[int]
		plain := []int(nil)
		for i := range 40 {
			switch rapid.IntRange(0, 3).Draw(t, "verb") {
			case 0, 1:
				for k := range rapid.IntRange(1, 50).Draw(t, "n") {
					q.Push(100*i + k)
					plain = append(plain, 100*i+k)
				}
			case 2:
				n := rapid.IntRange(0, len(plain)).Draw(t, "n")
				q.Drop(n)
				plain = plain[n:]
			case 3:
				if len(plain) > 0 {
					q.Pop()
					plain = plain[:len(plain)-1]
				}
				q.Reserve(rapid.IntRange(0, 99).Draw(t, "reserve"))
			}
			require.Equal(t, len(plain), q.Len())
			for k := range plain {
				require.Equal(t, plain[k], *q.At(k))
			}
		}
	})
}
