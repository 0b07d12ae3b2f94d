package endpoint

import (
	"cmp"
	"fmt"

	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/world/message"
)

// Load counts the memory that one end uses for one connection. Fields are in bytes unless they say
// otherwise. It is for tests and tools.
type Load struct {
	// Actions counts actions that wait to be sent, or were sent and are not acknowledged.
	Actions int
	// Early counts received messages that are incomplete, or that arrived before their
	// predecessors.
	Early int
	// Waiting counts records of replication that arrived before records that they depend on.
	Waiting int
	// Held is the number of received messages that wait for an entity, or until their tick is shown.
	Held int
	// Resources counts resources that were sent and are not acknowledged.
	Resources int
	// Kept counts the kept values of resources that refer to entities.
	Kept int
	// Queued counts messages on reliable channels, and structure, that wait or are not acknowledged,
	// including the bookkeeping for each.
	Queued int
	// InFlight is the number of packets with values that are in flight.
	InFlight int
	// Tombstones is the number of entities that ended, or moved to another group, without the peer's
	// acknowledgement.
	Tombstones int

	waitingLimit int // 0: receiver.DefaultWaitingBytes
}

// Check returns an error that names the first limit that is exceeded.
func (l Load) Check() error {
	for _, c := range []struct {
		what      string
		have, max int
	}{
		{"actions without acknowledgement", l.Actions, peer.MaxActionBytes},
		{"early and incomplete messages", l.Early, channel.ReliableWindow + channel.UnreliableWindow},
		{"waiting records", l.Waiting, cmp.Or(l.waitingLimit, receiver.DefaultWaitingBytes)},
		{"received messages that wait", l.Held, message.MaxHeld},
		{"resources without acknowledgement", l.Resources, peer.MaxResourceBytes},
		{"kept values of resources", l.Kept, message.MaxKeptResources},
		{"queued reliable messages", l.Queued, channel.DefaultReliableQueue + peer.DefaultRelayLimit},
		{"packets in flight", l.InFlight, peer.MaxInFlight},
		{"tombstones", l.Tombstones, sender.MaxTombstones},
	} {
		if c.have > c.max {
			return fmt.Errorf("%d of %s, the limit is %d", c.have, c.what, c.max)
		}
	}
	return nil
}

// Loads returns the load of each connected client.
func (s *Server) Loads() (list []Load) {
	for _, c := range s.open {
		list = append(list, loadOf(c.peer, nil, c.mail))
	}
	return list
}

// Load returns the load of the connection. It is zero without one.
func (c *Client) Load() Load {
	if c.peer == nil {
		return Load{}
	}
	return loadOf(c.peer, c.receiver, c.mail)
}

func loadOf(p *peer.Peer, r *receiver.Receiver, m *message.Inbox) Load {
	l := Load{
		Actions: p.ActionBytes(), Early: p.EarlyBytes(), Held: m.Held(), Resources: p.ResourceBytes(),
		Queued: p.QueuedBytes(), InFlight: p.InFlight(), Tombstones: p.Tombstones(),
	}
	if r != nil {
		l.Waiting, l.waitingLimit = r.WaitingBytes(), r.WaitingLimit()
	}
	if m.Resources != nil {
		l.Kept = m.Resources.Kept()
	}
	return l
}
