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

// mention is a client's message about an entity. It is sent so rarely that the entity may have
// despawned long before, and its network id been reused.
type mention struct {
	N   uint32
	Who ecs.Entity
}

// mentionEvery is long enough that an entity mentioned early can end, and its id be freed and
// reused when the world settles, while the message waits.
const mentionEvery = 8 * time.Second

func withMentions(p *protocol.Protocol) {
	slow := p.Channel(protocol.ChannelConfig{
		Name: "mentions", Mode: protocol.UnorderedReliable, Direction: protocol.ClientToServer, SendEvery: mentionEvery,
	})
	protocol.Message[mention](p).Via(slow)
}

// mentions records a guest's mentions, and their entities.
type mentions struct {
	guest  *guest
	said   []mentioned
	copies map[ecs.Entity]*replica // by the guest's entity
}

// mentioned is an entity of a guest, and the server's entity that it replicates.
type mentioned struct {
	conn  uint32
	local ecs.Entity
	*replica
}

// replica is a guest's replica of a server entity.
type replica struct {
	original ecs.Entity
	// hidden: the guest was not shown the entity at some time since. The despawn of this replica is
	// sent, and if the guest is shown the entity again, that is another replica, which may not be
	// sent yet.
	hidden bool
}

// system has the guest mention one entity after the other.
func (m *mentions) system() plugin.System {
	return plugin.Func(func(w *ecs.World) func() {
		s, tick := plugin.NewSender[mention](w), 0
		return func() {
			m.look(w)
			if tick++; tick%5 != 0 || !m.guest.Connected() || m.guest.mail.quiet {
				return
			}
			if who, ok := m.one(w, tick/5); ok {
				m.said = append(m.said, who)
				require.NoError(m.guest.mail.t, s.Send(components.Server, mention{uint32(len(m.said)), who.local}))
			}
		}
	})
}

// look records the guest's replicas.
func (m *mentions) look(w *ecs.World) {
	maps.DeleteFunc(m.copies, func(local ecs.Entity, _ *replica) bool { return !w.Alive(local) })
	for q := w.Query(ecs.All(ecs.ComponentID[components.Remote](w))); q.Next(); {
		if original, ok := m.guest.Original(q.Entity()); ok && m.copies[q.Entity()] == nil {
			m.copies[q.Entity()] = &replica{original: original}
		}
	}
}

// one returns a replica of a server entity.
func (m *mentions) one(w *ecs.World, turn int) (who mentioned, ok bool) {
	q := w.Query(ecs.All(ecs.ComponentID[components.Remote](w)))
	defer q.Close()
	if q.Count() == 0 {
		return who, false
	}
	q.Step(turn%q.Count() + 1)
	who = mentioned{conn: m.guest.mail.out.conn, local: q.Entity(), replica: m.copies[q.Entity()]}
	return who, who.replica != nil
}

// hear checks the entity that the server reads from the Nth mention: the intended one, or none if
// the guest no longer has it, or must not have this replica.
func (m *mentions) hear(n uint32, who ecs.Entity, sight *plugin.Relevance) {
	t, meant := m.guest.mail.t, m.said[n-1]
	if who == meant.original {
		return
	}
	if !who.IsZero() {
		require.Failf(t, "a message that was late names another", "client %d meant %v, and the server reads %v", m.guest.ID(), meant.original, who)
	}
	if is, ok := m.guest.Original(meant.local); ok && is == meant.original && !meant.hidden && meant.conn == m.guest.mail.out.conn && sight.Sees(is, m.guest.ID()) {
		require.Failf(t, "a message does not name whom its sender has", "client %d meant %v", m.guest.ID(), meant.original)
	}
}

// mentioned reads the mentions of guests, on a server.
func (s *randomScene) mentioned(w *ecs.World) func() {
	read, sight := plugin.NewReader[plugin.MessageReceived[mention]](w), plugin.NewRelevance(w)
	return func() {
		for _, g := range s.guests {
			for _, r := range g.mentions.copies {
				r.hidden = r.hidden || !sight.Sees(r.original, g.ID())
			}
		}
		for _, m := range read.Read() {
			s.guestOf(m.From).mentions.hear(m.Message.N, m.Message.Who, &sight)
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
