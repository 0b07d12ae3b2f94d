package peer

import (
	"errors"
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
)

// Stream writes and reads the frames of an external channel, Clock or Inputs: at most one in each
// packet. That of Inputs carries all input streams of a connection. The data is sent unreliably, and
// the Stream learns whether each packet was acknowledged or lost. It is called only while the
// connection is open. AppendFrame may run concurrently with that of other peers.
type Stream interface {
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
	// of this stream.
	HandleAcked(pkt uint16)
	HandleLost(pkt uint16)
}

// streams is the budget and the state of a connection's streams.
type streams struct {
	all  [2]stream
	left int // bytes that streams may still use in the current frame, under a cap
}

type stream struct {
	Stream
	id       channel.ID
	sent     bool   // it has a frame in the current packet
	received uint64 // the number of the peer's payload with the last frame
	size     int    // the size of the last sent frame
}

// errStreamTwice means that a packet has two frames of one stream. No peer writes such a packet.
var errStreamTwice = errors.New("peer: a packet with two frames of one stream")

// leastStreams is the budget of streams in a frame under any cap. They take no more than half of
// the frame's budget, so that the inputs of many players do not hold up the world.
const leastStreams = 96

// usualStream is the assumed size of a stream's first frame, before one was written.
const usualStream = 16

func newStreams(cfg *Config) (s streams) {
	s.all = [2]stream{{Stream: cfg.Clock, id: Clock, size: usualStream}, {Stream: cfg.Inputs, id: Inputs, size: usualStream}}
	return s
}

// lookup returns the stream of a channel, nil if there is none.
func (s *streams) lookup(id channel.ID) *stream {
	for i := range s.all {
		if s.all[i].id == id && s.all[i].Stream != nil {
			return &s.all[i]
		}
	}
	return nil
}

func (s *streams) handleAcked(pkt uint16) {
	for i := range s.all {
		if s.all[i].Stream != nil {
			s.all[i].HandleAcked(pkt)
		}
	}
}

func (s *streams) handleLost(pkt uint16) {
	for i := range s.all {
		if s.all[i].Stream != nil {
			s.all[i].HandleLost(pkt)
		}
	}
}

// wanted returns about how many bytes have to leave now.
func (s *streams) wanted(now time.Time) (bytes int) {
	for i := range s.all {
		if at := &s.all[i]; at.Stream != nil && at.Urgent(now) {
			bytes += at.size + channel.ExternalOverhead
		}
	}
	return bytes
}

// appendUrgent writes the urgent data of streams. It comes first in the packet, so that nothing
// takes its room.
func (p *Peer) appendUrgent(dst []byte, end int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	for i := range p.streams.all {
		s := &p.streams.all[i]
		s.sent = false
		if s.Stream != nil && p.Open() && s.Urgent(now) {
			dst = p.appendStream(dst, s, end-len(dst), pkt, tick, now)
		}
	}
	return dst
}

// appendRiding writes stream data that is added to a packet that leaves anyway.
func (p *Peer) appendRiding(dst []byte, end int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	for i := range p.streams.all {
		if s := &p.streams.all[i]; s.Stream != nil && p.Open() && !s.sent {
			dst = p.appendStream(dst, s, end-len(dst), pkt, tick, now)
		}
	}
	return dst
}

func (p *Peer) appendStream(dst []byte, s *stream, room int, pkt uint16, tick entangle.Tick, now time.Time) []byte {
	if p.cfg.Capped {
		room = min(room, p.streams.left)
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
		panic(fmt.Sprintf("peer: the stream %T wrote %d bytes where it had room for %d", s.Stream, size, room))
	}
	s.sent, s.size = true, size
	p.streams.left -= size + channel.ExternalOverhead
	return p.mux.EndFrame(out, mark)
}

// handleStream handles the body of a frame of a stream.
func (p *Peer) handleStream(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error {
	s := p.streams.lookup(ch)
	if s == nil {
		return fmt.Errorf("peer: a frame of a stream that this end does not read, on channel %d", ch)
	}
	if s.received == p.stats.in {
		return errStreamTwice
	}
	s.received = p.stats.in
	return s.HandleFrame(tick, body, now)
}
