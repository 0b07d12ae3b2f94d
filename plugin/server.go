package plugin

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/connection/netcode"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/systems"
	"github.com/entangle-ecs/entangle/transport"
)

// Server is the side with authority over the world. Entities of its world that have
// components.Replicate appear on every client.
//
// It is an App, which an arche-model app, Run or the game's own loop can drive. Start opens its
// sockets, before or after it is initialised.
type Server struct {
	frame
	config ServerConfig
	engine *endpoint.Server
	post   *message.Post

	collector    *source.Collector
	rewind       *source.Rewind // nil: no component has the option Rewind
	resources    *message.Resources
	owned        *endpoint.OwnedEntities
	connected    *event.Queue[ClientConnected]
	joined       *event.Queue[ClientJoined]
	disconnected *event.Queue[ClientDisconnected]
	exceeded     *event.Queue[BoundExceeded]
	addrs        []netip.AddrPort
	failed       error

	first  time.Time // time of the first frame, if that ran before Start
	warned bool      // the server was started once, or the log has the warning that it was not
}

// NewServer returns a stopped server. The error describes mistakes in the config or in the
// registrations of its Protocol.
func NewServer(config ServerConfig) (*Server, error) {
	byWork := config.Workers == 0
	c, err := config.common()
	if err != nil {
		return nil, err
	}
	s := &Server{frame: newFrame(c), config: config}
	s.post = message.NewPost(c.protocol, true)
	s.engine = endpoint.NewServer(endpoint.ServerConfig{
		Registry: message.NewRegistry(c.protocol, true),
		Channels: message.Channels(c.protocol, true),
		Post:     s.post,
		Log:      c.log,
		Workers:  config.Workers, ByWork: byWork,
		Caps:     endpoint.Caps{PerClient: config.MaxBytesPerClient, All: config.MaxBytes, TickRate: c.protocol.TickRate()},
		Intake:   endpoint.IntakeRate(config.MaxWorkPerClient, c.protocol.TickRate()),
		TickRate: c.protocol.TickRate(), SendEvery: c.every,

		OnConnected:    s.onConnected,
		OnJoined:       s.onJoined,
		OnDisconnected: s.onDisconnected,
		OnOverdue:      s.onOverdue,
	})
	return s, nil
}

// Initialize attaches the server to a world. It panics if the world cannot be networked, with a
// sentence that names the cause and the remedy. A second call with the same world does nothing.
func (s *Server) Initialize(w *ecs.World) {
	if s.initEngine(w) {
		s.schedule.Initialize(w)
	}
}

// initEngine is Initialize without the game's systems. It reports false if the server was attached to
// the world already.
func (s *Server) initEngine(w *ecs.World) bool {
	if !s.attach(w) {
		return false
	}
	s.hub.LimitMessages(message.MessagesOf(s.config.MaxClients))
	s.connected = event.QueueOf[ClientConnected](s.hub)
	s.joined = event.QueueOf[ClientJoined](s.hub)
	s.disconnected = event.QueueOf[ClientDisconnected](s.hub)
	s.exceeded = event.QueueOf[BoundExceeded](s.hub)
	collector, err := source.NewCollector(w, registry.Of(s.protocol).Components, s.log)
	if err != nil {
		panic("plugin: " + err.Error())
	}
	collector.SetStride(s.every)
	collector.MeanUnsent(s.protocol)
	s.collector, s.owned = collector, endpoint.NewOwnedEntities(w)
	refused := event.QueueOf[GroupRefused](s.hub)
	marker := generic.NewMap[components.Replicate](w)
	collector.OnRefused(func(e ecs.Entity) {
		if w.Alive(e) && marker.Has(e) { // else the group has shrunk since
			refused.Push(GroupRefused{Entity: e, Group: marker.Get(e).Group})
		}
	})
	s.engine.Publish(collector)
	s.post.Attach(w, s.hub, collector, nil)
	s.shareResources(w)
	s.rewind = collector.NewRewind(registry.Of(s.protocol).Components, s.TickRate(), s.config.rewindTicks(s.TickRate()))
	s.inputs = input.NewServerInputs(w, s.hub, s.protocol, collector, s.Tick())
	s.inputs.WarnTo(s.log)
	s.inputs.FireBy(source.NewIntents(w, registry.Of(s.protocol), true))
	s.engine.Drive(s.inputs)
	ecs.AddResource(w, &apps.App{
		Protocol: s.protocol, Post: s.post, Inputs: s.inputs,
		Server: s.engine, Collector: collector, Resources: s.resources, Rewind: s.rewind,
	})
	stages := &systems.Server{
		Frame: s.parts(), Engine: s.engine, Collector: collector, Resources: s.resources, Owned: s.owned,
		Blueprints: s.blueprints(w), Prespawns: s.prespawns(w), SIDs: s.sids(w), Rewind: s.rewind, OnBroken: s.stopForError,
	}
	stages.Bind()
	s.run = stages.Run
	return true
}

