package netsim

import (
	"cmp"
	"math/rand/v2"
	"time"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/netsim/internal/oracle"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/transport/token"
)

// Config configures a simulation. A zero field has the documented default.
type Config struct {
	// Seed determines everything random. 0: the environment variable ENTANGLE_SEED, or 1 if it is
	// not set.
	Seed uint64

	// Link is the initial link of every new client's line. Zero: a perfect line.
	Link Link

	// FrameRate is the frames per second of the server and the clients. Each runs its frames at its
	// own moments. 0: the tick rate of each.
	FrameRate int

	// Drift is the clock drift of every new client: its clock runs faster (above 0) or slower than
	// the simulation's, in parts per million, -MaxDrift to MaxDrift. See also Peer.SetDrift and
	// Sim.SetServerDrift.
	Drift int
}

// T is the part of testing.TB that a simulation needs.
type T interface {
	Helper()
	Fatalf(format string, values ...any)
	Name() string
	Failed() bool
	Logf(format string, values ...any)
	Cleanup(func())
}

// Sim is a server and its clients in one process, on one clock, which Run and RunUntil advance. It
// must be used by one goroutine only: the test's.
type Sim struct {
	t       T
	config  Config
	seed    uint64
	rng     *rand.Rand // start times of frames
	uses    uint64     // count of uses of entropy
	clock   Clock
	network *Network
	key     token.Key

	unclaimed   []*localClock // handed out in configs of clients that are not added yet
	serverClock *localClock

	server *host
	plugin *plugin.Server
	ends   *plugin.Reader[plugin.ClientDisconnected] // nil before AddServer
	game   string                                    // the name in the protocol
	began  time.Time                                 // start time of the server
	watch  *oracle.Watch                             // nil unless Watch was called
	peers  []*Peer
	hosts  []*host // the server first

	relevance Relevance // nil: the server's own
}

// New makes a simulation without server and clients. When the test ends, it finalises the apps. If
// the test has failed, it logs the causes of each client's latest rollbacks, the seed, and the
// command that repeats the run. An invalid config fails the test.
func New(t T, config Config) *Sim {
	t.Helper()
	seed, free, err := pickSeed(config.Seed)
	if err != nil {
		t.Fatalf("netsim: %v", err)
	}
	if config.FrameRate < 0 || config.FrameRate > tick.MaxTickRate {
		t.Fatalf("netsim: Config.FrameRate is %d; give 0 for the tick rate, or up to %d", config.FrameRate, tick.MaxTickRate)
	}
	if config.Drift < -MaxDrift || config.Drift > MaxDrift {
		t.Fatalf("netsim: Config.Drift is %d parts per million; give %d to %d", config.Drift, -MaxDrift, MaxDrift)
	}
	const use = 0x6672616d6573
	s := &Sim{t: t, config: config, seed: seed, rng: rand.New(rand.NewPCG(seed, use))}
	s.serverClock = &localClock{sim: &s.clock}
	s.network = NewNetwork(seed, s.clock.Now)
	_, _ = s.entropy().Read(s.key[:]) // never fails
	t.Cleanup(func() {
		s.finalizeApps()
		if t.Failed() {
			for _, p := range s.peers {
				p.explain()
			}
			t.Logf("netsim: seed %d; repeat with: %s", seed, repeat(t.Name(), seed, free))
		}
	})
	return s
}

func (s *Sim) entropy() *rand.ChaCha8 {
	s.uses++
	return entropy(s.seed, s.uses)
}

// Seed returns the seed of the run.
func (s *Sim) Seed() uint64 { return s.seed }

// Clock returns the clock of the simulation.
func (s *Sim) Clock() *Clock { return &s.clock }

// Network returns the network that connects server and clients.
func (s *Sim) Network() *Network { return s.network }

// ServerConfig returns a config with the simulation's key and random source, and with the server's
// clock, which SetServerDrift adjusts. Other fields may be set before the server is made from it.
func (s *Sim) ServerConfig(p *protocol.Protocol) plugin.ServerConfig {
	s.game = p.Name()
	return plugin.ServerConfig{Protocol: p, Key: s.key, Clock: s.serverClock.Now, Entropy: s.entropy()}
}

