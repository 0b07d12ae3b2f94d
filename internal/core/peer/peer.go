package peer

import (
	"cmp"
	"errors"
	"math/bits"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// Config configures a connection. Fields for which no default is mentioned must be set.
type Config struct {
	// Registry is this side's protocol.
	Registry Registry
	// Client is the id of the peer, which the hello tells it; 0 on a client.
	Client entangle.ClientID
	// Channels are the channels that the game has added, from FirstUser on. Their directions are
	// seen from this side.
	Channels []channel.Config
	// World is the world that is replicated to the peer. If it is nil, nothing is replicated.
	World *sender.World
	// Receiver receives replication from the peer. If it is nil, the peer must not send any.
	Receiver *receiver.Receiver
	// Inbox receives the messages of the game's channels, and resources.
	Inbox Inbox
	// Ready reports whether this end can accept more data of the peer at present. While it returns
	// false, arriving packets are dropped unread, as if lost in transit, and messages that the last
	// packet released wait for Deliver. If it is nil, data is always accepted.
	Ready func() bool
	// OnResource is called for each message of SendResource when the peer has acknowledged it. It
	// may be nil.
	OnResource func(channel.MessageID)
	// OnPacket is called with the id and the tick of each new packet of the peer while the connection is open,
	// before its frames are read. It may be nil.
	OnPacket func(id uint16, tick entangle.Tick, now time.Time)
	// Clock and Inputs write and read the frames of the channels with these names. If one is nil,
	// receiving a frame on its channel is an error.
	Clock, Inputs Feed
	// Capped must be set if and only if SetBudget is called in every frame.
	Capped bool
	// RelayLimit bounds the cost of the messages that Relay has queued for the peer. 0 means
	// DefaultRelayLimit.
	RelayLimit int
}

// Registry is the part of the protocol that both sides must agree on.
type Registry interface {
	Hash() uint64
	// AppendEntries appends the registered entries, for a peer with another hash.
	AppendEntries(dst []byte) []byte
	// Diff describes in words how a peer's entries differ from the own ones. It returns an error if
	// the bytes are not valid entries.
	Diff(entries []byte) (string, error)
}

// Inbox receives messages on the game's channels.
type Inbox interface {
	// HandleMessage handles one message, which was sent in a packet with this tick of the peer.
	// body is valid until it returns. An error ends the connection.
	HandleMessage(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error
}

// Peer is one end of a connection.
type Peer struct {
	// The fields that every packet needs come first, side by side in memory: with many peers, most
	// of the rest is not in the processor's cache.
	handshake   handshake
	received    bool          // a packet of the peer has arrived
	precedes    uint16        // id of the newest packet of the peer after which it sent a header that has arrived
	tick        entangle.Tick // the newest tick in the peer's packets
	frame       frameUse
	replication *sender.Peer // nil before the connection is open, and always without a World
	stats       payloads
	feeds       feeds
	tracker     packet.Tracker
	mux         channel.Mux
	cfg         Config
	budget      frameBudget

	tap      func(updates bool, body []byte) // nil unless set by Tap
	progress progress
	scratch  []byte
}

// New returns a connection that sends a hello in its first packet. It returns an error if the
// channels are invalid.
func New(cfg Config) (*Peer, error) {
	p := &Peer{cfg: cfg, tracker: *packet.NewTracker(packet.Config{}), feeds: newFeeds(&cfg)}
	if err := p.mux.Init(append(builtin(), cfg.Channels...), channel.Limits{}); err != nil {
		return nil, err
	}
	return p, nil
}

// Tick returns the newest tick in the peer's packets. ok is false before the first packet.
func (p *Peer) Tick() (tick entangle.Tick, ok bool) { return p.tick, p.received }

// Replication returns the replication state of this peer, or nil before the connection is open.
func (p *Peer) Replication() *sender.Peer { return p.replication }

// RTT returns the smoothed round-trip time, without the time that the peer waits before it
// acknowledges. It returns 0 before it is measured, and at least 1 ns afterwards.
func (p *Peer) RTT() time.Duration { return p.ifMeasured(max(p.tracker.RTT(), 1)) }

// Jitter returns the smoothed deviation of the round trip, or 0 before it is measured.
func (p *Peer) Jitter() time.Duration { return p.ifMeasured(p.tracker.Jitter()) }

func (p *Peer) ifMeasured(d time.Duration) time.Duration {
	if !p.tracker.Sampled() {
		return 0
	}
	return d
}

// Loss returns the share of recent packets that were lost, from 0 to 1.
func (p *Peer) Loss() float64 { return p.tracker.LossRate() }

// Send queues a message on a channel of the game. priority is relative to other messages of the
// channel. It returns the errors of channel.Mux.Send; after channel.ErrQueueFull the peer must be
// disconnected.
func (p *Peer) Send(ch channel.ID, body []byte, priority float32, now time.Time) error {
	_, err := p.mux.Send(ch, body, priority, now)
	return err
}

// DefaultRelayLimit is one and a half times the cost of the longest message.
const DefaultRelayLimit = 128 << 10

// Relay queues a message from another peer, which source identifies by a small number, for this
// one. It reports whether the message fitted into the part of the queue for relayed messages. This
// part is limited, so that this end's own messages do not wait for long, and divided, so that no
// other peer can use all of it.
func (p *Peer) Relay(ch channel.ID, body []byte, priority float32, source int) (bool, error) {
	limit := cmp.Or(p.cfg.RelayLimit, DefaultRelayLimit)
	err := p.mux.SendRelayed(ch, body, priority, limit, source)
	if errors.Is(err, channel.ErrRelayFull) {
		return false, nil
	}
	return err == nil, err
}

// SendResource queues the value of a resource and returns the number of the message.
// Config.OnResource is called with it when the peer has acknowledged the message. It returns the
// errors of Send. The longer a value is, the lower is its priority, so that small values do not
// wait for it; it still arrives in the end.
func (p *Peer) SendResource(body []byte, now time.Time) (channel.MessageID, error) {
	longer := bits.Len(uint(len(body) / channel.FragmentSize)) // in few steps, because a channel has few priorities
	return p.mux.Send(Resources, body, 1/float32(int(1)<<longer), now)
}

// ResourcesCrowded reports whether the caller should not queue further resources at present. Queued
// resources take memory, and a newer value can replace an older one only before that is queued.
func (p *Peer) ResourcesCrowded() bool {
	return p.ResourceBytes() >= maxResourceBacklog || p.Crowded()
}

// Crowded reports whether this end's reliable messages take more than half of their queue, because
// the peer acknowledges them more slowly than they are queued.
func (p *Peer) Crowded() bool { return p.mux.QueuedOwn() > channel.DefaultReliableQueue/2 }

// Close releases what the sender.World keeps for the peer.
func (p *Peer) Close() {
	if p.replication != nil {
		p.replication.Close()
		p.replication = nil
	}
	p.handshake.phase = ended
}
