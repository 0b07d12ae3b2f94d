package endpoint

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// ClientConfig configures a [Client].
type ClientConfig struct {
	Registry   peer.Registry
	Components int // the number of registered component types
	Channels   []channel.Config
	Post       *message.Post
	Log        *slog.Logger
	MaxBytes   int // per second, to the server; 0: no cap
	TickRate   int
	Clock      *tick.Clock
	MaxWaiting int // bytes of records that wait for others; 0: DefaultMaxWaiting

	// OnConnected is called when the server is connected and has an equal protocol; OnJoined when
	// everything has arrived that the server had for this client at that time; OnDisconnected when
	// the connection has ended, or the attempt has failed.
	OnConnected    func(id entangle.ClientID)
	OnJoined       func(id entangle.ClientID)
	OnDisconnected func(id entangle.ClientID, err error)
}

// DefaultMaxWaiting is used where ClientConfig.MaxWaiting is 0, in bytes.
const DefaultMaxWaiting = receiver.DefaultWaitingBytes

// Client is the engine of plugin.Client, with one connection layer and one peer.
type Client struct {
	cfg     ClientConfig
	applier *sink.Applier // nil until Show

	resources *message.ResourceCopy // nil until ShowResources
	inputs    *input.Inputs         // nil: no input is registered

	layer   connection.Client // nil while disconnected
	session                   // zero while disconnected, but for its buffers
	payload []byte            // scratch

	id       entangle.ClientID // the id on this connection, or on the last one until the next begins
	err      error             // why the last connection ended
	last     lastConnection
	traffic  connection.Traffic // the traffic of closed layers
	received receiver.Stats     // counted by the receivers of all connections
	tick     entangle.Tick      // the tick of the last Send
	bucket   budget.Bucket      // the byte budget under the cap
}

// session is the part of a Client that ends with its connection.
type session struct {
	peer     *peer.Peer // nil before the layer reports a connection, as are the next two
	receiver *receiver.Receiver
	mail     *message.Inbox
	batch    batch // payloads that are not handled yet
	open     bool
	joined   bool
	busy     bool  // the world changes: a listener of the game may disconnect only afterwards
	leaving  error // why a listener has disconnected meanwhile
	failed   error // the first failure to queue a message
}

// NewClient returns a disconnected client.
func NewClient(cfg ClientConfig) *Client {
	c := &Client{cfg: cfg, bucket: budget.NewBucket(cfg.MaxBytes, CapSpan(cfg.TickRate))}
	cfg.Post.Playing = c.Open
	return c
}

// Show sets the world in which replicas of the server's entities appear.
func (c *Client) Show(world *sink.Applier) { c.applier = world }

// ShowResources sets the replicas of the server's resources, in the world of Show.
func (c *Client) ShowResources(r *message.ResourceCopy) { c.resources = r }

// Drive sets the inputs that are sent to the server, from the world of Show.
func (c *Client) Drive(i *input.Inputs) {
	if len(i.Types) > 0 {
		c.inputs = i
	}
}

// Connecting reports whether the client is connecting or connected.
func (c *Client) Connecting() bool { return c.layer != nil }

// Open reports whether the client is connected and both protocols are equal.
func (c *Client) Open() bool { return c.open }

// Joined reports whether everything has arrived that the server had for the client when it
// connected.
func (c *Client) Joined() bool { return c.joined }

// Joining returns how many groups have arrived, of those that the server had for the client when it
// connected; see peer.Peer.ReceiveProgress.
func (c *Client) Joining() (have, of int) {
	if c.peer == nil {
		return 0, 0
	}
	t := c.peer.ReceiveProgress()
	return t.Have, t.Of
}

// ID returns the client id of the present connection, or of the last one while disconnected. It is
// Nobody before the first connection, and from Connect until Open.
func (c *Client) ID() entangle.ClientID { return c.id }

