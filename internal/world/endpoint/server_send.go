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
	s.prepareRelay(tick)
	if !s.Running() {
		s.cfg.Post.Drop()
		return nil
	}
	if s.collector == nil || !s.collector.World.Held() {
		s.cfg.Post.Flush(tick, now, s)
		s.sendResources(now)
	}
	for c := range s.everyClient() {
		err := c.peer.Begin(now)
		s.disconnectSlow(c, err, now)
	}
	s.selectInputs()
	if !s.Running() {
		return nil // the game stopped the server when a client disconnected
	}
	s.allow(now)
	s.assembly.assembleFrame(job{server: s, tick: tick, now: now})
	s.inspectSent()
	for c := range s.everyClient() {
		s.charge(c)
		s.reportOverdue(c)
	}
	return s.flush()
}

// prepareRelay prepares the inputs of players for the relay to other clients, in frames that send.
func (s *Server) prepareRelay(tick entangle.Tick) {
	if s.inputs != nil {
		s.inputs.Relay.Prepare(tick, !s.collector.World.Held())
	}
}

// selectInputs selects the relayed inputs for each client.
func (s *Server) selectInputs() {
	for c := range s.everyClient() {
		if c.player != nil {
			c.player.Line.Look(c.recipient())
		}
	}
}

// sendResources queues the changes of resources that clients have not been sent.
func (s *Server) sendResources(now time.Time) {
	if s.resources == nil {
		return
	}
	s.queueResourceEvents()
	for i := len(s.open) - 1; i >= 0; i-- {
		c := s.open[i]
		s.disconnectSlow(c, s.resources.Send(c.peer, c.id, &c.resources, now), now)
	}
}

// Carry implements Carrier. It sends a message to every client that it is for. Where the message
// names its recipients, the cost grows with their number and not with that of all clients.
func (s *Server) Carry(l *message.Outgoing, now time.Time) {
	s.carryLocals(l)
	post := s.cfg.Post
	m := carried{Outgoing: l, ch: post.Channel(l), shared: post.Shared(l), by: s.indexes.numberOf(l.From)}
	if ids, ok := post.Named(l); ok {
		for i, id := range ids {
			if c := s.indexes.of[id]; c != nil && c.open && !slices.Contains(ids[:i], id) {
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
	*message.Outgoing
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
		m.body = post.Envelope(m.Outgoing, c.recipient())
	case m.body == nil:
		m.body = post.Envelope(m.Outgoing, source.Recipient{})
	}
	if m.From == entangle.Nobody {
		s.disconnectSlow(c, c.peer.Send(m.ch, m.body, post.Priority(m.Outgoing), now), now)
		return
	}
	sent, err := c.peer.Relay(m.ch, m.body, post.Priority(m.Outgoing), m.by)
	if !sent {
		post.Stat.Refused++ // a client is never disconnected for traffic of others
	}
	s.disconnectSlow(c, err, now)
}

// disconnectSlow disconnects a client after an error because its reliable messages pile up.
func (s *Server) disconnectSlow(c *client, err error, now time.Time) {
	if err != nil {
		s.dead.TooSlow++
		s.cfg.Log.Warn("a client is disconnected for being too slow", "client", c.id, "error", err)
		s.disconnectClient(c, ErrTooSlow, now)
	}
}
