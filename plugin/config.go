package plugin

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"reflect"
	"runtime"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// ServerConfig configures a server. NewServer checks it and does not use it afterwards. A zero
// field has the default that its comment names.
type ServerConfig struct {
	// Protocol is what both sides have registered. It must be set; from NewServer
	// on nothing can be registered in it any more.
	Protocol *protocol.Protocol

	// Key seals the tokens that admit clients. Only the server and the token issuers may know it.
	// Zero: the server can listen on loopback addresses only, and admits the tokens of
	// Client.DevToken.
	Key token.Key

	// MaxClients bounds the clients connected at once, not counting a host's own player. 0: 64.
	MaxClients int

	// Workers is the number of goroutines that encode and encrypt the clients' packets. It does not
	// affect the data sent. 0: chosen in each frame by the bytes sent in the last one, one for each
	// 64 KiB, at least one, and at most GOMAXPROCS and 8; with less work for each, several take
	// longer than one. Any other number is used as given, in every frame with at least two clients
	// for each worker.
	Workers int

	// MaxBytesPerClient caps the bytes per second sent to each client, counted in whole datagrams
	// as they are handed to the socket. In any period, at most that rate leaves for a client, plus
	// a burst: the budget of 100 ms (or of two ticks, if they are longer) and 4 KiB. When the
	// connection ends, another 3 KiB is allowed for its goodbyes and disconnect packets (5 KiB over
	// connection/trusted). Data over the budget waits; messages go by priority, see
	// protocol.ChannelConfig. 0: no cap; LeastBytes to MostBytes otherwise.
	MaxBytesPerClient int

	// MaxBytes caps the bytes per second sent to all clients together, counted in the same way. The
	// unused part of one client's equal share goes to the others. 0: no cap; at least LeastBytes
	// for each of MaxClients otherwise, and at most MostBytes.
	MaxBytes int

	// MaxWorkPerClient is how much work each client may cause, per second, in units of about
	// 0.1 µs:
	//
	//	1024      a connection
	//	25        a packet
	//	1         a group that is requested again, a reference of a message, 8 bytes by which the
	//	          value of a message is larger in memory than on the wire
	//	2         a message, and 2 more if it has to wait for one before it; an entity with an
	//	          input, and 1 more for each 16 ticks and each 32 bits of it
	//	3         a fragment of a message, an entity of a group that is sent again
	//	4         each recipient of a relayed message, and 1 more for each 64 bytes
	//	7         a request
	//
	// A relayed message is refused, and counted in ServerStats.Messages, unless its sender has half of its
	// savings left. Up to 0.5 s of unused work is saved, and all clients together use at most 1 s
	// of one client's savings in a frame. Packets over the quota are dropped, as if lost in the
	// network, and counted in ServerStats.Dropped. A client that exceeds its quota for 5 s in total
	// is disconnected; ten seconds within the quota make up for one over it. A client id keeps its
	// quota when it reconnects; a server remembers those of 16 times MaxClients ids. An honest
	// client stays below a tenth of the default at 60 ticks per second, and below half at 1,000.
	// Raise the quota for a game whose clients send megabytes or relay voice to hundreds.
	//
	// 0: DefaultWorkPerTick for each tick, and LeastDefaultWork at least; negative: no bound;
	// 1 to 8191 are an error, because not even an honest client could play.
	MaxWorkPerClient int

	// MaxRewind is how far into the past systems look at the world by plugin.Rewind, at most: a player whose
	// screen showed what was longer ago is compensated so far, and no further. It bounds what the others may
	// experience as being hit behind a wall, and the memory of the values that are kept. 0: DefaultMaxRewind; at
	// most that; negative: nobody is compensated, and each view is of the present.
	MaxRewind time.Duration

	// PublicAddrs are further addresses by which tokens may name this server, in addition to its
	// listening addresses: its public addresses behind address translation.
	PublicAddrs []netip.AddrPort

	// TokenLife is the lifetime of tokens when they are minted, in whole seconds. 0:
	// token.DefaultLife.
	TokenLife time.Duration

	// StartTick is the tick before the first one.
	StartTick entangle.Tick

	// SendEvery is the distance between two sent ticks: the server sends the ticks that are
	// multiples of it. If a frame runs several ticks and one of them is to be sent, the frame sends
	// the state of its last tick. In between, changes and messages wait, while acknowledgements and
	// resent data still go out. 0 is 1; at most one second of ticks.
	SendEvery int

	// TickPerUpdate makes each Update one frame with exactly one tick, for a loop that another
	// program paces, such as arche-model or Ebitengine. Its pace must match the tick rate within 1
	// %, or clients cannot follow.
	TickPerUpdate bool

	// Clock tells the time. nil: time.Now.
	Clock func() time.Time

	// Entropy is the source of secrets. nil: crypto/rand.
	Entropy io.Reader

	// Log receives messages for the operator. nil: no log.
	Log *slog.Logger
}