// ClientConfig returns a config with the simulation's random source and a clock for this client
// only, see Peer.SetDrift: make only one client from each config. The client is Strict, and keeps
// the causes of its latest rollbacks, which a failing test logs. Other fields may be set before the
// client is made from it.
func (s *Sim) ClientConfig(p *protocol.Protocol) plugin.ClientConfig {
	return plugin.ClientConfig{
		Protocol: p, Clock: s.newLocalClock().Now, Entropy: s.entropy(), ExplainRollbacks: explained, Strict: true,
	}
}

// AddServer initialises an app that contains a server made with ServerConfig, in a new world unless
// the app has one, and starts the server. A simulation has one server. Errors fail the test.
func (s *Sim) AddServer(app App, server *plugin.Server) {
	s.t.Helper()
	if s.server != nil {
		s.t.Fatalf("netsim: the simulation has a server already; make another simulation")
	}
	s.plugin, s.began = server, s.serverClock.now()
	s.server = s.addApp(app, server)
	s.server.clock = s.serverClock
	ends := plugin.NewReader[plugin.ClientDisconnected](s.World())
	s.ends = &ends
	if s.watch != nil {
		s.watch.Listen(s.World())
	}
	if err := server.Start(s.network.Listener()); err != nil {
		s.t.Fatalf("netsim: the server can't start: %v", err)
	}
}

// AddHost is AddServer for a host made with ServerConfig. Its local player starts connecting unless
// it has done so. The local player is no Peer: it uses the server's world and has no line.
func (s *Sim) AddHost(app App, host *plugin.Host) {
	s.t.Helper()
	s.AddServer(app, host.Server)
	if host.Player().State() != plugin.Disconnected {
		return
	}
	if err := host.Player().Connect(nil); err != nil {
		s.t.Fatalf("netsim: the host's player can't connect: %v", err)
	}
}

// AddClient initialises an app that contains a client made with ClientConfig, in a new world unless
// the app has one, and starts connecting it to the server as id. Connecting takes some time: see
// RunUntil. Errors fail the test.
func (s *Sim) AddClient(id entangle.ClientID, app App, client *plugin.Client) *Peer {
	s.t.Helper()
	if s.server == nil {
		s.t.Fatalf("netsim: the simulation has no server yet; call AddServer first")
	}
	p := &Peer{sim: s, id: id, client: client, line: s.network.Line()}
	client.AddSystem(plugin.FixedInput, p.keys.pressSystem())
	p.host = s.addApp(app, client)
	p.SetLink(s.config.Link)
	s.peers = append(s.peers, p)
	p.clock = s.claimClock(p.Connect)
	p.SetDrift(s.config.Drift)
	return p
}

// ticking is the common interface of servers and clients.
type ticking interface {
	World() *ecs.World
	TickRate() int
}

// addApp initialises an app and chooses the start time of its frames.
func (s *Sim) addApp(app App, contained ticking) *host {
	s.t.Helper()
	fresh := ecs.NewWorld()
	app.Initialize(&fresh)
	w := contained.World()
	if w == nil {
		s.t.Fatalf("netsim: Initialize of the app, %T, did not initialise the %T; add that to it, or pass it as the app", app, contained)
	}
	rate := cmp.Or(s.config.FrameRate, contained.TickRate())
	h := &host{app: app, world: w, frameTime: time.Second / time.Duration(rate)}
	h.nextFrame = s.clock.Since() + time.Duration(s.rng.Int64N(int64(h.frameTime)))
	s.hosts = append(s.hosts, h)
	return h
}

// World returns the server's world.
func (s *Sim) World() *ecs.World { return s.server.world }

// Server returns the server.
func (s *Sim) Server() *plugin.Server { return s.plugin }

// Peers returns the clients in the order in which they were added.
func (s *Sim) Peers() []*Peer { return append([]*Peer(nil), s.peers...) }

// mint makes a token for the server. In the second in which the server started, the token is valid
// from the next second, as the server requires.
func (s *Sim) mint(id entangle.ClientID) (token.Token, error) {
	now := s.serverClock.now()
	if first := token.NextSecond(s.began); now.Before(first) {
		now = first
	}
	return plugin.MintToken(s.key, s.game, token.Claims{
		ClientID: id, Servers: s.plugin.Addrs(), Now: now, Entropy: s.entropy(),
	})
}

// finalizeApps finalises the apps, the server last.
func (s *Sim) finalizeApps() {
	for i := len(s.hosts) - 1; i >= 0; i-- {
		if h := s.hosts[i]; !h.closed {
			h.closed = true
			h.app.Finalize(h.world)
		}
	}
}