// ConfirmedTick returns the confirmed tick: the newest for which all state of the predicted set has
// arrived. ok is false until a connection has one.
func (c *Client) ConfirmedTick() (tick entangle.Tick, ok bool) {
	if c.receiver == nil {
		return 0, false
	}
	return c.receiver.ConfirmedTick()
}

// Connect sets the layer, which is connecting to a server.
func (c *Client) Connect(layer connection.Client) {
	c.layer, c.err, c.id, c.last = layer, nil, entangle.Nobody, lastConnection{}
}

// Receive handles the events of the layer: it reads the packets that have arrived.
func (c *Client) Receive(now time.Time) {
	if c.applier != nil {
		c.applier.ForgetLastConfirmed()
	}
	if c.open {
		if err := c.peer.Deliver(now); err != nil {
			c.broken(err, now)
			return
		}
	}
	begun, events := c.spawned(), 0
	for more := true; c.handleBatch(begun+maxSpawns, now) && more && events < maxEvents; {
		var n int
		n, more = c.readBatch(now)
		events += n
	}
	if c.applier != nil {
		c.applier.ResolveReturns()
	}
}

// readBatch reads events of the layer until the batch of payloads is full, and handles the others. It returns their number,
// and whether there may be more in this frame.
func (c *Client) readBatch(now time.Time) (events int, more bool) {
	for ; c.layer != nil && !c.batch.isFull(); events++ {
		e, err := c.layer.Receive(now)
		if errors.Is(err, connection.ErrEmpty) {
			return events, false
		}
		if err == nil && e.Kind == connection.Payload && c.peer != nil {
			c.batch.add(e.Payload)
			continue
		}
		before := c.peer
		c.handleBatch(math.MaxUint64, now)
		switch {
		case c.peer != before: // a goodbye has ended the connection
		case err != nil:
			c.endConnection(endedBy(err.Error(), connection.ErrTransport, err), now)
		default:
			c.handleEvent(&e, now)
		}
	}
	return events, c.layer != nil
}

// handleBatch handles the batch of payloads. It stops if more replicas than most have been spawned, and reports whether it
// has not.
func (c *Client) handleBatch(most uint64, now time.Time) bool {
	c.batch.sort()
	for c.spawned() <= most {
		payload := c.batch.take()
		if payload == nil {
			return true
		}
		c.handle(payload, now)
	}
	return false
}

// DeliverHeld delivers the messages that have waited for entities, or until their tick is shown. It is called in every
// frame, when the interpolated entities are shown.
func (c *Client) DeliverHeld(now time.Time) {
	if !c.open {
		return
	}
	if err := c.mail.Advance(now); err != nil {
		c.broken(err, now)
	}
}

// maxSpawns is how many entities may appear in one frame before the other packets wait for the
// next. A packet is not acknowledged before it is read, so the server does not count its entities
// as received. Servers send a few thousand in a frame at most.
const maxSpawns = 1 << 14

// spawned returns how many replicas have been spawned in total.
func (c *Client) spawned() uint64 {
	if c.applier == nil {
		return 0
	}
	return c.applier.Replicas.Spawns
}

// OverdueMessages returns the number of messages that wait for a tick that is shown. It is for tests.
func (c *Client) OverdueMessages() int {
	if c.mail == nil {
		return 0
	}
	return c.mail.Overdue()
}

// PacketInterval returns the number of ticks from one packet of the server to the next, as it has stated it.
func (c *Client) PacketInterval() int { return c.cfg.Clock.PacketInterval() }

// handleEvent handles one event of the layer.
func (c *Client) handleEvent(e *connection.Event, now time.Time) {
	switch {
	case e.Kind == connection.Connected && c.peer == nil:
		c.connected()
	case e.Kind == connection.Disconnected:
		c.endConnection(errorOfLayer(e.Err, errorOfServer, false), now)
	default:
		c.endConnection(fmt.Errorf("%w: %T reports %v", ErrLayer, c.layer, e.Kind), now)
	}
}

