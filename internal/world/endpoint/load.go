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

// Load is what one end keeps for one connection, in bytes. It is for tests and
// tools.
type Load struct {
	// Actions that were sent or wait, and are not acknowledged.
	Actions int
	// Early messages, and incomplete ones, that were received.
	Early int
	// Waiting records of replication, that came before what they need.
	Waiting int
	// Held messages, by number, that wait for an entity they refer to.
	Held int
	// Resources that were sent and are not acknowledged.
	Resources int
	// Kept values of resources, that name entities.
	Kept int
	// Queued messages on reliable channels, and structure, that wait or are not
	// acknowledged, with what is kept about each.
	Queued int
	// InFlight packets with values, by number, whose fate is not known.
	InFlight int
	// HeldUp names of entities that ended, by number, that can't be used again before
	// the other side has acknowledged so.
	HeldUp int

	waitingLimit int // 0: receiver.DefaultWaitingBytes
}

// Check returns an error that names the first limit that is passed.
func (l Load) Check() error {
	for _, c := range []struct {
		what      string
		have, max int
	}{
		{"actions without acknowledgement", l.Actions, peer.MaxActionBytes},
		{"early and incomplete messages", l.Early, channel.ReliableWindow + channel.UnreliableWindow},
		{"waiting records", l.Waiting, cmp.Or(l.waitingLimit, receiver.DefaultWaitingBytes)},
		{"messages that wait for an entity", l.Held, message.MaxHeld},
		{"resources without acknowledgement", l.Resources, peer.MaxResourceBytes},
		{"kept values of resources", l.Kept, message.MaxKeptResources},
		{"queued reliable messages", l.Queued, channel.DefaultReliableQueue + peer.DefaultShare},
		{"packets in flight", l.InFlight, peer.MaxInFlight},
		{"names that are held up", l.HeldUp, sender.MaxHeldUp},
	} {
		if c.have > c.max {
			return fmt.Errorf("%d of %s, the limit is %d", c.have, c.what, c.max)
		}
	}
	return nil
}

// Loads returns what is kept for each connected client.
func (s *Server) Loads() (list []Load) {
	for _, c := range s.open {
		list = append(list, loadOf(c.peer, nil, c.mail))
	}
	return list
}

// Load returns what is kept for the connection, nothing without one.
func (c *Client) Load() Load {
	if c.peer == nil {
		return Load{}
	}
	return loadOf(c.peer, c.receiver, c.mail)
}

func loadOf(p *peer.Peer, r *receiver.Receiver, m *message.Mailbox) Load {
	l := Load{
		Actions: p.ActionBytes(), Early: p.EarlyBytes(), Held: len(m.Held), Resources: p.ResourceBytes(),
		Queued: p.QueuedBytes(), InFlight: p.InFlight(), HeldUp: p.HeldUp(),
	}
	if r != nil {
		l.Waiting, l.waitingLimit = r.WaitingBytes(), r.WaitingLimit()
	}
	if m.Resources != nil {
		l.Kept = m.Resources.Kept()
	}
	return l
}