// ClientConfig configures a client. NewClient checks it and does not use it afterwards. A zero
// field has the default that its comment names.
type ClientConfig struct {
	// Protocol is what both sides have registered. It must be set; from NewClient
	// on nothing can be registered in it any more.
	Protocol *protocol.Protocol

	// MaxBytes caps the bytes per second that the client sends; see ServerConfig.MaxBytesPerClient.
	// 0: no cap; LeastBytes to MostBytes otherwise.
	MaxBytes int

	// InputDelay is the number of ticks between the player's input and its effect. Zero: no delay.
	// Client.SetInputDelay changes it later.
	InputDelay InputDelay

	// ExplainRollbacks is how many of the latest rollbacks the client keeps a report for; see
	// Client.Rollbacks. 0: none, which costs nothing; at most 4096.
	ExplainRollbacks int

	// MaxRollback is how many ticks back the client rolls back after a misprediction, and so how
	// many ticks of predicted history it keeps. Confirmed state older than that is applied to the
	// present without a replay; see RollbackStats.Resyncs. 0: one second of ticks, but at least 16
	// and at most MaxRollback; 1 to MaxRollback otherwise.
	MaxRollback int

	// RollbackToNewest makes a rollback go back to the newest tick when several were mispredicted,
	// instead of the oldest, and so replay fewer ticks. Confirmed state of older ticks is applied as
	// if it belonged to that one. It is correct for a game in which a later state of an entity
	// contains everything that an earlier one does. The oldest is always correct.
	RollbackToNewest bool

	// MaxEntities bounds the replicas that the client holds at a time, and so the memory that a
	// server can make it use: up to 1 KiB each plus their components. The client disconnects from a
	// server that exceeds it, with a reason that names this field: see ClientDisconnected. Entities
	// whose despawn has not arrived yet count as well, and so do orphaned entities as long as the
	// game leaves them in the world: leave some room above the largest world. Archetypes are
	// bounded along with it, because Arche keeps each for the lifetime of its world: entities may
	// have an eighth as many different sets of components, and as many sets with different relation
	// targets, but always at least 1,024 of either. 0: 131,072; at least 1 otherwise.
	MaxEntities int

	// MaxWaitingBytes bounds the memory for data that arrived before its dependencies, as happens
	// when packets are lost or reordered. Values take at most half of it, and are sent again if
	// they do not fit. Structure is sent only once: if it does not fit, the connection ends with a
	// reason that names this field. All entities that move between groups in one tick may have to
	// wait for each other, with their groups, and must fit together. 0: 4 MiB; at least 1 otherwise.
	MaxWaitingBytes int

	// ConfirmedTwins adds an entity next to each predicted one, which shows its confirmed state.
	// The twin has all replicated components, components.Remote, and components.ConfirmedOf, which
	// refers to the predicted entity; Client.Twin leads from that to the twin. Each twin costs as
	// much as another entity. Systems find it unless their filters exclude components.Remote or
	// components.ConfirmedOf. Confirmed reads the same values without twins.
	ConfirmedTwins bool

	// StartTick is the tick before the first one. Once the client knows the server's tick, its
	// clock jumps; see ClockJumped.
	StartTick entangle.Tick

	// SendEvery is the number of ticks between two frames in which a connected client sends. In
	// between, messages wait, and packets of the server are acknowledged only when there are many.
	// 0 is 1; at most one second of ticks.
	SendEvery int

	// Strict makes the client check the systems in FixedMain: it panics if one writes a component
	// of the protocol on an entity with components.Remote, and names the system, the entity and the
	// component. Nothing simulates such an entity on the client, so the written value only lasts
	// until the next update of the server, on one client and by chance. The check compares all such
	// components after each system, which takes time: use it in tests and during development.
	// Package netsim sets it.
	Strict bool

	// TickPerUpdate makes each Update one frame with one tick, for a loop that another program
	// paces, such as arche-model or Ebitengine. To stay ahead of the server, the client sometimes
	// runs zero or two ticks in an Update: draw and read keys in AfterSend or outside the app, and
	// simulate in FixedMain. The pace must match the tick rate within 1 %, or the clock never
	// becomes stable.
	TickPerUpdate bool

	// Clock tells the time. nil: time.Now.
	Clock func() time.Time

	// Entropy is the source of secrets, for DevToken. nil: crypto/rand.
	Entropy io.Reader

	// Log receives messages for the developer. nil: no log.
	Log *slog.Logger
}

