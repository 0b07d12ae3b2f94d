package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
)

// Feed writes and reads the frames of an external channel, Clock or Inputs: at most one in each
// packet. That of Inputs carries all input streams of a connection. The data is sent unreliably, and
// the Feed learns whether each packet was acknowledged or lost. It is called only while the
// connection is open. AppendFrame may run concurrently with that of other peers.
type Feed interface {
	// AppendFrame appends the body of a frame for the packet pkt, which leaves after tick; at most
	// room bytes, and nothing if there is nothing to send.
	AppendFrame(dst []byte, room int, pkt uint16, tick entangle.Tick, now time.Time) []byte
	// Urgent reports whether its data needs a packet; else it is added to packets that leave
	// anyway. Data for which AppendFrame had no room stays urgent for the next packet.
	Urgent(now time.Time) bool
	// HandleFrame handles the body of a frame of a fresh packet that the peer sent after tick. An
	// error ends the connection.
	HandleFrame(tick entangle.Tick, body []byte, now time.Time) error
	// HandleAcked and HandleLost report a packet as acknowledged or lost, also one without a frame
	// of this feed.
	HandleAcked(pkt uint16)
	HandleLost(pkt uint16)
}

// feeds is the budget and the state of a connection's feeds.
type feeds struct {
	all  [2]feed
	left int // bytes that feeds may still use in the current frame, under a cap
}

type feed struct {
	Feed
	id       channel.ID
	sent     bool   // it has a frame in the current packet
	received uint64 // the number of the peer's payload with the last frame
	size     int    // the size of the last sent frame
}

// errFeedTwice means that a packet has two frames of one feed. No peer writes such a packet.
var errFeedTwice = errors.New("peer: a packet with two frames of one feed")

// leastFeeds is the budget of feeds in a frame under any cap. They take no more than half of
// the frame's budget, so that the inputs of many players do not hold up the world.
const leastFeeds = 96

// usualFeed is the assumed size of a feed's first frame, before one was written.
const usualFeed = 16

func newFeeds(cfg *Config) (s feeds) {
	s.all = [2]feed{{Feed: cfg.Clock, id: Clock, size: usualFeed}, {Feed: cfg.Inputs, id: Inputs, size: usualFeed}}
	return s
}

// lookup returns the feed of a channel, nil if there is none.
func (s *feeds) lookup(id channel.ID) *feed {
	for i := range s.all {
		if s.all[i].id == id && s.all[i].Feed != nil {
			return &s.all[i]
		}
	}
	return nil
}

func (s *feeds) handleAcked(pkt uint16) {
	for i := range s.all {
		if s.all[i].Feed != nil {
			s.all[i].HandleAcked(pkt)
		}
	}
}

func (s *feeds) handleLost(pkt uint16) {
	for i := range s.all {
		if s.all[i].Feed != nil {
			s.all[i].HandleLost(pkt)
		}
	}
}

// wanted returns about how many bytes have to leave now.
func (s *feeds) wanted(now time.Time) (bytes int) {
	for i := range s.all {
		if at := &s.all[i]; at.Feed != nil && at.Urgent(now) {
			bytes += at.size + channel.ExternalOverhead
		}
	}
	return bytes
}

// appendUrgent writes the urgent data of feeds. It comes first in the packet, so that nothing
// takes its room.
func (p *Peer) appendUrgent(dst []byte, end int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	for i := range p.feeds.all {
		s := &p.feeds.all[i]
		s.sent = false
		if s.Feed != nil && p.Open() && s.Urgent(now) {
			dst = p.appendFeed(dst, s, end-len(dst), pkt, tick, now)
		}
	}
	return dst
}

// appendRiding writes feed data that is added to a packet that leaves anyway.
func (p *Peer) appendRiding(dst []byte, end int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	for i := range p.feeds.all {
		if s := &p.feeds.all[i]; s.Feed != nil && p.Open() && !s.sent {
			dst = p.appendFeed(dst, s, end-len(dst), pkt, tick, now)
		}
	}
	return dst
}

func (p *Peer) appendFeed(dst []byte, s *feed, room int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	if p.cfg.Capped {
		room = min(room, p.feeds.left)
	}
	if room -= channel.ExternalOverhead; room <= 0 {
		return dst
	}
	out, mark := p.mux.BeginFrame(dst, s.id)
	begin := len(out)
	out = s.AppendFrame(out, room, pkt, tick, now)
	size := len(out) - begin
	if size == 0 {
		return dst
	}
	if size > room {
		panic(fmt.Sprintf("peer: the feed %T wrote %d bytes where it had room for %d", s.Feed, size, room))
	}
	s.sent, s.size = true, size
	p.feeds.left -= size + channel.ExternalOverhead
	return p.mux.EndFrame(out, mark)
}

// handleFeed handles the body of a frame of a feed.
func (p *Peer) handleFeed(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error {
	s := p.feeds.lookup(ch)
	if s == nil {
		return fmt.Errorf("peer: a frame of a feed that this end does not read, on channel %d", ch)
	}
	if s.received == p.stats.in {
		return errFeedTwice
	}
	s.received = p.stats.in
	return s.HandleFrame(tick, body, now)
}
