package systems

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/session"
)

// goodbyes is how often the reason for a disconnect is sent: it travels
// unreliably, since nobody will be there to ask for it again.
const goodbyes = 3

// Send sends every client what it lacks, and whatever the session has to say. The
// tick is the last finished one.
func (s *Server) Send(tick entangle.Tick, now time.Time) error {
	s.tick = tick
	if s.session == nil {
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
	if s.session == nil {
		return nil // a game's answer to a client's end has stopped the server
	}
	s.allow(now)
	s.assembly.run(job{server: s, tick: tick, now: now})
	s.retell()
	for _, c := range s.clients {
		if c != nil {
			s.charge(c)
			c.out.moveTo(&s.links[s.session.Addr(c.slot).Link].out)
			s.tellOverdue(c)
		}
	}
	return s.flush()
}

// sendResources queues what the clients lack of resources.
func (s *Server) sendResources(now time.Time) {
	if s.resources == nil {
		return
	}
	for i := len(s.open) - 1; i >= 0; i-- {
		c := s.open[i]
		s.slow(c, s.resources.Send(c.peer, c.id, &c.shelf, now), now)
	}
}

// Carry implements Carrier: a message goes to every client that it is for. It is
// written once, unless clients have names of their own for whom it refers to.
func (s *Server) Carry(l *letter, now time.Time) {
	post, body := s.cfg.Post, []byte(nil)
	ch, shared := post.channel(l), post.shared(l)
	for i := len(s.open) - 1; i >= 0; i-- {
		c := s.open[i]
		if l.when < c.since || !post.For(l, c.id) {
			continue
		}
		if l.from != entangle.Nobody && c.peer.Crowded() {
			post.stat.Refused++ // nobody is hung up on for what others say
			continue
		}
		switch {
		case !shared:
			body = post.envelope(l, c)
		case body == nil:
			body = post.envelope(l, nil)
		}
		s.slow(c, c.peer.Send(ch, body, post.priority(l), now), now)
	}
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

// seal queues one payload to go before what the frame assembles.
func (s *Server) seal(c *client, payload []byte, now time.Time) {
	out := &s.links[s.session.Addr(c.slot).Link].out
	before := len(out.batch)
	s.sealInto(out, c, payload, now)
	c.purse.bucket.Spend(out.bytes(before))
}

// sealInto seals one payload. A client that may not know yet that it is connected
// gets a keep-alive before it, or it would drop the payload.
func (s *Server) sealInto(out *outbox, c *client, payload []byte, now time.Time) {
	if s.session.KeepAliveFirst(c.slot) {
		if b, err := s.session.AppendKeepAlive(out.next(), c.slot, now); err == nil {
			out.add(c.addr, b)
		}
	}
	b, err := s.session.AppendPayload(out.next(), c.slot, payload, now)
	if err != nil {
		panic(fmt.Sprintf("systems: a packet of %d bytes for a connected client can't be sealed: %v", len(payload), err))
	}
	out.add(c.addr, b)
}

// Disconnect ends a client's connection and tells it the reason. It reports
// whether there was such a client.
func (s *Server) Disconnect(id entangle.ClientID, reason string, now time.Time) bool {
	if s.session == nil {
		return false
	}
	slot, ok := s.session.Slot(id)
	if !ok || s.clients[slot] == nil {
		return false
	}
	s.end(s.clients[slot], reason, now)
	return true
}

func (s *Server) end(c *client, reason string, now time.Time) {
	s.bid(c, reason, now)
	c.reason = reason
	s.session.Disconnect(c.slot, now)
	s.events()
}

// bid queues the goodbyes of a client that is about to be disconnected.
func (s *Server) bid(c *client, reason string, now time.Time) {
	if _, ended := c.peer.Ended(); ended && c.open {
		return // it said goodbye itself
	}
	for range goodbyes {
		s.payload = c.peer.AppendGoodbye(s.payload[:0], reason, 0, now)
		s.seal(c, s.payload, now)
	}
}

// flush hands everything to the sockets.
func (s *Server) flush() error {
	for to, b, ok := s.session.PollDatagram(); ok; to, b, ok = s.session.PollDatagram() {
		s.links[to.Link].out.put(to.AddrPort, b)
		s.chargeAt(to, len(b))
	}
	var errs []error
	before := s.traffic.BytesOut
	for i := range s.links {
		if err := s.links[i].out.flush(s.links[i].conn, &s.traffic); err != nil {
			errs = append(errs, fmt.Errorf("systems: the socket at %v is broken: %w", s.links[i].conn.LocalAddr(), err))
		}
		s.links[i].dismiss()
	}
	s.all.Spend(int(s.traffic.BytesOut - before))
	return errors.Join(errs...)
}

// Connected reports whether a client is connected.
func (s *Server) Connected(id entangle.ClientID) bool {
	return slices.ContainsFunc(s.open, func(c *client) bool { return c.id == id })
}

// ClientInfo is what a server knows of a connected client.
type ClientInfo struct {
	ID     entangle.ClientID
	Addr   session.Addr
	RTT    time.Duration // smoothed, the client's frame included
	Jitter time.Duration
	Loss   float64 // share of the recent packets to it that were lost, 0..1
	Joined bool    // it holds all that was there for it when it connected

	Dropped uint64 // messages that found no room under a cap
	Waiting int    // bytes of messages and structure of which nothing was sent yet
}

// Clients appends what is known of each connected client, in the order in which
// they came.
func (s *Server) Clients(dst []ClientInfo) []ClientInfo {
	for _, c := range s.open {
		dst = append(dst, ClientInfo{
			ID: c.id, Addr: s.session.Addr(c.slot),
			RTT: c.peer.RTT(), Jitter: c.peer.Jitter(), Loss: c.peer.Loss(), Joined: c.joined,
			Dropped: c.peer.Stats().Channels.DroppedUnsent, Waiting: c.peer.Waiting(),
		})
	}
	return dst
}