// broken ends a connection because the server sent malformed data, or more than the client's
// limits allow.
func (c *Client) broken(err error, now time.Time) {
	if errors.Is(err, receiver.ErrCrowded) {
		c.crowded("the server replicates more entities to this client than it takes; raise ClientConfig.MaxEntities if the game is that large",
			fmt.Sprintf("the server replicates more than %d entities to this client, the limit of ClientConfig.MaxEntities", c.applier.Most()), now)
		return
	}
	if errors.Is(err, receiver.ErrNoRoom) {
		c.crowded("more records arrived early, before what they depend on, than the client has room to keep; raise ClientConfig.MaxWaitingBytes",
			fmt.Sprintf("more structure arrived early than %d bytes, the limit of ClientConfig.MaxWaitingBytes", c.receiver.WaitingLimit()), now)
		return
	}
	c.cfg.Log.Warn("the server broke the protocol", "error", err)
	c.Disconnect(endedBy(serverBrokeProtocol+err.Error(), ErrProtocolBroken), now)
}

// crowded ends a connection because the server sent more than the client's limits allow. The game
// may need that much, so the log names the setting to raise.
func (c *Client) crowded(advice, reason string, now time.Time) {
	c.cfg.Log.Warn(advice, "reason", reason)
	c.Disconnect(endedBy(reason, ErrOverLimit), now)
}

func (c *Client) connected() {
	c.receiver = receiver.New(c.applier, c.cfg.Components)
	c.receiver.CountIn(&c.received)
	if c.cfg.MaxWaiting > 0 {
		c.receiver.LimitWaiting(c.cfg.MaxWaiting)
	}
	c.mail = c.cfg.Post.NewInbox(entangle.Nobody, c.receiver.Slot)
	c.mail.Resources, c.mail.EndedBy = c.resources, c.receiver.EndedBy
	cfg := peer.Config{
		Registry: c.cfg.Registry, Channels: c.cfg.Channels, Receiver: c.receiver, Inbox: c.mail, Ready: c.mail.Ready, Capped: c.cfg.MaxBytes > 0,
		OnPacket: c.cfg.Clock.PacketReceived, Clock: c.cfg.Clock.Sync(),
	}
	if c.inputs != nil {
		c.inputs.Others.Connect(c.applier, c.receiver.Slot)
		cfg.Inputs = c.inputs.Connect(c.applier, c.cfg.Clock, c.ID)
	}
	p, err := peer.New(cfg)
	if err != nil {
		panic(fmt.Sprintf("endpoint: channels that protocol.Err did not find fault with: %v", err))
	}
	c.peer, c.mail.Peer = p, p
	c.applier.Connected(p.ClientID)
	c.cfg.Clock.Connected()
}

func (c *Client) handle(payload []byte, now time.Time) {
	c.busy = true
	err := c.peer.HandlePayload(payload, now)
	c.busy = false
	if err != nil {
		c.broken(err, now)
		return
	}
	if c.leaving != nil {
		c.Disconnect(c.leaving, now)
		return
	}
	if reason, over := c.applier.Overgrown(); over {
		c.crowded("MaxEntities", reason, now)
		return
	}
	if goodbye, ended := c.peer.Ended(); ended {
		c.Disconnect(errorOfServer(goodbye), now)
		return
	}
	if c.payload = c.peer.AppendAck(c.payload[:0], c.tick, now); len(c.payload) > 0 {
		c.layer.Send(c.payload, now)
	}
	if c.peer.Open() && !c.open {
		c.open, c.id = true, c.peer.ClientID()
		c.cfg.OnConnected(c.id)
	}
	if c.open && !c.joined && c.peer.ReceiveProgress().Done() {
		c.joined = true
		c.cfg.OnJoined(c.id)
	}
}

