package netsim_test

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// The components of random worlds: quantised, exact, without a value, larger than most packets have
// room for, with a reference, sent once, sent as differences, also with the built-in motion or with
// a difference of the game, a relation, and one that is not registered.
type (
	place struct {
		X float32 `net:"range=-64..64,step=0.125"`
		Y float32 `net:"range=-64..64,step=0.125"`
	}
	life   struct{ Points int16 }
	marked struct{}
	bulk   struct{ Data [70]uint64 }
	link   struct {
		To     ecs.Entity
		Weight uint8
	}
	stamp struct{ Number uint16 }
	chart struct {
		With  ecs.Entity
		Cells [12]uint16
	}
	path struct {
		X    float32 `net:"range=-256..256,step=0.125"`
		Y    float32 `net:"range=-256..256,step=0.125"`
		Turn float32 `net:"angle"`
	}
	counter struct{ Count uint32 }
	tied    struct {
		ecs.Relation
		Length uint8
	}
	secret struct{ Number uint32 }
)

// The resources of random worlds: one of fixed size, and one with text, a list and
// entities.
type (
	score struct{ Points uint32 }
	board struct {
		Title string
		First ecs.Entity
		Order []ecs.Entity
	}
)

// more is a difference of counts that must be applied once and to its baseline.
type more struct{}

func (more) Diff(w *bits.Writer, base, value *counter) { w.Uvarint(uint64(value.Count - base.Count)) }

func (more) Apply(r *bits.Reader, base *counter) (counter, error) {
	return counter{base.Count + uint32(r.Uvarint())}, r.Err()
}

// The messages of random worlds, one type per mode. Each carries the number of its connection, and
// its index among the messages of its type.
type (
	inOrder struct {
		Conn, N uint32
		Text    string
	}
	inAnyOrder struct{ Conn, N uint32 }
	latest     struct{ Conn, N uint32 }
	maybe      struct{ Conn, N uint32 }

	// These are delivered when their tick is shown: one on the channel of inOrder, and one that may refer to an entity.
	shownInOrder  struct{ Conn, N uint32 }
	shownAnyOrder struct {
		Conn, N uint32
		Of      ecs.Entity
	}
)

// randomRate is the tick rate of random worlds.
const randomRate = 30

// randomProtocol returns the protocol of random worlds. In some of them entities can be interpolated, and their
// components are then shown in all ways: blended, stepping, with their first value, or not at all.
func randomProtocol(l limits) *protocol.Protocol {
	p := protocol.New(protocol.Config{Name: "random", TickRate: randomRate})
	places := protocol.Component[place](p).Predict(protocol.Full).Interpolate(protocol.Linear[place]).Snap(far)
	lives := protocol.Component[life](p).Predict(protocol.Full)
	protocol.Component[marked](p).Predict(protocol.Full)
	protocol.Component[bulk](p).InterpolateMode(protocol.None)
	protocol.Component[link](p).Predict(protocol.Full)
	protocol.Component[components.ControlledBy](p)
	protocol.Component[stamp](p).ReplicateOnce().Predict(protocol.Once)
	protocol.Component[chart](p).Delta().Predict(protocol.Full)
	paths := protocol.Component[path](p).Delta().Motion().Predict(protocol.Full).Interpolate(protocol.Linear[path]).Extrapolate(100 * ms)
	protocol.Component[counter](p).Delta().Diff(more{}).InterpolateMode(protocol.Once)
	protocol.Component[tied](p).Predict(protocol.Full)
	protocol.Component[components.ChildOf](p).Predict(protocol.Full)
	protocol.Input[hand](p).Rebroadcast()
	protocol.Resource[score](p)
	protocol.Resource[board](p)
	protocol.Message[inOrder](p)
	protocol.Message[inAnyOrder](p).Mode(protocol.UnorderedReliable)
	protocol.Message[latest](p).Mode(protocol.SequencedUnreliable)
	protocol.Message[maybe](p).Mode(protocol.UnorderedUnreliable)
	protocol.Message[shownInOrder](p).WhenShown()
	protocol.Message[shownAnyOrder](p).Mode(protocol.UnorderedReliable).WhenShown()
	withMentions(p)
	if l.interpolated > 0 {
		protocol.Component[components.Interpolated](p)
	}
	if l.rewinds > 0 {
		places.Rewind()
		paths.Rewind()
		lives.Rewind()
	}
	if l.blueprints > 0 {
		withSaplings(p)
	}
	if l.shots > 0 {
		withShots(p, l)
	}
	return p
}

