package netsim_test

import (
	"errors"

	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

// hostPlayer is the id of a host's own player.
const hostPlayer = 100

// newServer returns a server. In some worlds it is a host with a player that is about to join.
func (s *randomScene) newServer(config plugin.ServerConfig) (netsim.App, *plugin.Server) {
	if s.limits.host == 0 {
		server := newServer(s.t, config)
		return server, server
	}
	host, err := plugin.NewHost(config, hostPlayer)
	require.NoError(s.t, err)
	require.NoError(s.t, host.Player().Connect([]byte("first")))
	s.host, s.mail.host = host, host
	return host, host.Server
}

var errPlayer = errors.New("give joins, leaves or is kicked")

// player runs a command for a host's own player.
func (s *randomScene) player(args *script.Args, _ *script.Trace) {
	away := s.host == nil || s.host.Player().State() == plugin.Disconnected
	switch {
	case args.Take("joins"):
		if s.host != nil && away {
			args.Fail(s.host.Player().Connect(nil))
		}
	case args.Take("leaves"):
		if !away {
			s.host.Player().Disconnect()
		}
	case args.Take("is") && args.Take("kicked"):
		if !away {
			s.host.Disconnect(hostPlayer, "kicked")
		}
	default:
		args.Fail(errPlayer)
	}
}
