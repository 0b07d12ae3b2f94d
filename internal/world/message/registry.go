package message

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
)

// agreement compares a protocol with that of the other side.
type agreement struct {
	p      *protocol.Protocol
	server bool
}

// NewRegistry returns the registry of a protocol for a peer of a server or of a client.
func NewRegistry(p *protocol.Protocol, server bool) peer.Registry { return agreement{p, server} }

// Hash implements peer.Registry.
func (r agreement) Hash() uint64 { return r.p.Hash() }

// AppendEntries implements peer.Registry.
func (r agreement) AppendEntries(dst []byte) []byte {
	return registry.AppendEntries(dst, registry.Of(r.p).Entries)
}

// Diff implements peer.Registry.
func (r agreement) Diff(entries []byte) (string, error) {
	theirs, err := registry.ParseEntries(entries)
	if err != nil {
		return "", err
	}
	if r.server {
		return registry.Diff(registry.Of(r.p).Entries, theirs), nil
	}
	return registry.Diff(theirs, registry.Of(r.p).Entries), nil
}

// Channels returns the game's own channels as one side sees them.
func Channels(p *protocol.Protocol, server bool) []channel.Config {
	var configs []channel.Config
	for i, c := range registry.Of(p).Channels {
		configs = append(configs, channel.Config{
			ID: peer.FirstUser + channel.ID(i), Name: c.Name, Mode: channel.Mode(c.Mode),
			Priority: c.Priority, KeepUnsent: c.KeepUnsent, SendEvery: c.SendEvery,
			ResendFactor: c.ResendFactor, ResendMin: c.ResendMin,
			Direction: directionOf(c.Direction, server),
		})
	}
	return configs
}

func directionOf(d registry.Direction, server bool) channel.Direction {
	switch {
	case d == registry.Bidirectional:
		return channel.Both
	case (d == registry.ServerToClient) == server:
		return channel.SendOnly
	default:
		return channel.ReceiveOnly
	}
}
