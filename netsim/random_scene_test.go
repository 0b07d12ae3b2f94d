package netsim_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/apps"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/netsim/internal/scene"
	"github.com/entangle-ecs/entangle/netsim/internal/script"
	"github.com/entangle-ecs/entangle/plugin"
)

// randomT is a *testing.T or a *netsim.Trial.
type randomT interface {
	netsim.T
	require.TestingT
}

// randomTypes are the components that scripts of random worlds may use.
var randomTypes = []reflect.Type{
	reflect.TypeFor[place](), reflect.TypeFor[life](), reflect.TypeFor[marked](), reflect.TypeFor[bulk](),
	reflect.TypeFor[link](), reflect.TypeFor[secret](), reflect.TypeFor[components.Replicate](),
	reflect.TypeFor[stamp](), reflect.TypeFor[chart](), reflect.TypeFor[path](), reflect.TypeFor[counter](), reflect.TypeFor[tied](),
	reflect.TypeFor[hand](), reflect.TypeFor[sapling](), reflect.TypeFor[trunk](), reflect.TypeFor[components.ChildOf](), reflect.TypeFor[components.NoReplicateChildren](),
}

// randomScene is a random world that a script acts on. Its clients can be acted on in every state.
type randomScene struct {
	*scene.Game
	t      randomT
	sim    *netsim.Sim
	verbs  script.Verbs
	mail   *mailServer
	main   *mainSystem
	guests []*guest
	bounds func() error
	limits limits
	meters *meters
	judge  *inputJudge
	host   *plugin.Host // nil for a server without a player
	rare   *branches

	rewinds *rewindJudge
	nursery *nursery
	shots   *shotJudge

	returns int // see comeBack
	crowded int // how often a client left for lack of room
}

// randomVerbs returns the verbs of random worlds. A script begins with
//
//	world SEED FRAMERATE
//
// which makes the world from the preceding configure commands. Available are also the standard
// verbs and those of scene.Game, all lenient, and
//
//	tick N COMMAND        does it in the Nth step from now, within FixedMain
//	player joins|leaves|is kicked
//	                      says what a host's own player does
//	messages on|off       lets both ends send messages, as they do to begin with
//	settle [PERCENT]      brings everybody back, ends all changes, and expects that
//	                      worlds are equal soon, with this loss to the end
//
// Checks hold throughout. Hooks are called with the world before the first command.
func randomVerbs(t randomT, hooks ...hook) script.Verbs {
	verbs, limits := script.Verbs{}, &limits{}
	verbs["configure"] = limits.configure
	verbs["world"] = func(args *script.Args, _ *script.Trace) {
		seed, rate := args.Int64(), args.Int()
		if seed == 0 {
			args.Fail(errSeed)
		}
		if args.Err() != nil {
			return
		}
		s := newRandomScene(t, netsim.Config{Seed: uint64(seed), FrameRate: rate}, *limits)
		maps.Copy(verbs, s.verbs)
		for _, made := range hooks {
			made(s)
		}
	}
	return verbs
}

var errSeed = errors.New("give a seed above 0")

func newRandomScene(t randomT, config netsim.Config, l limits) *randomScene {
	s := &randomScene{t: t, sim: netsim.New(t, config), mail: &mailServer{t: t}, limits: l, judge: newInputJudge(t)}
	s.rewinds, s.nursery, s.shots = &rewindJudge{scene: s}, newNursery(s.count), &shotJudge{scene: s, fired: map[uint32]firedShot{}}
	s.judge.shots = s.shots
	s.Game = scene.New(s.sim, s.join)
	s.Use(scene.Resource[score](), scene.Resource[board](), scene.Overridden[life](), scene.Overridden[link](),
		scene.Overridden[path](), scene.Overridden[stamp](), scene.Overridden[chart](), scene.Overridden[bulk]())
	s.main = &mainSystem{scene: s, due: map[int][]string{}}
	cfg := s.sim.ServerConfig(randomProtocol(l))
	cfg.MaxClients, cfg.MaxBytesPerClient, cfg.MaxBytes, cfg.SendEvery = maxGuests, l.perClient, l.all, l.every
	app, server := s.newServer(cfg)
	server.AddSystem(plugin.AfterReceive, plugin.Func(s.joins))
	server.AddSystem(plugin.AfterReceive, s.mail.system())
	server.AddSystem(plugin.AfterReceive, plugin.Func(s.mentioned))
	s.judge.serve(s.sim, server, s.host)
	s.judgeServer(server)
	server.AddSystem(plugin.FixedMain, s.mail.sender())
	server.AddSystem(plugin.FixedMain, s.main)
	s.addRules(server)
	s.addGrid(server)
	if s.host != nil {
		s.sim.AddHost(app, s.host)
	} else {
		s.sim.AddServer(app, server)
	}
	s.sim.Watch()
	s.rare = newBranches(server, l.every)
	s.rare.sim, s.rare.rewinds = s.sim, s.rewinds
	s.meters = newMeters(l, s.sim)
	s.sim.Network().Tap(s.meters.tap)
	s.verbs = s.makeVerbs()
	s.bounds = s.checkLoads
	return s
}