// Send sends all waiting data and the layer's own packets. tick is the client's last finished tick.
func (c *Client) Send(tick entangle.Tick, now time.Time) {
	c.tick = tick
	if !c.open {
		c.cfg.Post.ForgetCalls()
	}
	if c.layer == nil {
		return
	}
	if c.peer != nil {
		if err := c.sendPackets(tick, now); err != nil {
			c.Disconnect(endedBy(serverTooSlow+err.Error(), ErrTooSlow), now)
		}
	}
	c.Rest(now)
}

// Rest sends the packets that do not wait for a frame in which the client sends: the layer's own,
// and the acknowledgements that were written while packets were read.
func (c *Client) Rest(now time.Time) {
	if c.layer == nil {
		return
	}
	before := c.Traffic().BytesOut
	err := c.layer.Flush()
	c.bucket.Spend(int(c.Traffic().BytesOut - before))
	if err != nil {
		c.endConnection(endedBy(err.Error(), connection.ErrTransport, err), now)
	}
}

func (c *Client) sendPackets(tick entangle.Tick, now time.Time) error {
	if err := c.peer.Begin(now); err != nil {
		return err
	}
	if c.open {
		c.cfg.Post.Flush(tick, now, c)
	}
	if c.failed != nil {
		return c.failed
	}
	if goodbye, ended := c.peer.Ended(); ended {
		c.Disconnect(errorOfServer(goodbye), now)
		return nil
	}
	if c.cfg.MaxBytes > 0 {
		c.peer.SetBudget(c.bucket.Level(now), now)
	}
	for {
		c.payload = c.peer.AppendPacket(c.payload[:0], tick, now)
		if len(c.payload) == 0 {
			return nil
		}
		c.layer.Send(c.payload, now)
	}
}

// Carry implements Carrier. All messages of a client go to the server.
func (c *Client) Carry(l *message.Outgoing, now time.Time) {
	post := c.cfg.Post
	err := c.peer.Send(post.Channel(l), post.Envelope(l, source.Recipient{}), post.Priority(l), now)
	if err != nil && c.failed == nil {
		c.failed = err
	}
}

// Disconnect ends the connection or the attempt for the error why. All replicas are removed from
// the world, except persistent ones. While a packet is applied, that happens afterwards.
func (c *Client) Disconnect(why error, now time.Time) {
	if c.layer == nil {
		return
	}
	if c.busy {
		c.leaving = why
		return
	}
	if c.peer != nil {
		if _, ended := c.peer.Ended(); !ended {
			for range goodbyes {
				c.payload = c.peer.AppendGoodbye(c.payload[:0], goodbyeOf(why), 0, now)
				c.layer.Send(c.payload, now)
			}
		}
	}
	c.endConnection(why, now)
}

// endConnection releases everything that belongs to the connection.
func (c *Client) endConnection(why error, now time.Time) {
	c.last = c.ended()
	if c.peer != nil {
		if theirs, ended := c.peer.Ended(); ended && theirs != "" {
			why = errorOfServer(theirs)
		}
		c.peer.Close()
		c.cfg.Clock.Disconnected()
		c.busy = true
		c.applier.Clear()
		if c.inputs != nil {
			c.inputs.Disconnect()
		}
		if c.resources != nil {
			c.resources.Clear()
		}
	}
	c.closeLayer(goodbyeOf(why), now)
	c.session, c.err = session{batch: c.batch.emptied()}, why
	c.cfg.Post.ForgetCalls()
	c.cfg.OnDisconnected(c.id, why)
}

// closeLayer closes and releases the layer.
func (c *Client) closeLayer(reason string, now time.Time) {
	before := c.Traffic().BytesOut
	if err := c.layer.Close(reason, now); err != nil {
		c.cfg.Log.Warn("closing a connection", "error", err)
	}
	c.traffic = c.Traffic()
	c.bucket.Spend(int(c.traffic.BytesOut - before))
	c.layer = nil
}

// Err returns why the last connection or attempt ended. It is nil during one and before the first.
func (c *Client) Err() error { return c.err }
