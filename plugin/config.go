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

// ServerConfig says what a server is. It is checked by NewServer and not used
// after; a zero field has the default that it names.
type ServerConfig struct {
	// Protocol is what both sides have registered. It must be set; from NewServer
	// on nothing can be registered in it any more.
	Protocol *protocol.Protocol

	// Key seals the tokens that admit clients. The server and whoever mints tokens
	// share it, nobody else. Zero: the server can listen on loopback addresses
	// only, and admits tokens of Client.DevToken.
	Key token.Key

	// MaxClients that are connected at once, beside a host's own player. 0: DefaultMaxClients.
	MaxClients int

	// Workers is how many goroutines write and seal the clients' packets. What a
	// client is sent does not depend on it. 0: chosen in each frame by what the last one
	// sent, one for each 64 KiB; at least one, and at most as many as GOMAXPROCS says and as
	// MaxDefaultWorkers. With less to do for each, they take longer than one. Any other
	// number is used in every frame in which there are two clients for each.
	Workers int

	// MaxBytesPerClient caps what each client is sent, in bytes per second, counted in
	// whole datagrams as they are handed to the socket. In any time, so much leaves for a
	// client at most, and beyond it what is saved up in 100 ms (or in two ticks, if they are
	// longer) and 4 KiB, and 3 KiB more where the connection ends: its goodbyes and
	// disconnect packets (5 KiB over connection/trusted). What there is no room for waits: messages go by priority, see
	// protocol.ChannelConfig. 0: no cap; LeastBytes to MostBytes otherwise.
	MaxBytesPerClient int

	// MaxBytes caps in the same way what all clients together are sent. Who wants less than
	// an equal part leaves the rest to the others. 0: no cap; at least LeastBytes for each
	// of MaxClients otherwise, and at most MostBytes.
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
	// A relayed message is refused, and counted in MessageStats, unless its sender has half of
	// its savings left. Unused work is saved up for 0.5 s, and all clients together use up to
	// 1 s of one client's savings in a frame. Packets beyond that are dropped, as by a line that
	// loses them, and counted in ServerStats.Dropped. A client that exceeds its quota for 5 s in
	// total is disconnected; ten seconds within it make up for one beyond. A client id keeps its
	// quota when it connects again. An honest client stays below a tenth of the default at 60
	// ticks per second, and below half at 1,000: raise it for a game whose clients send megabytes,
	// or relay voice to hundreds.
	//
	// 0: DefaultWorkPerTick for each tick, and LeastDefaultWork at least; negative: no bound;
	// 1 to LeastWorkPerClient-1 are an error.
	MaxWorkPerClient int

	// PublicAddrs are addresses that tokens may name this server by, beside those
	// that it listens at: what the world calls it behind address translation.
	PublicAddrs []netip.AddrPort

	// TokenLife is how long tokens are minted to live, in whole seconds.
	// 0: token.DefaultLife.
	TokenLife time.Duration

	// StartTick is the tick before the first one.
	StartTick entangle.Tick

	// SendEvery is how many ticks lie from one that is sent to the next: those are sent
	// that are multiples of it. A frame that runs several ticks, one of them such, sends
	// its last. In between, changes and messages wait; acknowledgements go out, and what
	// was lost. 0 is 1; at most a second's ticks.
	SendEvery int

	// TickPerUpdate makes each Update one frame with exactly one tick, for a loop
	// that is paced by somebody else, such as arche-model's or Ebitengine's. Its pace
	// must be that of the tick rate within 1 %: what is beyond, clients can't follow.
	TickPerUpdate bool

	// Clock tells the time. nil: time.Now.
	Clock func() time.Time

	// Entropy is where secrets come from. nil: crypto/rand.
	Entropy io.Reader

	// Log gets what an operator should know. nil: silence.
	Log *slog.Logger
}

