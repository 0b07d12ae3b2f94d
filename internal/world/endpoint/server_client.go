package endpoint

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// client is one connection of the server.
type client struct {
	layer      *layer
	slot       int // its slot in the layer
	index      int // its peer index
	id         entangle.ClientID
	addr       netip.AddrPort
	name       string
	userData   []byte
	peer       *peer.Peer
	budget     byteBudget
	mail       *message.Inbox
	resources  message.SentResources
	sentBodies []sentBody // in the present frame, while the server has an Inspect function
	open       bool
	player     *input.InputPlayer // nil: no input is registered
	since      uint64             // Outgoing.When of the first message after the connection began
	joined     bool
	meter      *timesync.Meter
	quota      budget.Quota
	charged    uint64 // units of work that its quota was charged for, except those per packet
	spent      uint64 // all units of work that its quota was charged for
}

// replication returns the sender's state for the client, nil if nothing is replicated.
func (c *client) replication() *sender.Peer { return c.peer.Replication() }

func (c *client) recipient() source.Recipient {
	return source.Recipient{ID: c.id, Replication: c.replication()}
}

// sendPayload passes one payload to the client's connection layer, which seals it and keeps it until
// Server.flush.
func (c *client) sendPayload(payload []byte, now time.Time) { c.layer.Send(c.slot, payload, now) }

func (s *Server) newClient(l *layer, e *connection.Event) *client {
	c := &client{
		layer: l, slot: e.Slot, id: e.Client, addr: e.Addr, name: e.Name,
		userData: append([]byte(nil), e.UserData[:min(len(e.UserData), connection.MaxUserData)]...),
	}
	cfg := peer.Config{Registry: s.cfg.Registry, Client: e.Client, Channels: s.cfg.Channels, Capped: s.cfg.Caps.any(), RelayLimit: s.cfg.Caps.relayShare(len(s.clients))}
	if s.collector != nil {
		cfg.World = s.collector.World
	}
	if s.resources != nil {
		c.resources = s.resources.NewSentResources()
		cfg.OnResource = c.resources.Delivered
	}
	c.mail = s.cfg.Post.NewInbox(e.Client, nil)
	c.mail.Quota = func() (left, forOthers int) { return s.quotaOf(c) }
	cfg.Inbox, cfg.Ready = c.mail, c.mail.Ready
	s.measure(c, &cfg)
	p, err := peer.New(cfg)
	if err != nil {
		panic(fmt.Sprintf("endpoint: channels that protocol.Err did not find fault with: %v", err))
	}
	c.peer, c.mail.Peer = p, p
	if c.player != nil {
		c.player.Peer = p
		c.player.Line = input.NewRelayLine(s.inputs.Relay)
	}
	c.budget.bucket = budget.NewBucket(s.cfg.Caps.PerClient, CapSpan(s.cfg.Caps.TickRate))
	return c
}

// measure sets up the peer to measure how early the client's packets and inputs arrive.
func (s *Server) measure(c *client, cfg *peer.Config) {
	c.meter = timesync.NewMeter(timesync.MeterConfig{TickRate: s.cfg.TickRate, SendEvery: s.cfg.SendEvery})
	cfg.Clock = c.meter
	cfg.OnPacket = func(_ uint16, tick entangle.Tick, _ time.Time) { c.meter.PacketReceived(tick, s.next) }
	if s.inputs != nil {
		c.player = s.inputs.NewPlayer(c.id, c.meter)
		cfg.Inputs = c.player
	}
}

// disconnected releases a client after the end of its connection. The peer's reason takes
// precedence over the layer's.
func (s *Server) disconnected(c *client, why error) {
	if !s.hasIndex(c) {
		return
	}
	if theirs, ok := c.peer.Ended(); ok && theirs != "" {
		why = errorOfClient(theirs)
	}
	if c.open && s.collector != nil {
		s.collector.Dismiss(c.peer.Replication())
	}
	if c.player != nil {
		s.inputs.Dismiss(c.player)
	}
	c.peer.Close()
	s.departed.work += c.spent
	s.departed.dropped += c.peer.Stats().Channels.DroppedUnsent
	s.departed.quotas.storeQuota(c.id, c.quota, &s.intake, quotasPerClient*len(s.clients))
	s.releaseIndex(c)
	if !c.open {
		return
	}
	s.open = slices.DeleteFunc(s.open, func(other *client) bool { return other == c })
	s.cfg.Log.Info("a client has left", "client", c.id, "address", c.name, "reason", why)
	s.cfg.OnDisconnected(c.id, why)
}