func (s *Server) blueprints(w *ecs.World) *source.Blueprints {
	blueprints := source.NewBlueprints(w, registry.Of(s.protocol))
	s.collector.UseBlueprints(blueprints)
	return blueprints
}

func (s *Server) prespawns(w *ecs.World) *source.Prespawns {
	prespawns, err := source.NewPrespawns(w, registry.Of(s.protocol).Components, s.log, ecs.ComponentID[components.IntentOf](w))
	if err != nil {
		panic("plugin: " + err.Error())
	}
	return prespawns
}

// sids returns the source of shared ids for entities, nil if components.SID is not registered.
func (s *Server) sids(w *ecs.World) *source.SIDs {
	if registry.Of(s.protocol).ComponentOf(reflect.TypeFor[components.SID]()) == nil {
		return nil
	}
	sids, err := source.NewSIDs(w, s.entropy)
	if err != nil {
		panic("plugin: " + err.Error())
	}
	return sids
}

func (s *Server) shareResources(w *ecs.World) {
	s.resources = message.NewResources(w, registry.Of(s.protocol).Resources, s.collector, s.log)
	refused := event.QueueOf[ResourceRefused](s.hub)
	s.resources.OnRefused(func(r *registry.Resource, err error) {
		refused.Push(ResourceRefused{Name: r.Name, Err: err})
	})
	s.engine.PublishResources(s.resources)
}

// Update runs one frame: it receives, runs the ticks that are due, and sends.
func (s *Server) Update(w *ecs.World) {
	s.mustBe(w)
	s.Step(s.clock())
}

// Step is Update at the time now, for a program with a clock of its own, which must not go back: one
// that runs several apps in step, or faster than real time, and tests. ServerConfig.Clock is not
// read.
func (s *Server) Step(now time.Time) {
	s.step(now)
	s.warnNotStarted(now)
}

// warnAfter is the time for which a server runs before it logs the warning that it was never
// started. Starting later is allowed, so this is no error.
const warnAfter = 5 * time.Second

// warnNotStarted logs once that no client can connect because Start was never called.
func (s *Server) warnNotStarted(now time.Time) {
	switch {
	case s.warned:
	case s.first.IsZero():
		s.first = now
	case now.Sub(s.first) >= warnAfter:
		s.warned = true
		s.log.Warn("the server runs, but does not listen, so no client can connect: call Start, before Run or from a system's Initialize")
	}
}

// Finalize stops the server and finalises its systems.
func (s *Server) Finalize(w *ecs.World) {
	if err := s.Stop(); err != nil {
		s.log.Warn("stopping the server", "error", err)
	}
	s.schedule.Finalize(w)
}

// stopForError stops the server after a socket error, which Err returns.
func (s *Server) stopForError(err error) {
	s.log.Error("the server stops", "error", err)
	s.failed = err
	if err := s.Stop(); err != nil {
		s.log.Warn("stopping the server", "error", err)
	}
}

// ServerState says whether a server listens.
type ServerState uint8

// The states of a server.
const (
	Stopped ServerState = iota
	Started
)

