package netsim_test

import (
	"maps"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
)

// mention is a client's message about an entity. It waits so long until it is sent that the entity
// may have been despawned, and its network id reused.
type mention struct {
	N      uint32
	Entity ecs.Entity
}

// mentionEvery is so long that, while a message waits, the mentioned entity can be despawned, and
// its id can be freed and reused when the world comes to rest.
const mentionEvery = 8 * time.Second

func withMentions(p *protocol.Protocol) {
	slow := p.Channel(protocol.ChannelConfig{
		Name: "mentions", Mode: protocol.UnorderedReliable, Direction: protocol.ClientToServer, SendEvery: mentionEvery,
	})
	protocol.Message[mention](p).Via(slow)
}

// mentions records a guest's mentions, and their entities.
type mentions struct {
	guest    *guest
	sent     []mentioned
	replicas map[ecs.Entity]*replica // by the guest's entity
}

// mentioned is a guest's entity that a message mentions, with the server's entity that it
// replicates.
type mentioned struct {
	conn  uint32
	local ecs.Entity
	*replica
}

// replica is a guest's replica of a server entity.
type replica struct {
	original ecs.Entity
	// hidden is true if the guest was not shown the entity at some time since. Then the despawn of
	// this replica is sent. If the guest is shown the entity again, it gets another replica, which
	// may not have been sent yet.
	hidden bool
}

// system returns a system in which the guest mentions one entity after the other.
func (m *mentions) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		s, tick := plugin.NewSender[mention](w), 0
		return func() {
			m.recordReplicas(w)
			if tick++; tick%5 != 0 || !m.guest.Connected() || m.guest.mail.quiet {
				return
			}
			if chosen, ok := m.chooseReplica(w, tick/5); ok {
				m.sent = append(m.sent, chosen)
				require.NoError(m.guest.mail.t, s.Send(components.Server, mention{uint32(len(m.sent)), chosen.local}))
			}
		}
	})
}

// recordReplicas records the guest's replicas.
func (m *mentions) recordReplicas(w *ecs.World) {
	maps.DeleteFunc(m.replicas, func(local ecs.Entity, _ *replica) bool { return !w.Alive(local) })
	for q := w.Query(ecs.All(ecs.ComponentID[components.Remote](w))); q.Next(); {
		if original, ok := m.guest.Original(q.Entity()); ok && m.replicas[q.Entity()] == nil {
			m.replicas[q.Entity()] = &replica{original: original}
		}
	}
}

// chooseReplica returns a replica of a server entity.
func (m *mentions) chooseReplica(w *ecs.World, turn int) (chosen mentioned, ok bool) {
	q := w.Query(ecs.All(ecs.ComponentID[components.Remote](w)))
	defer q.Close()
	if q.Count() == 0 {
		return chosen, false
	}
	q.Step(turn%q.Count() + 1)
	chosen = mentioned{conn: m.guest.mail.out.conn, local: q.Entity(), replica: m.replicas[q.Entity()]}
	return chosen, chosen.replica != nil
}

// checkMention checks the entity that the server reads from the guest's message number n: the
// intended one, or none if the guest no longer has it, or must not have this replica.
func (m *mentions) checkMention(n uint32, got ecs.Entity, relevance *plugin.Relevance) {
	t, meant := m.guest.mail.t, m.sent[n-1]
	if got == meant.original {
		return
	}
	if !got.IsZero() {
		require.Failf(t, "a message that was late names another", "client %d meant %v, and the server reads %v", m.guest.ID(), meant.original, got)
	}
	if is, ok := m.guest.Original(meant.local); ok && is == meant.original && !meant.hidden && meant.conn == m.guest.mail.out.conn && relevance.Sees(is, m.guest.ID()) {
		require.Failf(t, "a message does not name the entity that its sender has", "client %d meant %v", m.guest.ID(), meant.original)
	}
}

// mentioned returns a server's system that reads the mentions of guests.
func (s *randomScene) mentioned(w *ecs.World) func() {
	read, relevance := plugin.NewReader[plugin.MessageReceived[mention]](w), plugin.NewRelevance(w)
	return func() {
		for _, g := range s.guests {
			for _, r := range g.mentions.replicas {
				r.hidden = r.hidden || !relevance.Sees(r.original, g.ID())
			}
		}
		for _, m := range read.Read() {
			s.guestOf(m.From).mentions.checkMention(m.Message.N, m.Message.Entity, &relevance)
		}
	}
}

func (s *randomScene) guestOf(id entangle.ClientID) *guest {
	for _, g := range s.guests {
		if g.ID() == id {
			return g
		}
	}
	require.Failf(s.t, "a message of nobody", "client %d", id)
	return nil
}
