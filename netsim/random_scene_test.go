package netsim_test

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// randomT is a testing.T or a netsim.Trial.
type randomT interface {
	netsim.T
	require.TestingT
}

// randomTypes are the components that scripts of random worlds name.
var randomTypes = []reflect.Type{
	reflect.TypeFor[place](), reflect.TypeFor[life](), reflect.TypeFor[marked](), reflect.TypeFor[bulk](),
	reflect.TypeFor[link](), reflect.TypeFor[secret](), reflect.TypeFor[components.Replicate](),
}

// randomScene is a random world that a script acts in. Its clients can be acted on
// in every state.
type randomScene struct {
	*netsim.GameScene
	t      randomT
	sim    *netsim.Sim
	verbs  netsim.Verbs
	mail   *mailServer
	main   *mainSystem
	guests []*guest
	bounds func() error
}

// randomVerbs returns the verbs of random worlds: a script begins with
//
//	world SEED FRAMERATE [strangers]
//
// which makes the world; with strangers links may name entities that are not replicated, or not yet;
// and then there are the standard verbs and those of GameScene, lenient, and
//
//	tick N COMMAND        does it in the Nth step from now, within FixedMain
//	messages on|off       lets both ends send messages, as they do to begin with
//	settle [PERCENT]      brings everybody back, ends all changes, and expects that
//	                      worlds are equal soon, with this loss to the end
//
// Checks hold throughout. Hooks are called with the world before it begins.
func randomVerbs(t randomT, hooks ...hook) netsim.Verbs {
	verbs := netsim.Verbs{}
	verbs["world"] = func(args *netsim.Args, _ *netsim.Trace) error {
		seed, err := args.Int()
		if err != nil {
			return err
		}
		rate, err := args.Int()
		if err != nil || seed == 0 {
			return errors.Join(err, errSeed)
		}
		s := newRandomScene(t, netsim.Config{Seed: uint64(seed), FrameRate: rate})
		s.main.strangers = args.Take("strangers")
		maps.Copy(verbs, s.verbs)
		for _, made := range hooks {
			made(s)
		}
		return nil
	}
	return verbs
}

var errSeed = errors.New("give a seed above 0")

func newRandomScene(t randomT, config netsim.Config) *randomScene {
	s := &randomScene{t: t, sim: netsim.New(t, config), mail: &mailServer{t: t}}
	s.GameScene = netsim.NewScene(s.sim, s.join)
	s.main = &mainSystem{scene: s, due: map[int][]string{}, kept: map[string]int{}, seen: map[ecs.Entity]int{}}
	server, err := plugin.NewServer(s.sim.ServerConfig(randomProtocol()))
	require.NoError(t, err)
	server.AddSystem(plugin.Receive, s.mail.system())
	server.AddSystem(plugin.FixedMain, s.mail.sender())
	server.AddSystem(plugin.FixedMain, s.main)
	s.sim.AddServer(server, server)
	s.sim.Watch()
	s.verbs = s.makeVerbs()
	s.bounds = s.checkLoads
	return s
}

func (s *randomScene) join(id entangle.ClientID) *netsim.Peer {
	g := joinRandom(s.t, s.sim, id)
	g.mail.quiet = s.mail.quiet
	s.guests = append(s.guests, g)
	return g.Peer
}

func (s *randomScene) makeVerbs() netsim.Verbs {
	verbs, game := netsim.StandardVerbs(s, randomTypes...), s.GameScene.Verbs(randomTypes...)
	verbs["kick"], verbs["reconnect"] = game["kick"], game["reconnect"]
	verbs = verbs.Lenient()
	for _, verb := range []string{"insert", "remove", "despawn"} {
		verbs[verb] = s.main.pausing(verb, verbs[verb])
	}
	verbs["tick"], verbs["messages"], verbs["settle"] = s.main.tick, s.messages, s.settle
	return verbs
}

// Clients implements netsim.Scene: all there ever were.
func (s *randomScene) Clients() (clients []int) {
	for i := range s.guests {
		clients = append(clients, i+1)
	}
	return clients
}

// Disconnect implements netsim.Scene.
func (s *randomScene) Disconnect(client int) error {
	s.guests[client-1].Disconnect()
	return nil
}

