package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRootIsTheNearest(t *testing.T) {
	for n := int64(0); n < 70000; n++ {
		r := root(n)
		require.True(t, (2*r-1)*(2*r-1) <= 4*n || r == 0, "%d", n)
		require.True(t, 4*n <= (2*r+1)*(2*r+1), "%d", n)
	}
	assert.EqualValues(t, 32767, root(32767*32767))
	assert.Zero(t, root(-1))
}
