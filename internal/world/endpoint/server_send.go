package endpoint

import (
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Send sends all clients their pending data, and the layers' own packets. tick is the last finished
// tick.
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
		return nil // the game stopped the server when a client disconnected
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

// passOn prepares the inputs of players for the relay to other clients, in frames that send.
func (s *Server) passOn(tick entangle.Tick) {
	if s.inputs != nil {
		s.inputs.Relay.Prepare(tick, !s.publisher.World().Held())
	}
}

// lookAround selects the relayed inputs for each client.
func (s *Server) lookAround() {
	for _, c := range s.clients {
		if c != nil && c.hands != nil {
			c.hands.Line.Look(c.recipient())
		}
	}
}

// sendResources queues the changes of resources that clients have not been sent.
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

// Carry implements Carrier. It sends a message to every client that it is for. Where the message
// names its recipients, the cost grows with their number and not with that of all clients.
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

// carried is a message that is being sent to clients. It is encoded once, unless clients have
// different network ids for the entities that it refers to.
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
		post.Stat.Refused++ // a client is never disconnected for traffic of others
	}
	s.slow(c, err, now)
}

// slow disconnects a client after an error because its reliable messages pile up.
func (s *Server) slow(c *client, err error, now time.Time) bool {
	if err == nil {
		return false
	}
	s.dead.TooSlow++
	s.cfg.Log.Warn("a client is disconnected for being too slow", "client", c.id, "error", err)
	s.end(c, "it was too slow to receive", now)
	return true
}