// judgeServer adds the systems that look at the server's world at the beginning of a tick.
func (s *randomScene) judgeServer(server *plugin.Server) {
	if s.limits.rewinds > 0 {
		server.AddSystem(plugin.FixedMain, plugin.Func(s.rewinds.look))
	}
	if s.limits.shots > 0 {
		server.AddSystem(plugin.FixedMain, plugin.Func(s.shots.checkServer))
	}
}

// addRules adds the systems of the game to the server, and those that look at the world at the end of a tick.
func (s *randomScene) addRules(server *plugin.Server) {
	if s.limits.shots > 0 {
		server.AddSystem(plugin.FixedMain, &shotGuns{me: func() entangle.ClientID { return 0 }, trees: s.limits.blueprints > 0})
	}
	if s.limits.blueprints > 0 {
		server.AddSystem(plugin.FixedMain, plugin.Func(s.nursery.plant))
		itself := func(e ecs.Entity) (ecs.Entity, bool) { return e, true }
		server.AddSystem(plugin.AfterSend, &saplingCourt{t: s.t, name: "the server", nursery: s.nursery, count: s.count, origin: itself})
	}
	if s.limits.rewinds > 0 {
		server.AddSystem(plugin.FixedMain, plugin.Func(s.rewinds.record))
	}
}

func (s *randomScene) join(id entangle.ClientID) *netsim.Peer {
	g := s.joinRandom(id)
	g.mail.quiet = s.mail.quiet
	s.guests = append(s.guests, g)
	return g.Peer
}

func (s *randomScene) makeVerbs() script.Verbs {
	verbs := s.VerbsOf(s, randomTypes...).Lenient()
	verbs["tick"], verbs["messages"], verbs["settle"], verbs["player"] = s.main.tick, s.messages, s.bringToRest, s.player
	return verbs
}

// Clients implements scene.Scene. It returns all clients that ever existed.
func (s *randomScene) Clients() (clients []int) {
	for i := range s.guests {
		clients = append(clients, i+1)
	}
	return clients
}

// Disconnect implements scene.Scene.
func (s *randomScene) Disconnect(client int) error {
	s.guests[client-1].Disconnect()
	return nil
}

// Run implements scene.Scene.
func (s *randomScene) Run(d time.Duration, _ *script.Trace) error {
	s.sim.Run(d)
	for _, g := range s.guests {
		crowded := g.noRoom()
		if crowded && !g.crowded {
			s.crowded++
		}
		g.crowded = crowded
	}
	return s.bounds()
}

// checkLoads compares the load of every end with its limits.
func (s *randomScene) checkLoads() error {
	for _, d := range s.sim.Server().Stats().Dropped {
		if strings.Contains(d.Reason, "too much") {
			return fmt.Errorf("honest clients are beyond their budget: %d of %s", d.Count, d.Reason)
		}
	}
	for _, load := range apps.Of(s.sim.World()).Server.Loads() {
		if err := load.Check(); err != nil {
			return err
		}
	}
	for _, g := range s.guests {
		if err := apps.Of(g.World()).Client.Load().Check(); err != nil {
			return err
		}
	}
	return s.meters.checkCaps()
}

