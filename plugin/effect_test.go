package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// Options without an implementation are refused: silence would look like a network that loses data.
func TestWhatHasNoEffectIsRefused(t *testing.T) {
	for want, register := range map[string]func(*protocol.Protocol){
		"Direction":     func(p *protocol.Protocol) { protocol.Component[spot](p).Direction(protocol.Bidirectional) },
		"InterpolateAs": func(p *protocol.Protocol) { protocol.Component[spot](p).InterpolateAs(protocol.Full) },
	} {
		p := protocol.New(protocol.Config{Name: "effect"})
		register(p)
		_, err := plugin.NewServer(plugin.ServerConfig{Protocol: p})
		assert.ErrorContains(t, err, "plugin: "+want+" of ", want)
		_, err = plugin.NewClient(plugin.ClientConfig{Protocol: p})
		assert.ErrorContains(t, err, "has no effect in this version", want)
	}
}
