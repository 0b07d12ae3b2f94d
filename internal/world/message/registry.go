package message

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/protocol"
)

// registry is a protocol as a peer compares it.
type registry struct {
	p      *protocol.Protocol
	server bool
}

// NewRegistry returns what a peer of a server, or of a client, needs of a
// protocol.
func NewRegistry(p *protocol.Protocol, server bool) peer.Registry { return registry{p, server} }

// Hash implements peer.Registry.
func (r registry) Hash() uint64 { return r.p.Hash() }

// AppendEntries implements peer.Registry.
func (r registry) AppendEntries(dst []byte) []byte {
	return protocol.AppendEntries(dst, r.p.Entries())
}

// Diff implements peer.Registry.
func (r registry) Diff(entries []byte) (string, error) {
	theirs, err := protocol.ParseEntries(entries)
	if err != nil {
		return "", err
	}
	if r.server {
		return protocol.Diff(r.p.Entries(), theirs), nil
	}
	return protocol.Diff(theirs, r.p.Entries()), nil
}

// Channels returns the game's own channels as one side sees them.
func Channels(p *protocol.Protocol, server bool) []channel.Config {
	var configs []channel.Config
	for i, c := range p.Channels() {
		configs = append(configs, channel.Config{
			ID: peer.FirstUser + channel.ID(i), Name: c.Name, Mode: channel.Mode(c.Mode),
			Priority: c.Priority, KeepUnsent: c.KeepUnsent, SendEvery: c.SendEvery,
			ResendFactor: c.ResendFactor, ResendMin: c.ResendMin,
			Direction: directionOf(c.Direction, server),
		})
	}
	return configs
}

func directionOf(d protocol.Direction, server bool) channel.Direction {
	switch {
	case d == protocol.Bidirectional:
		return channel.Both
	case (d == protocol.ServerToClient) == server:
		return channel.SendOnly
	default:
		return channel.ReceiveOnly
	}
}