// connected returns the clients that are connected to the server.
func (s *randomScene) connected() (ids []entangle.ClientID) {
	for _, c := range s.sim.Server().Clients() {
		ids = append(ids, c.ID)
	}
	return ids
}

func (s *randomScene) messages(args *script.Args, _ *script.Trace) {
	s.quiet(!args.Take("on") && args.Take("off"))
}

func (s *randomScene) quiet(quiet bool) {
	s.mail.quiet = quiet
	for _, g := range s.guests {
		g.mail.quiet = quiet
	}
}

// relinks is the number of ticks between the last change and the changes that relink makes.
const relinks = 10

// mainSystem runs the commands of a script within a step.
type mainSystem struct {
	scene *randomScene
	world *ecs.World
	ticks int              // number of begun ticks
	due   map[int][]string // commands by tick
	still bool
	rests int // ticks since still was set
}

func (m *mainSystem) Initialize(w *ecs.World) { m.world = w }
func (m *mainSystem) Finalize(*ecs.World)     {}

func (m *mainSystem) Update(*ecs.World) {
	m.ticks++
	m.scene.rare.beginTick(m.scene.connected())
	commands := m.due[m.ticks]
	delete(m.due, m.ticks)
	if m.still {
		if m.rests++; m.rests == relinks && m.interests() {
			m.relink()
		}
		m.rewrite()
		return
	}
	for _, command := range commands {
		m.do(command)
	}
}

var errTick = errors.New("give a number of ticks from 1 and a command")

func (m *mainSystem) do(command string) {
	if err := m.scene.verbs.Do(command, &script.Trace{}); err != nil {
		m.scene.t.Fatalf("%s: %v", command, err)
	}
	m.scene.rare.do(command, m.scene.connected())
}

func (m *mainSystem) tick(args *script.Args, _ *script.Trace) {
	n := args.Int()
	if n == 0 || args.Len() == 0 {
		args.Fail(errTick)
		return
	}
	command := strings.Join(args.Rest(), " ")
	m.due[m.ticks+n] = append(m.due[m.ticks+n], command)
}

// rest ends all changes. Paused entities resume, and entities that were never replicated are from
// now on, so that every link leads to a replica.
func (m *mainSystem) rest() {
	m.still = true
	marker := ecs.ComponentID[components.Replicate](m.world)
	var outside []ecs.Entity
	without := ecs.All().Without(marker)
	for q := m.world.Query(&without); q.Next(); {
		outside = append(outside, q.Entity())
	}
	for _, e := range outside {
		m.world.Assign(e, ecs.Component{ID: marker, Comp: &components.Replicate{Group: components.Group(e.ID() % 4)}})
	}
}

// interests reports whether the relevance of any entity is limited.
func (m *mainSystem) interests() (some bool) {
	marker := ecs.ComponentID[components.Replicate](m.world)
	for q := m.world.Query(ecs.All(marker)); q.Next(); {
		some = some || (*components.Replicate)(q.Get(marker)).Relevance != components.Always
	}
	return some
}

// relink changes all references to entities. If relevance makes entities come and go all the time,
// some references were sent for an entity that was about to despawn, and do not follow when it
// returns.
func (m *mainSystem) relink() {
	links, charts := ecs.ComponentID[link](m.world), ecs.ComponentID[chart](m.world)
	for q := m.world.Query(ecs.All(links)); q.Next(); {
		(*link)(q.Get(links)).Weight++
	}
	for q := m.world.Query(ecs.All(charts)); q.Next(); {
		(*chart)(q.Get(charts)).Cells[0]++
	}
}

// rewrite writes equal values, and ones that no client receives.
func (m *mainSystem) rewrite() {
	points, number := ecs.ComponentID[life](m.world), ecs.ComponentID[secret](m.world)
	for q := m.world.Query(ecs.All(points)); q.Next(); {
		l := (*life)(q.Get(points))
		*l = life{l.Points}
	}
	for q := m.world.Query(ecs.All(number)); q.Next(); {
		(*secret)(q.Get(number)).Number++
	}
}