// String returns the name of the state.
func (s ServerState) String() string {
	if s == Started {
		return "Started"
	}
	return "Stopped"
}

// State returns whether the server listens.
func (s *Server) State() ServerState {
	if s.engine.Running() {
		return Started
	}
	return Stopped
}

// Err returns the socket error that stopped the server. It is nil while the server runs and after
// Stop.
func (s *Server) Err() error { return s.failed }

var (
	errStarted     = errors.New("plugin: the server is started already; call Stop first")
	errNoListeners = errors.New("plugin: Start needs at least one listener, such as udp.Listener{Addr: \"127.0.0.1:4000\"}, and none that is nil")
	errNoLayers    = errors.New("plugin: StartWith needs at least one connection layer, such as server.Netcode(listener), and none that is nil")
)

// Start opens the listeners' sockets and begins to admit clients, with tokens and encryption. It
// can be called again after Stop. Errors concern the listeners or the config.
func (s *Server) Start(listeners ...transport.Listener) error {
	if len(listeners) == 0 || slices.Contains(listeners, nil) {
		return errNoListeners
	}
	return s.StartWith(s.Netcode(listeners...))
}

// Netcode returns the connection layer that Start uses, over these listeners, with the key, the
// public addresses and the token lifetime of the server's config: for StartWith.
func (s *Server) Netcode(listeners ...transport.Listener) connection.Listener {
	return netcode.Listener{
		Over: listeners, Key: s.config.Key, PublicAddrs: s.config.PublicAddrs, TokenLife: s.config.TokenLife,
	}
}

// StartWith is Start with other connection layers than Netcode, or with several: the clients of all
// layers play together. If one cannot be opened, none stays open. Errors concern the layers or the
// config.
//
// MaxClients counts over all layers, and an id is connected only once: a client with an id that is
// already connected through another layer is rejected with a reason. ClientInfo.Layer is the index
// of a client's layer in the order given here.
func (s *Server) StartWith(layers ...connection.Listener) error {
	if len(layers) == 0 || slices.Contains(layers, nil) {
		return errNoLayers
	}
	return s.open(layers)
}

func (s *Server) open(layers []connection.Listener) error {
	if s.engine.Running() {
		return errStarted
	}
	config := connection.ServerConfig{
		Game: s.protocol.Name(), ProtocolID: protocol.ID(s.protocol.Name()),
		MaxClients: s.config.MaxClients, Entropy: s.entropy, Now: s.clock(),
	}
	var open []connection.Server
	for _, l := range layers {
		layer, err := l.Listen(config)
		if err != nil {
			s.closeLayers(open)
			return fmt.Errorf("plugin: Start: %w", err)
		}
		open = append(open, layer)
	}
	s.failed, s.addrs, s.warned = nil, nil, true
	for _, layer := range open {
		s.addrs = append(s.addrs, layer.Addrs()...)
	}
	s.engine.Start(open, s.config.MaxClients)
	return nil
}

// closeLayers closes the layers opened before an error. It ignores further errors, since the caller
// returns the first one.
func (s *Server) closeLayers(layers []connection.Server) {
	for _, layer := range layers {
		_ = layer.Close("", s.clock())
	}
}

// Addrs returns the addresses of the server: for each connection layer, the public ones first; nil
// before the first Start. A listener at a wildcard address is listed with the wildcard. Do not put
// a wildcard into a token, because tokens name addresses that players can reach. Any goroutine may call it
// once Start has returned, also while the server runs.
func (s *Server) Addrs() []netip.AddrPort { return append([]netip.AddrPort(nil), s.addrs...) }

// Stop disconnects every client, closes the sockets and frees their ports. The world keeps running.
// The server does not restart by itself.
func (s *Server) Stop() error { return s.engine.Stop(s.clock()) }

