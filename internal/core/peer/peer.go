package peer

import (
	"errors"
	"math/bits"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
)

// Config is what a connection is made of. Fields without a default must be set.
type Config struct {
	// Registry is what this side has registered.
	Registry Registry
	// Client is the peer's id, told to it in the hello; 0 on a client.
	Client entangle.ClientID
	// Channels are the game's own, from FirstUser on; their directions are seen
	// from this side.
	Channels []channel.Config
	// World is what is replicated to the peer; nil: nothing.
	World *sender.World
	// Copy is what the peer's replication is made into; nil: it may send none.
	Copy *receiver.Receiver
	// Inbox gets the messages of the game's channels, and resources.
	Inbox Inbox
	// Ready reports whether more of the peer is taken in for now. A packet that comes while it is
	// not is dropped unread, as if the line had lost it, and so what the last one has released
	// waits for Deliver. nil: always.
	Ready func() bool
	// OnResource is told of each message of SendResource that the peer has; nil:
	// nobody is.
	OnResource func(channel.MessageID)
	// OnPacket is told the tick of each packet of the peer that is new, before its frames
	// are read, while the connection is open; nil: nobody is.
	OnPacket func(tick entangle.Tick, now time.Time)
	// Clock and Inputs write and read the frames of those channels; nil: frames on it
	// are an error.
	Clock, Inputs Stream
	// Capped says that Allow is called in every frame.
	Capped bool
	// Share bounds the cost of what is queued for the peer with Relay; 0: DefaultShare.
	Share int
}

// Registry is the protocol of this side, as far as both must agree on it.
type Registry interface {
	Hash() uint64
	// AppendEntries writes what is registered, for a peer whose hash differs.
	AppendEntries(dst []byte) []byte
	// Diff says in a sentence what differs from a peer's entries. The error is for
	// bytes that are no entries.
	Diff(entries []byte) (string, error)
}

// Inbox takes what arrives on the game's channels.
type Inbox interface {
	// HandleMessage takes one message that was sent at the peer's tick. body is
	// valid until it returns. An error ends the connection.
	HandleMessage(ch channel.ID, body []byte, tick entangle.Tick, now time.Time) error
}

// Peer is one end of a connection.
type Peer struct {
	// What every packet needs comes first, together: most of the memory of so many peers
	// is far from the processor.
	phase   phase
	agreed  bool // the peer's hello is equal to ours
	greeted bool // ours has arrived
	heard   bool
	tick    entangle.Tick // newest of the peer's packets
	frame   int           // packets in the frame under way
	opened  time.Time     // zero before the first call
	updates *sender.Peer  // nil before the connection is open, and without a World
	stats   payloads
	streams streams
	tracker packet.Tracker
	mux     channel.Mux
	cfg     Config
	allowed allowance
	// structure is the bytes of actions that the frame under way has added.
	structure int
	groups    int // and their number

	tap      func(updates bool, body []byte) // nil unless somebody listens
	joining  joining
	compared uint64 // bytes of the peer's entries
	resyncs  uint64 // groups that the peer asked for
	asked    uint64 // entities that it was sent again for that, when it was closed
	id       entangle.ClientID
	outcome  string
	scratch  []byte
	onResync func(repl.Handle)
}

type phase uint8

const (
	greeting phase = iota // hellos are under way
	open                  // equal protocols, and both sides know it
	differs               // unequal; entries are under way
	ended
)

// New returns a connection that says hello with its first packet. The error is
// about the channels.
func New(cfg Config) (*Peer, error) {
	mux, err := channel.NewMux(append(builtin(), cfg.Channels...), channel.Limits{})
	if err != nil {
		return nil, err
	}
	p := &Peer{cfg: cfg, tracker: *packet.NewTracker(packet.Config{}), mux: *mux, streams: newStreams(&cfg)}
	p.onResync = p.handleResync
	return p, nil
}

// Open reports whether both sides know that their protocols are equal.
func (p *Peer) Open() bool { return p.phase == open }

// Ended returns why the peer ended the connection, or why it must end; ok is
// false while it goes on.
func (p *Peer) Ended() (reason string, ok bool) { return p.outcome, p.phase == ended }

// ClientID returns the id that the server's hello named. On a server, Nobody.
func (p *Peer) ClientID() entangle.ClientID { return p.id }

// Tick returns the newest tick that a packet of the peer named; ok is false
// before the first.
func (p *Peer) Tick() (tick entangle.Tick, ok bool) { return p.tick, p.heard }

// Updates returns what this peer was sent and acknowledged, nil before the
// connection is open.
func (p *Peer) Updates() *sender.Peer { return p.updates }

// RTT returns the smoothed round trip, the peer's frame included; 0 before
// something that we sent was acknowledged.
func (p *Peer) RTT() time.Duration { return p.measured(p.tracker.RTT()) }

// Jitter returns the smoothed deviation of the round trip, 0 like RTT.
func (p *Peer) Jitter() time.Duration { return p.measured(p.tracker.Jitter()) }

func (p *Peer) measured(d time.Duration) time.Duration {
	if !p.tracker.Sampled() {
		return 0
	}
	return d
}

// Loss returns the share of the recent packets that never arrived, 0..1.
func (p *Peer) Loss() float64 { return p.tracker.LossRate() }

// Send queues a message on a channel of the game; its priority is relative to others of
// the channel. Errors are those of channel.Mux; channel.ErrQueueFull means that the peer is
// to be disconnected.
func (p *Peer) Send(ch channel.ID, body []byte, priority float32, now time.Time) error {
	_, err := p.mux.Send(ch, body, priority, now)
	return err
}

// DefaultShare is as much as the longest message costs, and half as much again.
const DefaultShare = 128 << 10

// Relay queues what another peer, told apart by a small number, says to this one. It reports whether
// there was room in the share of the queue that is for that: this end's own messages do not wait for
// long behind it, and none of the others takes all of it.
func (p *Peer) Relay(ch channel.ID, body []byte, priority float32, by int) (bool, error) {
	share := p.cfg.Share
	if share == 0 {
		share = DefaultShare
	}
	err := p.mux.SendShared(ch, body, priority, share, by)
	if errors.Is(err, channel.ErrShareFull) {
		return false, nil
	}
	return err == nil, err
}

// SendResource queues the value of a resource and returns its number, which
// Config.OnResource is told when the peer has it. Errors are those of Send. The longer a
// value is the less urgent are its pieces: small ones do not wait for it, and in the end it
// gets there.
func (p *Peer) SendResource(body []byte, now time.Time) (channel.MessageID, error) {
	longer := bits.Len(uint(len(body) / channel.FragmentSize)) // in few steps: each has a share
	return p.mux.Send(Resources, body, 1/float32(int(1)<<longer), now)
}

// ResourcesCrowded reports whether no further resource is to be queued for now: what
// waits does not leave memory, and a newer value takes the place of one that is not
// queued.
func (p *Peer) ResourcesCrowded() bool {
	return p.ResourceBytes() >= maxResourceBacklog || p.Crowded()
}

// Crowded reports whether more than half of the room for reliable messages of this end is taken:
// the peer acknowledges them more slowly than they come.
func (p *Peer) Crowded() bool { return p.mux.QueuedOwn() > channel.DefaultReliableQueue/2 }

// Close lets go of what is kept about the peer elsewhere.
func (p *Peer) Close() {
	if p.updates != nil {
		p.asked = p.updates.Asked()
		p.updates.Close()
		p.updates = nil
	}
	p.phase = ended
}
