package peer

import (
	"errors"
	"math/bits"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// Config configures a connection. Fields without a default must be set.
type Config struct {
	// Registry is this side's protocol.
	Registry Registry
	// Client is the peer's id, which the hello carries to it; 0 on a client.
	Client entangle.ClientID
	// Channels are the game's own, from FirstUser on; their directions are seen
	// from this side.
	Channels []channel.Config
	// World is the world that is replicated to the peer. With nil, nothing is replicated.
	World *sender.World
	// Receiver receives the peer's replication. With nil, the peer may send none.
	Receiver *receiver.Receiver
	// Inbox receives the messages of the game's channels, and resources.
	Inbox Inbox
	// Ready reports whether more data of the peer is accepted for now. A packet that arrives while
	// it returns false is dropped unread, as if lost in transit, and messages that the last packet
	// released wait for Deliver. With nil, data is always accepted.
	Ready func() bool
	// OnResource is called for each message of SendResource that the peer has acknowledged; it may
	// be nil.
	OnResource func(channel.MessageID)
	// OnPacket is called with the tick of each new packet of the peer, before its frames are read,
	// while the connection is open; it may be nil.
	OnPacket func(tick entangle.Tick, now time.Time)
	// Clock and Inputs write and read the frames of those channels. With nil, frames on that channel
	// are an error.
	Clock, Inputs Feed
	// Capped must be set if SetBudget is called in every frame.
	Capped bool
	// RelayLimit bounds the cost of messages queued for the peer with Relay; 0: DefaultRelayLimit.
	RelayLimit int
}

// Registry is the part of this side's protocol on which both sides must agree.
type Registry interface {
	Hash() uint64
	// AppendEntries writes the registered entries, for a peer with a different hash.
	AppendEntries(dst []byte) []byte
	// Diff describes in a sentence how a peer's entries differ. It returns an error for bytes that
	// are not valid entries.
	Diff(entries []byte) (string, error)
}

// Inbox receives messages on the game's channels.
type Inbox interface {
	// HandleMessage takes one message that was sent at the peer's tick. body is
	// valid until it returns. An error ends the connection.
	HandleMessage(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error
}

// Peer is one end of a connection.
type Peer struct {
	// The fields that every packet needs come first, together: with many peers most of this memory
	// is not in the cache.
	handshake   handshake
	received    bool          // a packet of the peer has arrived
	tick        entangle.Tick // the newest tick in the peer's packets
	frame       frameUse
	replication *sender.Peer // nil before the connection is open, and without a World
	stats       payloads
	feeds       feeds
	tracker     packet.Tracker
	mux         channel.Mux
	cfg         Config
	budget      frameBudget

	tap      func(updates bool, body []byte) // nil unless set by Tap
	progress progress
	resyncs  resyncs
	scratch  []byte
}

// New returns a connection that sends a hello with its first packet. The error is about the
// channels.
func New(cfg Config) (*Peer, error) {
	p := &Peer{cfg: cfg, tracker: *packet.NewTracker(packet.Config{}), feeds: newFeeds(&cfg)}
	p.resyncs.handle = p.handleResync
	if err := p.mux.Init(append(builtin(), cfg.Channels...), channel.Limits{}); err != nil {
		return nil, err
	}
	return p, nil
}

// Tick returns the newest tick in the peer's packets; ok is false before the first.
func (p *Peer) Tick() (tick entangle.Tick, ok bool) { return p.tick, p.received }

// Replication returns the replication state of this peer, nil before the connection is open.
func (p *Peer) Replication() *sender.Peer { return p.replication }

// RTT returns the smoothed round-trip time, including the peer's delay in acknowledging; 0 before
// the first acknowledgement.
func (p *Peer) RTT() time.Duration { return p.ifMeasured(p.tracker.RTT()) }

// Jitter returns the smoothed deviation of the round trip, 0 like RTT.
func (p *Peer) Jitter() time.Duration { return p.ifMeasured(p.tracker.Jitter()) }

func (p *Peer) ifMeasured(d time.Duration) time.Duration {
	if !p.tracker.Sampled() {
		return 0
	}
	return d
}

// Loss returns the share of the recent packets that never arrived, 0..1.
func (p *Peer) Loss() float64 { return p.tracker.LossRate() }

// Send queues a message on a channel of the game; its priority is relative to others of the
// channel. Errors are those of channel.Mux; on channel.ErrQueueFull the peer must be disconnected.
func (p *Peer) Send(ch channel.ID, body []byte, priority float32, now time.Time) error {
	_, err := p.mux.Send(ch, body, priority, now)
	return err
}

// DefaultRelayLimit is one and a half times the cost of the longest message.
const DefaultRelayLimit = 128 << 10

// Relay queues a message of another peer, which source identifies by a small number, for this one.
// It reports whether there was room among the relayed messages of the queue: this end's own messages
// do not wait for long behind them, and no other peer takes all of it.
func (p *Peer) Relay(ch channel.ID, body []byte, priority float32, source int) (bool, error) {
	limit := p.cfg.RelayLimit
	if limit == 0 {
		limit = DefaultRelayLimit
	}
	err := p.mux.SendRelayed(ch, body, priority, limit, source)
	if errors.Is(err, channel.ErrRelayFull) {
		return false, nil
	}
	return err == nil, err
}

// SendResource queues the value of a resource and returns its number, which Config.OnResource
// receives once the peer has acknowledged it. Errors are those of Send. The longer a value, the
// less urgent are its pieces: small values do not wait for it, and it still arrives in the end.
func (p *Peer) SendResource(body []byte, now time.Time) (channel.MessageID, error) {
	longer := bits.Len(uint(len(body) / channel.FragmentSize)) // in few steps: each is a priority of the channel, of which there are few
	return p.mux.Send(Resources, body, 1/float32(int(1)<<longer), now)
}

// ResourcesCrowded reports whether no further resource should be queued for now: queued resources
// occupy memory, and a newer value can replace one only until it is queued.
func (p *Peer) ResourcesCrowded() bool {
	return p.ResourceBytes() >= maxResourceBacklog || p.Crowded()
}

// Crowded reports whether this end's reliable messages take more than half of their room: the peer
// acknowledges them more slowly than they are queued.
func (p *Peer) Crowded() bool { return p.mux.QueuedOwn() > channel.DefaultReliableQueue/2 }

// Close releases the state that the sender.World keeps about the peer.
func (p *Peer) Close() {
	if p.replication != nil {
		p.resyncs.entities = p.replication.Asked()
		p.replication.Close()
		p.replication = nil
	}
	p.handshake.phase = ended
}
