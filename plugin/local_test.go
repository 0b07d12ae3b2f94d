package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/conditioner"
	"github.com/entangle-ecs/entangle/transport/memory"
)

func TestAServerWithoutAKeyListensInMemory(t *testing.T) {
	n := memory.NewNetwork()
	for _, l := range []transport.Listener{n.Listener(), conditioner.NewListener(n.Listener(), conditioner.Options{})} {
		s, err := plugin.NewServer(plugin.ServerConfig{Protocol: testProtocol()})
		require.NoError(t, err)
		require.NoError(t, s.Start(l))
		require.NoError(t, s.Stop())
	}
}
