package plugin_test

import (
	"testing"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/plugin"
)

func TestHowManyRollbacksAreExplainedIsChecked(t *testing.T) {
	for keep, says := range map[int]string{-1: "ExplainRollbacks is -1 rollbacks", 4097: "give up to 4096"} {
		_, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), ExplainRollbacks: keep})
		assert.ErrorContains(t, err, says)
	}
}

func TestAClientThatNeverRolledBackHasNothingToExplain(t *testing.T) {
	for _, keep := range []int{0, 4096} {
		client, err := plugin.NewClient(plugin.ClientConfig{Protocol: testProtocol(), ExplainRollbacks: keep})
		require.NoError(t, err)
		assert.Empty(t, client.Rollbacks())
		w := ecs.NewWorld()
		client.Initialize(&w)
		client.Update(&w)
		assert.Empty(t, client.Rollbacks())
		client.Finalize(&w)
	}
}