// ClientInfo is the server's information about a connected client.
type ClientInfo struct {
	ID entangle.ClientID
	// Addr is the client's address, invalid if its connection layer has no addresses. Name is the
	// layer's name for it: the address as text, or the name used by a platform.
	Addr netip.AddrPort
	Name string
	// Layer is the index of its connection layer, in the order of StartWith; -1 for the player of a
	// Host, which needs none.
	Layer int
	// RTT is the smoothed round trip, including the time until a frame reads what has arrived, on
	// either side; Jitter is its smoothed deviation. Both are 0 until they are measured. A modified
	// client can make them longer or shorter.
	RTT, Jitter time.Duration
	// Loss is the fraction of recent packets to the client that were lost, 0..1.
	Loss float64
	// Joined says that the client has received everything that existed for it when it connected;
	// see ClientJoined.
	Joined bool
	// InputsInTime counts ticks that ran on the server with the client's input, or knowing that it
	// had none. InputsMissing counts the ticks since its first input that ran without an input of
	// the client. InputsLate counts inputs that arrived after their tick had run, and had no
	// effect.
	InputsInTime, InputsMissing, InputsLate uint64
	// Margin is the median of how many ticks early the client's last inputs arrived: 0 is just in
	// time.
	Margin int
	// Quality rates the connection for play. A host's own player has Good.
	Quality Quality
	// MessagesDropped counts unreliable messages to the client that did not fit under a cap.
	// BytesWaiting is the unsent part of its messages and structure: if it stays high, the cap is
	// too low for the game.
	MessagesDropped uint64
	BytesWaiting    int
}

// Clients returns the connected clients, in the order in which they connected, a host's own player
// first.
func (s *Server) Clients() []ClientInfo {
	var list []ClientInfo
	for _, c := range s.engine.Clients(nil) {
		list = append(list, ClientInfo{
			ID: c.ID, Addr: c.Addr, Name: c.Name, Layer: c.Layer, RTT: c.RTT, Jitter: c.Jitter, Loss: c.Loss, Joined: c.Joined,
			InputsInTime: c.Inputs.InTime, InputsMissing: c.Inputs.Missing, InputsLate: c.Inputs.Late,
			Margin: c.Inputs.Margin, Quality: Quality(c.Quality),
			MessagesDropped: c.Dropped, BytesWaiting: c.Waiting,
		})
	}
	return list
}

// Controlled returns the entities whose components.ControlledBy names a client,
// replicated or not.
//
// When a client's connection has ended, they are removed from the world, except those with Keep, at
// the end of the next frame that has a tick: after the systems in BeforeSend and before anything is sent.
// Until then systems that read ClientDisconnected may read them, keep them, or give them to another
// client.
func (s *Server) Controlled(client entangle.ClientID) []ecs.Entity {
	if s.owned == nil {
		return nil
	}
	return s.owned.Of(client, nil)
}

// Disconnect ends a client's connection and sends it the reason: text for people, cut to 200 bytes,
// with '?' for control characters. Longer text is cut between words and ends in "…". It reports
// whether the client was connected. Data in flight is lost: put final information into the reason.
func (s *Server) Disconnect(id entangle.ClientID, reason string) bool {
	return s.engine.Disconnect(id, reason, s.clock())
}

func (s *Server) onConnected(id entangle.ClientID, userData []byte) {
	e := ClientConnected{Client: id}
	copy(e.UserData[:], userData)
	s.connected.Push(e)
}

func (s *Server) onJoined(id entangle.ClientID) { s.joined.Push(ClientJoined{Client: id}) }

func (s *Server) onDisconnected(id entangle.ClientID, err error) {
	if s.disconnected != nil {
		s.owned.Leave(id)
		s.disconnected.Push(ClientDisconnected{Client: id, Err: err})
	}
}

func (s *Server) onOverdue(o endpoint.Overdue) {
	e := BoundExceeded{Client: o.Client, Entity: o.Entity, Groups: o.Groups, Age: o.Age, Bound: o.Bound}
	if marker := generic.NewMap[components.Replicate](s.world); s.world.Alive(o.Entity) && marker.Has(o.Entity) {
		e.Group = marker.Get(o.Entity).Group
	}
	s.exceeded.Push(e)
}