// Run implements netsim.Scene.
func (s *randomScene) Run(d time.Duration, _ *netsim.Trace) error {
	s.sim.Run(d)
	return s.bounds()
}

// checkLoads holds what every end keeps against its limits.
func (s *randomScene) checkLoads() error {
	for _, load := range s.sim.Server().Loads() {
		if err := load.Check(); err != nil {
			return err
		}
	}
	for _, g := range s.guests {
		if err := g.Client().Load().Check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *randomScene) messages(args *netsim.Args, _ *netsim.Trace) error {
	s.quiet(!args.Take("on") && args.Take("off"))
	return nil
}

func (s *randomScene) quiet(quiet bool) {
	s.mail.quiet = quiet
	for _, g := range s.guests {
		g.mail.quiet = quiet
	}
}

// mainSystem does what a script wants done within a step.
type mainSystem struct {
	scene *randomScene
	world *ecs.World
	ticks int              // that were begun
	due   map[int][]string // commands by tick
	kept  map[string]int   // paused entities, and until which tick to keep them
	still bool
	// strangers: links may name entities that are not replicated.
	strangers bool
	seen      map[ecs.Entity]int // replicated for how many ticks
}

func (m *mainSystem) Initialize(w *ecs.World) { m.world = w }
func (m *mainSystem) Finalize(*ecs.World)     {}

func (m *mainSystem) Update(*ecs.World) {
	m.ticks++
	commands := m.due[m.ticks]
	delete(m.due, m.ticks)
	if m.still {
		m.rewrite()
		return
	}
	for _, command := range commands {
		m.do(command)
	}
	m.meet()
}

// meet empties links to entities that have not been replicated for long enough
// that every frame has seen it: one that names an entity which is replicated only
// later stays empty on the clients.
func (m *mainSystem) meet() {
	if m.strangers {
		return
	}
	marker, to := ecs.ComponentID[components.Replicate](m.world), ecs.ComponentID[link](m.world)
	for q := m.world.Query(ecs.All(marker)); q.Next(); {
		m.seen[q.Entity()]++
	}
	for q := m.world.Query(ecs.All(to)); q.Next(); {
		if l := (*link)(q.Get(to)); m.world.Alive(l.To) && !m.world.Has(l.To, marker) && m.seen[l.To] < mostTicks {
			l.To = ecs.Entity{}
		}
	}
}

var errTick = errors.New("give a number of ticks from 1 and a command")

func (m *mainSystem) do(command string) {
	if err := m.scene.verbs.Do(command, &netsim.Trace{}); err != nil {
		m.scene.t.Fatalf("%s: %v", command, err)
	}
}

func (m *mainSystem) tick(args *netsim.Args, _ *netsim.Trace) error {
	n, err := args.Int()
	if err != nil || n == 0 || args.Len() == 0 {
		return errors.Join(err, errTick)
	}
	command := strings.Join(args.Rest(), " ")
	m.due[m.ticks+n] = append(m.due[m.ticks+n], command)
	return nil
}

const (
	forever = 1 << 30
	// mostTicks is more than one frame has.
	mostTicks = 10
)

// pausing keeps account of entities that lost Replicate. They can't be despawned,
// since their copies would stay for good.
func (m *mainSystem) pausing(verb string, do netsim.Verb) netsim.Verb {
	return func(args *netsim.Args, trace *netsim.Trace) error {
		words := args.Rest()
		if len(words) > 0 && verb == "despawn" && m.kept[words[0]] > m.ticks {
			return nil
		}
		if len(words) > 0 && slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "Replicate") }) {
			m.pause(words[0], verb)
		}
		return netsim.Verbs{verb: do}.Do(verb+" "+strings.Join(words, " "), trace)
	}
}

// pause keeps an entity until a frame has surely seen that it goes on.
func (m *mainSystem) pause(name, verb string) {
	if verb == "remove" {
		m.kept[name] = forever
	} else if m.kept[name] > 0 {
		m.kept[name] = m.ticks + mostTicks
	}
}

// rest ends all changes: what is paused goes on.
func (m *mainSystem) rest() {
	m.still = true
	for _, name := range slices.Sorted(maps.Keys(m.kept)) {
		if m.kept[name] == forever {
			m.do("insert " + name + " Replicate")
		}
	}
}

// rewrite writes equal values, and ones that nobody is told of.
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
