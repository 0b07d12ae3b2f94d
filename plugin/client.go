package plugin

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/internal/core/timesync"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/predict"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/systems"
	"github.com/entangle-ecs/entangle/transport"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Client is the player's side of a game. The server's entities appear in its world, marked with
// components.Remote.
//
// It is an App, which an arche-model app, Run or the game's own loop can drive. Once it is
// initialised, Connect and Disconnect may be called at any time, from the goroutine that updates
// it.
//
// Its ticks run ahead of the server's, so that the player's inputs arrive in time. A few round
// trips after connecting, its tick jumps to the right place (see ClockJumped). From then on ticks
// run up to 5 % faster or slower, as the network requires; see ClockStats.
type Client struct {
	frame
	config    ClientConfig
	engine    *endpoint.Client
	post      *message.Post
	applier   *sink.Applier
	resources *message.ResourceCopy
	replayer  *input.Replayer
	leaving   bool         // disconnects at the end of the replay
	why       *predict.Why // nil: rollbacks are not explained

	prediction *predict.Prediction

	connected    *event.Queue[ClientConnected]
	joined       *event.Queue[ClientJoined]
	disconnected *event.Queue[ClientDisconnected]
	spawned      *event.Queue[EntitySpawned]
	despawned    *event.Queue[EntityDespawned]
	jumped       *event.Queue[ClockJumped]
}

// NewClient returns a disconnected client. The error describes mistakes in the config or in the
// registrations of its Protocol.
func NewClient(config ClientConfig) (*Client, error) {
	c, err := config.common()
	if err != nil {
		return nil, err
	}
	cl := &Client{frame: newFrame(c), config: config}
	cl.steered = tick.NewClock(timesync.ClientConfig{TickRate: c.protocol.TickRate(), Delay: config.InputDelay.ticks()}, cl.stepper, c.log)
	cl.post = message.NewPost(c.protocol, false)
	cl.engine = endpoint.NewClient(endpoint.ClientConfig{
		Registry:   message.NewRegistry(c.protocol, false),
		Components: len(registry.Of(c.protocol).Components),
		Channels:   message.Channels(c.protocol, false),
		Post:       cl.post,
		Log:        c.log,
		MaxBytes:   config.MaxBytes,
		TickRate:   c.protocol.TickRate(),
		Clock:      cl.steered,
		MaxWaiting: config.MaxWaitingBytes,

		OnConnected:    cl.onConnected,
		OnJoined:       cl.onJoined,
		OnDisconnected: cl.onDisconnected,
	})
	return cl, nil
}

// Initialize attaches the client to a world. A second call with the same world does nothing, so a
// game can initialise the client itself to connect before a model or Run initialises it. It panics
// with another world.
func (c *Client) Initialize(w *ecs.World) {
	if !c.attach(w) {
		return
	}
	c.connected = event.QueueOf[ClientConnected](c.hub)
	c.joined = event.QueueOf[ClientJoined](c.hub)
	c.disconnected = event.QueueOf[ClientDisconnected](c.hub)
	c.spawned = event.QueueOf[EntitySpawned](c.hub)
	c.despawned = event.QueueOf[EntityDespawned](c.hub)
	c.jumped = event.QueueOf[ClockJumped](c.hub)
	c.steered.Attach(c.time)
	c.applier = sink.NewApplier(w, c.hub, registry.Of(c.protocol).Components,
		func(e ecs.Entity) { c.spawned.Push(EntitySpawned{e}) },
		func(e ecs.Entity) { c.despawned.Push(EntityDespawned{e}) })
	c.applier.Limit(c.config.MaxEntities)
	if c.config.ConfirmedTwins {
		c.applier.KeepTwins()
	}
	if err := c.applier.InterpolateBy(c.steered, registry.Of(c.protocol).Components, c.protocol.TickRate()); err != nil {
		panic("plugin: " + err.Error())
	}
	c.engine.Show(c.applier)
	c.resources = message.NewResourceCopy(w, c.hub, registry.Of(c.protocol).Resources, c.applier)
	c.engine.ShowResources(c.resources)
	c.post.Attach(w, c.hub, nil, c.applier)
	c.inputs = input.NewClientInputs(w, c.hub, c.protocol)
	c.inputs.WarnTo(c.log)
	c.engine.Drive(c.inputs)
	c.replayer = &input.Replayer{Schedule: c.schedule, Time: c.time, Hub: c.hub, Post: c.post, Inputs: c.inputs}
	c.initReports(c.config.ExplainRollbacks)
	c.initPrediction()
	if c.config.Strict {
		c.schedule.Strict(w, c.protocol, c.time)
	}
	ecs.AddResource(w, &apps.App{
		Protocol: c.protocol, Post: c.post, Inputs: c.inputs,
		Client: c.engine, Applier: c.applier, Prediction: c.prediction,
	})
	stages := &systems.Client{
		Frame: c.parts(), Engine: c.engine, Applier: c.applier, Prediction: c.prediction, Explain: c.why,
		Unsent: tick.NewUnsentWarning(w, c.log), AfterReplay: c.leave,
	}
	stages.Bind()
	c.run = stages.Run
	c.steered.OnJump(func(from, to entangle.Tick) { c.jumped.Push(ClockJumped{From: from, To: to}) })
	c.schedule.Initialize(w)
}

// Update runs one frame: it receives, runs the ticks that are due, and sends. A panic of a system, or of
// another function of the game such as a protocol.Lerp, goes through to the caller in the middle of the frame:
// only Finalize may be called after it.
func (c *Client) Update(w *ecs.World) {
	c.mustBe(w)
	c.Step(c.clock())
}

