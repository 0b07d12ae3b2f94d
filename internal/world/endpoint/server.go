package endpoint

import (
	"errors"
	"log/slog"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/connection"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// ServerConfig configures a [Server].
type ServerConfig struct {
	Registry peer.Registry
	Channels []channel.Config
	Post     *message.Post
	Log      *slog.Logger
	Workers  int  // goroutines that assemble packets; at least one
	ByWork   bool // Workers is the maximum, and their number follows the amount of work
	Caps     Caps
	Intake   int // units of work per second that each client may cause; see IntakeRate
	// TickRate is in ticks per second; every SendEvery-th tick is sent.
	TickRate, SendEvery int

	// OnConnected is called when a client has connected and has an equal protocol; OnJoined when it
	// has received everything that the server had for it at that time; OnDisconnected when the
	// connection of such a client has ended.
	OnConnected    func(client entangle.ClientID, userData []byte)
	OnJoined       func(client entangle.ClientID)
	OnDisconnected func(client entangle.ClientID, err error)
	// OnOverdue is called when groups have waited longer than their bound to be sent to a client.
	OnOverdue func(Overdue)
}

// Server is the engine of plugin.Server, with its connection layers and a peer for each client.
type Server struct {
	cfg       ServerConfig
	collector *source.Collector     // nil until Publish
	resources *message.Resources    // nil until PublishResources
	inputs    *input.ReceivedInputs // nil: no input is registered

	layers   []*layer  // nil while stopped
	clients  []*client // by peer index
	indexes  peerIndexes
	open     []*client // in the order in which they connected
	locals   []*Local  // players in the server's own world
	payload  []byte
	assembly assembly
	dead     Dead
	closed   closedLayers
	tick     entangle.Tick // the tick of the last Send
	next     entangle.Tick // the tick that runs next

	all       budget.Pool // the byte budget under the cap on all clients
	intake    budget.Intake
	departed  departed
	inspector *inspector // nil without an Inspect function
}

// Dead counts the connections that a server ended or refused, by reason.
type Dead struct {
	Malformed uint64 // malformed bytes
	TooSlow   uint64 // reliable messages piled up
	Excess    uint64 // packets beyond a client's quota of work
	TooCostly uint64 // the client kept sending such packets
	Unequal   uint64 // protocols that differ
	NoRoom    uint64 // the server was full, across several layers
	Twice     uint64 // the client is connected through another layer
	Nobody    uint64 // the layer gave the client no id
	Reserved  uint64 // the client id is that of a local player
}

// NewServer returns a stopped server.
func NewServer(cfg ServerConfig) *Server {
	s := &Server{cfg: cfg, all: budget.NewPool(cfg.Caps.All, CapSpan(cfg.Caps.TickRate)), intake: budget.NewIntake(cfg.Intake), departed: departed{quotas: quotas{}}}
	cfg.Post.Connected = s.Connected
	cfg.Post.Clients = func() int { return len(s.open) }
	return s
}

// Publish sets the collector of the entities that are replicated to every client that connects from
// now on.
func (s *Server) Publish(p *source.Collector) { s.collector = p }

// PublishResources sets the resources that are sent to every client that connects from now on, from
// the world of Publish.
func (s *Server) PublishResources(r *message.Resources) { s.resources = r }

// Drive sets the destination of the inputs of clients that connect from now on, in the world of
// Publish.
func (s *Server) Drive(i *input.Inputs) {
	if len(i.Types) > 0 {
		s.inputs = i.Received
	}
}

// Running reports whether the server has been started and not stopped since.
func (s *Server) Running() bool { return s.layers != nil }

// Start takes over open layers, for maxClients clients in all. Without a layer, no client can
// connect.
func (s *Server) Start(layers []connection.Server, maxClients int) {
	s.clients = make([]*client, maxClients)
	s.indexes = newPeerIndexes(maxClients)
	s.assembly.start(s.cfg.Workers, s.cfg.ByWork)
	s.layers = make([]*layer, 0, len(layers))
	for i, l := range layers {
		s.layers = append(s.layers, &layer{Server: l, number: i, clients: make([]*client, maxClients)})
	}
}

// Stop disconnects all clients and closes the layers. The reason is also sent to clients that are
// not open here yet: a client may find out before the server that both protocols are equal.
func (s *Server) Stop(now time.Time) error {
	if s.layers == nil {
		return nil
	}
	for c := range s.everyClient() {
		s.queueGoodbyes(c, ErrServerStopped, now)
	}
	s.disconnectLocals(ErrServerStopped)
	for _, c := range s.clients {
		s.disconnected(c, ErrServerStopped)
	}
	var err error
	before := s.Traffic()
	for _, l := range s.layers {
		err = errors.Join(err, l.Close(ErrServerStopped.Error(), now))
	}
	s.closed.dropped = s.AppendDropped(nil)
	after := s.Traffic()
	s.all.Spend(int(after.BytesOut - before.BytesOut))
	s.closed.traffic = after
	s.layers, s.clients, s.open = nil, nil, nil
	return err
}

// Receive handles all events of the layers, before the tick next runs.
func (s *Server) Receive(next entangle.Tick, now time.Time) error {
	if s.next != next {
		s.ageMessages()
	}
	s.next = next
	s.intake.Begin(now)
	s.receiveLocals()
	s.deliverWaiting(now)
	for _, l := range s.layers {
		if err := s.receiveLayer(l, now); err != nil {
			return err
		}
		if !s.Running() {
			return nil // a handler of the game stopped the server
		}
		l.refusals.logNew(s.cfg.Log, l, now)
	}
	s.endClosed(now)
	// A handler of the game may disconnect any client, or stop the server.
	for index := 0; index < len(s.clients); index++ {
		if c := s.clients[index]; c != nil && c.open {
			s.reportJoined(c)
			err := c.mail.Advance(now)
			s.chargeWork(c)
			s.disconnectMalformed(c, err, now)
		}
	}
	return nil
}

// ageMessages ages the queues of waiting messages by a tick.
func (s *Server) ageMessages() {
	s.cfg.Post.Waiting.Age()
	for c := range s.everyClient() {
		c.mail.Waiting.Age()
	}
}

// deliverWaiting delivers messages that arrived in earlier frames and have waited for their
// client's quota.
func (s *Server) deliverWaiting(now time.Time) {
	for index := 0; index < len(s.clients); index++ {
		if c := s.clients[index]; c != nil && c.peer.Waits() {
			err := c.peer.Deliver(now)
			s.disconnectMalformed(c, err, now)
		}
	}
}

// reportJoined calls OnJoined once a client has received everything that was there for it when it
// connected.
func (s *Server) reportJoined(c *client) {
	if !c.joined && c.peer.SendProgress().Done() {
		c.joined = true
		s.cfg.OnJoined(c.id)
	}
}

func (s *Server) handle(c *client, payload []byte, now time.Time) {
	if !s.admitPacket(c, now) {
		return
	}
	err := c.peer.HandlePayload(payload, now)
	s.chargeWork(c)
	if s.disconnectMalformed(c, err, now) || !s.hasIndex(c) {
		return // a handler of the game may have disconnected it, too
	}
	if s.payload = c.peer.AppendAck(s.payload[:0], s.tick, now); len(s.payload) > 0 {
		c.sendPayload(s.payload, now)
	}
	if c.peer.Open() && !c.open {
		c.open, c.since = true, s.cfg.Post.Seen
		s.open = append(s.open, c)
		if s.collector != nil {
			s.collector.Admit(c.id, c.peer.Replication())
		}
		if c.player != nil {
			s.inputs.Admit(c.player)
		}
		s.cfg.Log.Info("a client has connected", "client", c.id, "address", c.name)
		s.cfg.OnConnected(c.id, c.userData)
	}
}

// disconnectMalformed disconnects a client for an error in what it sent.
func (s *Server) disconnectMalformed(c *client, err error, now time.Time) bool {
	if err == nil || !s.hasIndex(c) {
		return false // a handler of the game has disconnected it already
	}
	s.dead.Malformed++
	s.cfg.Log.Warn("a client is disconnected for what it sent", "client", c.id, "error", err)
	s.disconnectClient(c, ErrProtocolBroken, now)
	return true
}

// endClosed ends the connections of peers that sent a goodbye or have another protocol.
func (s *Server) endClosed(now time.Time) {
	for c := range s.everyClient() {
		if goodbye, ended := c.peer.Ended(); ended {
			if !c.open {
				s.dead.Unequal++
				s.cfg.Log.Warn("a client is refused", "client", c.id, "reason", goodbye)
			}
			s.disconnectClient(c, errorOfClient(goodbye), now)
		}
	}
}