const (
	// LeastBytes is the lowest cap, in bytes per second: one packet every 100 ms and enough to keep
	// a connection alive.
	LeastBytes = endpoint.LeastCap
	// MostBytes is the highest cap, in bytes per second.
	MostBytes = endpoint.MostCap
)

// The default quotas of work per client and second; see ServerConfig.MaxWorkPerClient.
const (
	DefaultWorkPerTick = endpoint.WorkPerTick
	LeastDefaultWork   = endpoint.LeastWork
)

const (
	defaultMaxClients = 64
	maxDefaultWorkers = 8

	// leastWorkPerClient is the lowest ServerConfig.MaxWorkPerClient, in units per second: about
	// twice the work of an honest client that talks to seven others at 60 ticks per second.
	leastWorkPerClient = 8192
)

var errNoProtocol = errors.New("plugin: the config has no Protocol; make one with protocol.New and register the game's components and messages in it")

var errNoControl = errors.New("plugin: the protocol has inputs, but players can't know which entities are theirs to drive; " +
	"register protocol.Component[components.ControlledBy](p), and put it on those entities on the server")

// common is the part that both configs share, with its defaults filled in.
type common struct {
	protocol *protocol.Protocol
	clock    func() time.Time
	entropy  io.Reader
	log      *slog.Logger
	start    entangle.Tick
	perFrame bool
	every    int // the distance between two sent ticks
}

// sendEvery sets the distance between two sent ticks. name is the name of the config's field.
func (c *common) sendEvery(name string, every int) error {
	c.every = max(every, 1)
	if most := c.protocol.TickRate(); every < 0 || every > most {
		return fmt.Errorf("plugin: %s is %d ticks; leave it zero to send every tick, or give up to %d, which is a second", name, every, most)
	}
	return nil
}

// common checks the config. Its error joins all that is wrong with it.
func (c *ServerConfig) common() (common, error) {
	if c.MaxClients == 0 {
		c.MaxClients = defaultMaxClients
	}
	if c.Workers == 0 {
		c.Workers = min(runtime.GOMAXPROCS(0), maxDefaultWorkers)
	}
	var errs []error
	if c.Workers < 0 {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.Workers is %d; leave it zero to have it chosen by the work", c.Workers))
	}
	if c.MaxClients < 0 {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.MaxClients is %d; leave it zero for %d", c.MaxClients, defaultMaxClients))
	}
	if c.MaxRewind > DefaultMaxRewind {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.MaxRewind is %v; set %v at most, or leave it zero for that", c.MaxRewind, DefaultMaxRewind))
	}
	errs = append(errs, c.caps())
	common, err := makeCommon(c.Protocol, c.Clock, c.Entropy, c.Log, c.StartTick, c.TickPerUpdate)
	if errs = append(errs, err); c.Protocol != nil {
		errs = append(errs, common.sendEvery("ServerConfig.SendEvery", c.SendEvery))
	}
	return common, errors.Join(errs...)
}

