package endpoint

import (
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Send sends every client what it lacks, and whatever the layers have to say. The
// tick is the last finished one.
func (s *Server) Send(tick entangle.Tick, now time.Time) error {
	s.tick = tick
	s.sendLocals(tick)
	s.passOn(tick)
	if !s.Running() {
		s.cfg.Post.Drop()
		return nil
	}
	if s.publisher == nil || !s.publisher.World().Held() {
		s.cfg.Post.Flush(now, s)
		s.sendResources(now)
	}
	for _, c := range s.clients {
		if c != nil {
			s.slow(c, c.peer.Begin(now), now)
		}
	}
	s.lookAround()
	if !s.Running() {
		return nil // a game's answer to a client's end has stopped the server
	}
	s.allow(now)
	s.assembly.run(job{server: s, tick: tick, now: now})
	s.retell()
	for _, c := range s.clients {
		if c != nil {
			s.charge(c)
			s.tellOverdue(c)
		}
	}
	return s.flush()
}

// passOn has the inputs of players ready for the others, in frames that send.
func (s *Server) passOn(tick entangle.Tick) {
	if s.inputs != nil {
		s.inputs.Relay.Prepare(tick, !s.publisher.World().Held())
	}
}

// lookAround finds which of the inputs that are passed on are for whom.
func (s *Server) lookAround() {
	for _, c := range s.clients {
		if c != nil && c.hands != nil {
			c.hands.Line.Look(c.recipient())
		}
	}
}

// sendResources queues what the clients lack of resources.
func (s *Server) sendResources(now time.Time) {
	if s.resources == nil {
		return
	}
	s.shelveLocals()
	for i := len(s.open) - 1; i >= 0; i-- {
		c := s.open[i]
		s.slow(c, s.resources.Send(c.peer, c.id, &c.shelf, now), now)
	}
}

// Carry implements Carrier: a message goes to every client that it is for. What that costs follows
// their number, and not that of all clients, where the message names them.
func (s *Server) Carry(l *message.Letter, now time.Time) {
	s.carryLocals(l)
	post := s.cfg.Post
	m := carried{Letter: l, ch: post.Channel(l), shared: post.Shared(l), by: s.seats.numberOf(l.From)}
	if ids, ok := post.Named(l); ok {
		for i, id := range ids {
			if c := s.seats.of[id]; c != nil && c.open && !slices.Contains(ids[:i], id) {
				s.carry(&m, c, now)
			}
		}
		return
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		if c := s.open[i]; post.For(l, c.id) {
			s.carry(&m, c, now)
		}
	}
}

// carried is a message on its way to clients. It is written once, unless clients have names of their
// own for the entities that it refers to.
type carried struct {
	*message.Letter
	ch     channel.ID
	shared bool
	by     int
	body   []byte
}

func (s *Server) carry(m *carried, c *client, now time.Time) {
	post := s.cfg.Post
	if m.When < c.since {
		return
	}
	switch {
	case !m.shared:
		m.body = post.Envelope(m.Letter, c.recipient())
	case m.body == nil:
		m.body = post.Envelope(m.Letter, source.Recipient{})
	}
	if m.From == entangle.Nobody {
		s.slow(c, c.peer.Send(m.ch, m.body, post.Priority(m.Letter), now), now)
		return
	}
	sent, err := c.peer.Relay(m.ch, m.body, post.Priority(m.Letter), m.by)
	if !sent {
		post.Stat.Refused++ // what others say costs no client its connection
	}
	s.slow(c, err, now)
}

// slow disconnects a client whose reliable messages pile up.
func (s *Server) slow(c *client, err error, now time.Time) bool {
	if err == nil {
		return false
	}
	s.dead.TooSlow++
	s.cfg.Log.Warn("a client is disconnected for being too slow", "client", c.id, "error", err)
	s.end(c, "it was too slow to receive", now)
	return true
}