// ClientConfig says what a client is. It is checked by NewClient and not used
// after; a zero field has the default that it names.
type ClientConfig struct {
	// Protocol is what both sides have registered. It must be set; from NewClient
	// on nothing can be registered in it any more.
	Protocol *protocol.Protocol

	// MaxBytes caps what the client sends, in bytes per second; see
	// ServerConfig.MaxBytesPerClient. 0: no cap; LeastBytes to MostBytes otherwise.
	MaxBytes int

	// InputDelay says by how many ticks the player's inputs act after they are pressed.
	// Zero: at once. It can be changed later, see Client.SetInputDelay.
	InputDelay InputDelay

	// ExplainRollbacks is of how many rollbacks, the last, the client keeps why they
	// happened; see Client.Rollbacks. 0: of none, which costs nothing; at most 4096.
	ExplainRollbacks int

	// MaxRollback is how many ticks back the client computes anew what it has predicted
	// wrong, and so for how many ticks it keeps what it predicts. What the server says
	// of more than that ago is taken over as it is, see RollbackStats.Resyncs. 0: a second's
	// ticks, but at least 16 and at most MaxRollback; 1 to MaxRollback otherwise.
	MaxRollback int

	// RollbackTo says which tick decides where several are found that would have to be
	// computed anew.
	RollbackTo RollbackTo

	// MaxEntities is how many entities of the server's the client holds at a time, as a bound
	// on the memory that a server can make it take: up to 1 KiB each and what their components
	// take. A server that wants more is left, for a reason that names this field: see
	// ClientDisconnected. What the client was not told yet that it is gone counts, too, and
	// what the server let go for as long as the game leaves it in the world: give some more
	// than the largest world has. Archetypes are bounded along with it, since Arche keeps each for
	// as long as its world: entities may have an eighth as many different sets of components, and
	// as many sets that lead to different targets by a relation, but 1,024 of either always.
	// 0: DefaultMaxEntities; at least 1 otherwise.
	MaxEntities int

	// MaxWaitingBytes bounds the memory of what arrived before something that it depends on, as
	// when packets are lost or overtake each other. Values that find no room are sent again, and
	// so is structure of one group. An entity that goes from one group to another, and whatever
	// else leaves a group, is told once: where such structure alone is more, the connection ends
	// with a reason that names this field. 0: DefaultMaxWaitingBytes; at least 1 otherwise.
	MaxWaitingBytes int

	// ConfirmedTwins keeps an entity beside each that is predicted, which shows it as the
	// server says: with all of its components and components.Remote, and with
	// components.ConfirmedOf, which leads to the one that is predicted. Client.Twin leads
	// there. It costs as much as another entity each, and every system finds it that does
	// not filter by either component; Confirmed reads the same without it.
	ConfirmedTwins bool

	// StartTick is the tick before the first one. Once the client has learnt the server's
	// tick it goes on from there; see ClockJumped.
	StartTick entangle.Tick

	// SendEvery is how many ticks lie from one frame in which the client sends to the
	// next, once it is connected. In between messages wait, and packets of the server are
	// acknowledged when there are many. 0 is 1; at most a second's ticks.
	SendEvery int

	// Strict has the client watch the systems in FixedMain: it panics where one writes a
	// component of the protocol on an entity with components.Remote, and names the system,
	// the entity and the component. Nothing simulates such an entity here, so what is
	// written holds until the server's next word, on one client and by chance. It takes
	// time, a comparison of all such components after each system: it is for tests and
	// while a game is made. Package netsim sets it.
	Strict bool

	// TickPerUpdate makes each Update one frame with one tick, for a loop that is paced
	// by somebody else, such as arche-model's or Ebitengine's. To stay ahead of the server
	// the client runs none or two ticks in an Update now and then: draw and read keys in
	// AfterSend or beside the app, simulate in FixedMain. The pace must be that of the tick
	// rate within 1 %, or the clock does not find rest.
	TickPerUpdate bool

	// Clock tells the time. nil: time.Now.
	Clock func() time.Time

	// Entropy is where secrets come from, for DevToken. nil: crypto/rand.
	Entropy io.Reader

	// Log gets what a developer should know. nil: silence.
	Log *slog.Logger
}