// Disconnect ends a client's connection and sends it the reason. It reports whether there was such
// a client.
func (s *Server) Disconnect(id entangle.ClientID, reason string, now time.Time) bool {
	if l := s.localOf(id); l != nil {
		s.disconnectLocal(l, endedBy(reason, ErrKicked))
		return true
	}
	c := s.indexes.of[id]
	if c == nil {
		return false
	}
	s.disconnectClient(c, endedBy(reason, ErrKicked), now)
	return true
}

func (s *Server) disconnectClient(c *client, why error, now time.Time) {
	s.queueGoodbyes(c, why, now)
	c.layer.Disconnect(c.slot, goodbyeOf(why), now)
	s.disconnected(c, why)
}

// goodbyes is how often the reason for a disconnect is sent. It is sent unreliably, because the
// connection ends before a resend. At 30 % packet loss, ten copies lose one reason in 170,000;
// three lost one in 37. The session sends as many disconnect packets, after which payloads are
// still read for a moment, so no goodbye may wait for a later frame.
const goodbyes = 10

// queueGoodbyes queues the goodbyes of a client that is about to be disconnected.
func (s *Server) queueGoodbyes(c *client, why error, now time.Time) {
	if _, ended := c.peer.Ended(); ended && c.open {
		return // the client said goodbye itself
	}
	for range goodbyes {
		s.payload = c.peer.AppendGoodbye(s.payload[:0], goodbyeOf(why), 0, now)
		c.sendPayload(s.payload, now)
	}
}

// Connected reports whether a client is connected.
func (s *Server) Connected(id entangle.ClientID) bool {
	c := s.indexes.of[id]
	return c != nil && c.open || s.localOf(id) != nil
}

// ClientInfo describes a connected client.
type ClientInfo struct {
	ID     entangle.ClientID
	Layer  int            // number of its layer; noLayer for a local player
	Addr   netip.AddrPort // the client's address; not valid if its layer has no addresses
	Name   string         // the layer's name for the client's end
	RTT    time.Duration  // as in Link
	Jitter time.Duration
	Loss   float64 // fraction of the recent packets to the client that were lost, 0..1
	Joined bool    // it has received everything that was there for it when it connected

	Spurious uint64 // packets to the client that it acknowledged after they had counted as lost

	Inputs  timesync.MeterStats
	Quality timesync.Quality

	Dropped uint64 // messages dropped for lack of room under a cap
	Waiting int    // bytes of messages and structure that were not sent yet
}

// noLayer is ClientInfo.Layer of local players.
const noLayer = -1

// Open returns the number of connected clients, local players included.
func (s *Server) Open() int {
	n := len(s.open)
	for _, l := range s.locals {
		if l.open {
			n++
		}
	}
	return n
}

// Clients appends a description of each connected client: first local players, then the others in
// the order in which they connected.
func (s *Server) Clients(dst []ClientInfo) []ClientInfo {
	for _, l := range s.locals {
		if l.open {
			dst = append(dst, ClientInfo{ID: l.id, Layer: noLayer, Joined: l.joined, Quality: timesync.Good})
		}
	}
	for _, c := range s.open {
		link, inputs, sent := linkOf(c.peer), c.meter.Stats(), c.peer.Stats()
		dst = append(dst, ClientInfo{
			ID: c.id, Layer: c.layer.number, Addr: c.addr, Name: c.name,
			RTT: link.RTT, Jitter: link.Jitter, Loss: link.Loss, Joined: c.joined,
			Spurious: sent.Packets.Spurious, Inputs: inputs, Quality: link.quality(inputs.Quality),
			Dropped: sent.Channels.DroppedUnsent, Waiting: c.peer.Waiting(),
		})
	}
	return dst
}