// far reports that two places are too far apart to be blended.
func far(a, b place) bool { return math.Abs(float64(a.X-b.X)) > 80 }

// guest is a client of a random world, with all that it has received.
type guest struct {
	*netsim.Peer
	mail   *mailClient
	shadow *shadow

	mentions  mentions
	originals originals
	screens   screens
	shots     *shotCourt // nil in worlds without shots
	crowded   bool       // it has left for lack of room
}

// noRoom reports whether the client has left because its limit of early arrivals was reached.
func (g *guest) noRoom() bool {
	err := g.Client().Err()
	return errors.Is(err, plugin.ErrOverLimit) && strings.Contains(err.Error(), "MaxWaitingBytes")
}

func (s *randomScene) joinRandom(id entangle.ClientID) *guest {
	t, sim, judge, l := s.t, s.sim, s.judge, s.limits
	cfg := sim.ClientConfig(randomProtocol(l))
	cfg.MaxBytes, cfg.SendEvery, cfg.MaxWaitingBytes = l.client, l.clientEvery, l.waiting
	c := newClient(t, cfg)
	g := &guest{mail: &mailClient{t: t, client: c}, shadow: newShadow(t, c)}
	c.AddSystem(plugin.AfterReceive, g.mail.system())
	c.AddSystem(plugin.AfterSend, g.shadow.system())
	g.originals, g.screens = originals{g, map[ecs.Entity]ecs.Entity{}}, screens{guest: g, at: map[entangle.Tick][]screen{}}
	judge.drive(sim, g, id)
	s.judgeGuest(g, id)
	c.AddSystem(plugin.FixedMain, plugin.FirstTime(g.mail.sender()))
	g.mentions = mentions{guest: g, replicas: map[ecs.Entity]*replica{}}
	c.AddSystem(plugin.FixedMain, plugin.FirstTime(g.mentions.system()))
	c.AddSystem(plugin.AfterSend, plugin.Func(func(w *ecs.World) func() {
		allowed := registered(w, l)
		return func() { g.shadow.checkEvents(); onlyRegistered(t, w, allowed) }
	}))
	g.Peer = sim.AddClient(id, c, c)
	return g
}

// judgeGuest adds the systems that check shots, blueprints and screens to a guest's client.
func (s *randomScene) judgeGuest(g *guest, id entangle.ClientID) {
	c := g.mail.client
	if s.limits.blueprints+s.limits.shots+s.limits.rewinds > 0 {
		c.AddSystem(plugin.AfterSend, plugin.Func(g.originals.record))
	}
	if s.limits.shots > 0 {
		c.AddSystem(plugin.FixedMain, &shotGuns{me: func() entangle.ClientID { return id }, trees: s.limits.blueprints > 0})
		g.shots = &shotCourt{shotJudge: s.shots, guest: g}
		c.AddSystem(plugin.AfterSend, g.shots)
	}
	if s.limits.blueprints > 0 {
		client := func() *plugin.Client { return c }
		c.AddSystem(plugin.AfterSend, &saplingCourt{t: s.t, name: fmt.Sprintf("client %d", id), nursery: s.nursery, count: s.count, origin: g.originals.of, client: client})
	}
	if s.limits.rewinds > 0 {
		c.AddSystem(plugin.AfterSend, plugin.Func(g.screens.draw))
		c.AddSystem(plugin.FixedInput, plugin.Func(g.screens.press))
	}
}

// count counts a rare thing.
func (s *randomScene) count(branch string) { s.rare.count[branch]++ }

// registered returns all components that replicated entities may have.
func registered(w *ecs.World, l limits) ecs.Mask {
	allowed := ecs.All(ecs.ComponentID[components.Remote](w), ecs.ComponentID[components.Persistent](w),
		ecs.ComponentID[components.Controlled](w))
	r := registry.Of(randomProtocol(l))
	for _, info := range r.Components {
		allowed.Set(ecs.TypeID(w, info.Type), true)
	}
	for _, part := range r.Locals { // of blueprints
		allowed.Set(ecs.TypeID(w, part.Type), true)
	}
	return allowed
}

// onlyRegistered requires that replicated entities have only registered components.
func onlyRegistered(t require.TestingT, w *ecs.World, allowed ecs.Mask) {
	q := w.Query(ecs.All(ecs.ComponentID[components.Remote](w)))
	for q.Next() {
		for _, id := range q.Ids() {
			if !allowed.Get(id) {
				require.Failf(t, "a component that is not registered", "%v has %v", q.Entity(), id)
			}
		}
	}
}