// Step is Update at the time now, for a program with a clock of its own, which must not go back:
// one that runs several apps in step, or faster than real time, and tests. ClientConfig.Clock is not
// read.
func (c *Client) Step(now time.Time) { c.step(now) }

// Finalize disconnects and finalises the client's systems.
func (c *Client) Finalize(w *ecs.World) {
	c.Disconnect()
	c.schedule.Finalize(w)
}

// State is the state of a client's connection.
type State uint8

// The states of a client.
const (
	Disconnected State = iota
	Connecting
	Connected
)

// String returns the name of the state.
func (s State) String() string {
	return [...]string{"Disconnected", "Connecting", "Connected"}[min(s, Connected)]
}

// State returns the state of the connection. It is Connected once the server has accepted the
// client and both protocols have proved equal. The clock is synchronised a little later; see
// ClockStats.
func (c *Client) State() State {
	switch {
	case c.engine.Open():
		return Connected
	case c.engine.Connecting():
		return Connecting
	}
	return Disconnected
}

// Err returns why the last connection or attempt ended, such as ErrServerFull by errors.Is; see
// ClientDisconnected. It is nil before the first one and while one is active.
func (c *Client) Err() error { return c.engine.Err() }

var (
	errNotInitialized = errors.New("plugin: the client has no world yet; call Connect after Initialize, " +
		"or hand the app to Run and call it from a system's Initialize")
	errConnecting = errors.New("plugin: the client is connected or connecting; call Disconnect first")
)

// Connect starts connecting to the server that the token names. The result shows in State and is
// raised as ClientConnected or ClientDisconnected. Errors concern the token and the dialer. Each
// connection needs a new token, because a token admits a client once.
func (c *Client) Connect(dialer transport.Dialer, t token.Token) error {
	if dialer == nil {
		return errors.New("plugin: Connect needs a dialer, such as udp.Dialer{}")
	}
	return c.ConnectWith(netcode.Dialer{Over: dialer, Token: t})
}

// ConnectWith is Connect through another connection layer, one that the server passed to StartWith.
// Errors concern the layer.
func (c *Client) ConnectWith(layer connection.Dialer) error {
	switch {
	case c.world == nil:
		return errNotInitialized
	case c.engine.Connecting():
		return errConnecting
	case layer == nil:
		return errors.New("plugin: ConnectWith needs a connection layer, such as trusted.Dialer{}")
	}
	conn, err := layer.Dial(connection.ClientConfig{
		Game: c.protocol.Name(), ProtocolID: protocol.ID(c.protocol.Name()), Entropy: c.entropy, Now: c.clock(),
	})
	if err != nil {
		return err
	}
	c.engine.Connect(conn)
	return nil
}

// Disconnect ends the connection or the attempt, and removes everything that the server replicated
// from the world, except entities marked components.Persistent. The client does not reconnect by
// itself. During a replay, the disconnect happens at the end of the replay.
func (c *Client) Disconnect() {
	if c.leaving = c.time != nil && c.time.Replaying; !c.leaving {
		c.engine.Disconnect(ErrLeft, c.clock())
	}
}

// leave performs a disconnect that was requested during a replay.
func (c *Client) leave() {
	if c.leaving {
		c.Disconnect()
	}
}

// Wait updates the client until it reaches a state, and then returns nil. It paces itself like Run,
// for programs that have nothing else to do until then. It returns an error when ctx ends, and when
// the client is disconnected although another state was awaited; the latter wraps Err.
func (c *Client) Wait(ctx context.Context, state State) error {
	if c.State() == Disconnected && state != Disconnected {
		return errors.Join(fmt.Errorf("plugin: waiting for %v: the client is not on its way; call Connect first", state), c.Err())
	}
	until, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pace(until, c.TickRate(), func() {
		c.Update(c.world)
		switch now := c.State(); {
		case now == state:
			cancel(errReached)
		case now == Disconnected:
			cancel(fmt.Errorf("plugin: waiting for %v: %w", state, c.Err()))
		}
	})
	switch err := context.Cause(until); {
	case errors.Is(err, errReached):
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("plugin: waiting for %v, now %v: %w", state, c.State(), err)
	default:
		return err
	}
}

var errReached = errors.New("reached")

// Joined reports whether the client has received everything that existed for it when it connected.
// ClientJoined is raised for it, too. Stats has the progress until then.
func (c *Client) Joined() bool { return c.engine.Joined() }

// ID returns the id by which the server knows this client. After a connection has ended, even at
// the end of Run, it remains the id of that connection until the next Connect. It is
// entangle.Nobody before the first connection and while connecting. State says whether the client
// is connected.
func (c *Client) ID() entangle.ClientID { return c.engine.ID() }

// DevToken mints a token for a server on this machine that has no key: for a first program and for
// tests. Connect refuses it for any address that is not loopback, including the local network,
// since a server without a key does not listen there. Tokens for other servers come from anyone who
// has their key; see token.Mint and the package tokenhttp.
func (c *Client) DevToken(server netip.AddrPort, id entangle.ClientID) (token.Token, error) {
	return MintToken(netcode.DevKey(c.protocol.Name()), c.protocol.Name(), token.Claims{
		ClientID: id,
		Servers:  []netip.AddrPort{server},
		Now:      c.clock(),
		Entropy:  c.entropy,
	})
}

func (c *Client) onConnected(id entangle.ClientID) { c.connected.Push(ClientConnected{Client: id}) }

func (c *Client) onJoined(id entangle.ClientID) { c.joined.Push(ClientJoined{Client: id}) }

func (c *Client) onDisconnected(id entangle.ClientID, err error) {
	c.disconnected.Push(ClientDisconnected{Client: id, Err: err})
}
