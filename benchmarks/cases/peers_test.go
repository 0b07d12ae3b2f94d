package cases

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryScenarioForPeersRuns runs each variant for a few rounds, except those of All.
func TestEveryScenarioForPeersRuns(t *testing.T) {
	listed := map[string]bool{}
	for _, v := range All() {
		listed[v.Name] = true
	}
	seen := map[string]bool{}
	for _, v := range Peers() {
		assert.False(t, seen[v.Name], "%s is there twice", v.Name)
		seen[v.Name] = true
		if listed[v.Name] {
			continue
		}
		r, err := v.Run(true)
		require.NoError(t, err)
		assert.Positive(t, r.OursNs, v.Name)
		assert.Equal(t, !strings.HasPrefix(v.Name, "still"), r.Bytes > 0, v.Name)
	}
}