func (c *ServerConfig) caps() error {
	var errs []error
	if c.MaxWorkPerClient > 0 && c.MaxWorkPerClient < leastWorkPerClient {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.MaxWorkPerClient is %d units per second, which lets nobody play; "+
			"set %d at least, leave it zero for the default, or give a negative number for no bound", c.MaxWorkPerClient, leastWorkPerClient))
	}
	errs = append(errs, checkCap("ServerConfig.MaxBytesPerClient", c.MaxBytesPerClient))
	if least := LeastBytes * c.MaxClients; c.MaxBytes > 0 && c.MaxBytes < least {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.MaxBytes is %d bytes per second for %d clients, which keeps no game going; "+
			"raise it to %d at least, lower MaxClients to %d, or leave it zero for no cap",
			c.MaxBytes, c.MaxClients, least, c.MaxBytes/LeastBytes))
	} else {
		errs = append(errs, checkCap("ServerConfig.MaxBytes", c.MaxBytes))
	}
	return errors.Join(errs...)
}

// checkCap returns an error for a cap outside LeastBytes to MostBytes: a lower one leaves no room
// for the connection itself.
func checkCap(field string, bytes int) error {
	if bytes == 0 || bytes >= LeastBytes && bytes <= MostBytes {
		return nil
	}
	return fmt.Errorf("plugin: %s is %d bytes per second; set it between %d, which keeps a connection alive and "+
		"carries a packet every 100 ms, and %d, or leave it zero for no cap", field, bytes, LeastBytes, MostBytes)
}

// common checks the config. Its error joins all that is wrong with it.
func (c *ClientConfig) common() (common, error) {
	errs := []error{checkCap("ClientConfig.MaxBytes", c.MaxBytes)}
	common, err := makeCommon(c.Protocol, c.Clock, c.Entropy, c.Log, c.StartTick, c.TickPerUpdate)
	errs = append(errs, err)
	if c.MaxEntities < 0 {
		errs = append(errs, fmt.Errorf("plugin: ClientConfig.MaxEntities is %d; leave it zero for %d, or give more than the largest world of the game has", c.MaxEntities, sink.DefaultMaxEntities))
	}
	if c.MaxWaitingBytes < 0 {
		errs = append(errs, fmt.Errorf("plugin: ClientConfig.MaxWaitingBytes is %d; leave it zero for %d, or give more", c.MaxWaitingBytes, endpoint.DefaultMaxWaiting))
	}
	if c.MaxEntities == 0 {
		c.MaxEntities = sink.DefaultMaxEntities
	}
	errs = append(errs, checkExplained(c.ExplainRollbacks), c.InputDelay.check("ClientConfig.InputDelay"), c.checkRollback())
	if c.Protocol != nil {
		errs = append(errs, common.sendEvery("ClientConfig.SendEvery", c.SendEvery))
	}
	return common, errors.Join(errs...)
}

func makeCommon(p *protocol.Protocol, clock func() time.Time, entropy io.Reader, log *slog.Logger, start entangle.Tick, perFrame bool) (common, error) {
	if p == nil {
		return common{}, errNoProtocol
	}
	if clock == nil {
		clock = time.Now
	}
	if entropy == nil {
		entropy = rand.Reader
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return common{protocol: p, clock: clock, entropy: entropy, log: log, start: start, perFrame: perFrame}, checkProtocol(p)
}

// checkProtocol seals the protocol, and returns the mistakes in it.
func checkProtocol(p *protocol.Protocol) error {
	if err := registry.Seal(p); err != nil {
		return fmt.Errorf("plugin: the protocol has mistakes: %w", err)
	}
	err := checkMarks(p)
	if len(registry.Of(p).Inputs) > 0 && registry.Of(p).ComponentOf(reflect.TypeFor[components.ControlledBy]()) == nil {
		err = errors.Join(err, errNoControl)
	}
	return err
}
