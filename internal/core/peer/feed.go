package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
)

// Feed writes and reads the frames of the external channel Clock or Inputs, at most one in each
// packet. The frame of Inputs carries all input streams of a connection. Frames are sent
// unreliably, and the Feed is informed whether each packet was acknowledged or lost. Its methods
// are called only while the connection is open. AppendFrame may run concurrently with that of other
// peers.
type Feed interface {
	// AppendFrame appends the body of a frame for packet pkt, which is sent after tick. It appends
	// at most room bytes, and nothing if there is nothing to send.
	AppendFrame(dst []byte, room int, pkt uint16, tick entangle.Tick, now time.Time) []byte
	// Urgent reports whether the data needs a packet of its own. Other data is only added to
	// packets that are sent anyway. Data for which AppendFrame had no room remains urgent for the
	// next packet.
	Urgent(now time.Time) bool
	// HandleFrame handles the body of a frame of a new packet, which the peer sent after tick. An
	// error ends the connection.
	HandleFrame(tick entangle.Tick, body []byte, now time.Time) error
	// HandleAcked and HandleLost are called with the outcome of each packet, even if it had no
	// frame of this feed.
	HandleAcked(pkt uint16)
	HandleLost(pkt uint16)
}

// feeds are the feeds of a connection and their budget.
type feeds struct {
	all  [2]feed
	left int // bytes that feeds may still use in the current frame, under a cap
}

type feed struct {
	Feed
	id       channel.ID
	sent     bool   // the current packet has a frame of it
	received uint64 // number of the payload in which its last frame arrived
	size     int    // bytes of the last sent frame
}

// errFeedTwice means that a packet has two frames of one feed. An honest peer writes no such
// packet.
var errFeedTwice = errors.New("peer: a packet with two frames of one feed")

// leastFeeds is the budget of feeds in a frame under any cap. Otherwise they get at most half of
// the frame's budget, so that the inputs of many players do not delay the replication of the world.
const leastFeeds = 96

// usualFeed is the assumed size of a feed's frames before the first one was written.
const usualFeed = 16

func newFeeds(cfg *Config) (s feeds) {
	s.all = [2]feed{{Feed: cfg.Clock, id: Clock, size: usualFeed}, {Feed: cfg.Inputs, id: Inputs, size: usualFeed}}
	return s
}

// lookup returns the feed of a channel, or nil if there is none.
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

// wanted returns approximately how many bytes must be sent now.
func (s *feeds) wanted(now time.Time) (bytes int) {
	for i := range s.all {
		if at := &s.all[i]; at.Feed != nil && at.Urgent(now) {
			bytes += at.size + channel.ExternalOverhead
		}
	}
	return bytes
}

// appendUrgent appends the frames of urgent feeds. They come first in the packet, so that nothing
// else takes their space.
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

// appendRiding appends frames of other feeds to a packet that is sent anyway.
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