const (
	// LeastBytes is the lowest cap, in bytes per second: a packet every 100 ms, and what
	// keeps a connection alive.
	LeastBytes = endpoint.LeastCap
	// MostBytes is the highest.
	MostBytes = endpoint.MostCap
)

// What a client may make a server do, per second, where the server's config does not say.
const (
	DefaultWorkPerTick = endpoint.WorkPerTick
	LeastDefaultWork   = endpoint.LeastWork

	// LeastWorkPerClient is the lowest ServerConfig.MaxWorkPerClient, in units per second: an
	// honest client at 60 ticks per second that talks to seven others causes about half of it.
	LeastWorkPerClient = 8192
)

// MaxDefaultWorkers bounds the goroutines that a server takes by itself.
const MaxDefaultWorkers = 8

// DefaultMaxWaitingBytes is how much of what arrived early a client keeps where its config
// does not say.
const DefaultMaxWaitingBytes = endpoint.DefaultMaxWaiting

// DefaultMaxEntities is how many entities a client holds where its config does not say.
const DefaultMaxEntities = sink.DefaultMaxEntities

// DefaultMaxClients is how many clients a server admits where its config does not
// say.
const DefaultMaxClients = 64

var errNoProtocol = errors.New("plugin: the config has no Protocol; make one with protocol.New and register the game's components and messages in it")

var errNoControl = errors.New("plugin: the protocol has inputs, but players can't know which entities are theirs to drive; " +
	"register protocol.Component[components.ControlledBy](p), and put it on those entities on the server")

// common is what both configs are made into.
type common struct {
	protocol *protocol.Protocol
	clock    func() time.Time
	entropy  io.Reader
	log      *slog.Logger
	start    entangle.Tick
	perFrame bool
	every    int // ticks from one that is sent to the next
}

// sendEvery sets how often is sent. name is that of the field.
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
		c.MaxClients = DefaultMaxClients
	}
	if c.Workers == 0 {
		c.Workers = min(runtime.GOMAXPROCS(0), MaxDefaultWorkers)
	}
	var errs []error
	if c.Workers < 0 {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.Workers is %d; leave it zero to have it chosen by the work", c.Workers))
	}
	if c.MaxClients < 0 {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.MaxClients is %d; leave it zero for %d", c.MaxClients, DefaultMaxClients))
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
	if c.MaxWorkPerClient > 0 && c.MaxWorkPerClient < LeastWorkPerClient {
		errs = append(errs, fmt.Errorf("plugin: ServerConfig.MaxWorkPerClient is %d units per second, which lets nobody play; "+
			"set %d at least, leave it zero for the default, or give a negative number for no bound", c.MaxWorkPerClient, LeastWorkPerClient))
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

// checkCap returns an error for a cap that leaves no room for what a connection needs, or
// is none.
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
		errs = append(errs, fmt.Errorf("plugin: ClientConfig.MaxEntities is %d; leave it zero for %d, or give more than the largest world of the game has", c.MaxEntities, DefaultMaxEntities))
	}
	if c.MaxWaitingBytes < 0 {
		errs = append(errs, fmt.Errorf("plugin: ClientConfig.MaxWaitingBytes is %d; leave it zero for %d, or give more", c.MaxWaitingBytes, DefaultMaxWaitingBytes))
	}
	if c.MaxEntities == 0 {
		c.MaxEntities = DefaultMaxEntities
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

// checkProtocol seals the protocol, and returns what is wrong with it.
func checkProtocol(p *protocol.Protocol) error {
	if err := registry.Seal(p); err != nil {
		return fmt.Errorf("plugin: the protocol has mistakes: %w", err)
	}
	err := inEffect(p)
	if len(registry.Of(p).Inputs) > 0 && registry.Of(p).ComponentOf(reflect.TypeFor[components.ControlledBy]()) == nil {
		err = errors.Join(err, errNoControl)
	}
	return err
}
