package netsim_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/mlange-42/arche/ecs"
	"github.com/stretchr/testify/require"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/netsim"
	"github.com/entangle-ecs/entangle/plugin"
)

// inputJudge has the inputs that all clients have written, and checks the inputs that act.
type inputJudge struct {
	t       require.TestingT
	streams map[helm][]*handStream
	shots   *shotJudge
}

// helm is an entity of the server and a client that drives it.
type helm struct {
	client entangle.ClientID
	entity ecs.Entity
}

func newInputJudge(t require.TestingT) *inputJudge {
	return &inputJudge{t: t, streams: map[helm][]*handStream{}}
}

// addStream adds an input stream. server is zero if the client drives an entity that it no longer
// sees; then any entity is accepted.
func (j *inputJudge) addStream(client entangle.ClientID, server ecs.Entity, stream *handStream) {
	at := helm{client, server}
	j.streams[at] = append(j.streams[at], stream)
}

// wrote returns the stream in which a client wrote an input for an entity and a tick, or nil.
func (j *inputJudge) wrote(at helm, tick entangle.Tick, got hand) *handStream {
	for _, e := range []ecs.Entity{at.entity, {}} {
		for _, stream := range j.streams[helm{at.client, e}] {
			if stream.hasInput(tick, got) {
				return stream
			}
		}
	}
	return nil
}

// inputCourt is a system that compares the inputs in one world with those that clients wrote. It is
// the first in FixedMain.
type inputCourt struct {
	*inputJudge
	name   string
	me     entangle.ClientID                 // the player of this world; 0 on a server
	origin func(local ecs.Entity) ecs.Entity // returns the server's entity

	world                   *ecs.World
	time                    *components.Time
	inputs                  plugin.Inputs[hand]
	events                  plugin.Reader[plugin.InputReceived[hand]]
	hand, controlled, owner ecs.ID
	before                  map[ecs.Entity]judged
	pressed                 map[uint32]bool
	jumped                  bool // the clock has jumped: ticks may run twice
	last                    entangle.Tick
}

// judged is an entity's input in a tick.
type judged struct {
	hand
	status   plugin.InputStatus
	by       entangle.ClientID
	fresh    entangle.Tick // the tick of the last fresh input
	tick     entangle.Tick
	received bool // an input was received since client by drives the entity
}

func (c *inputCourt) Finalize(*ecs.World) {}

func (c *inputCourt) Initialize(w *ecs.World) {
	c.world, c.time, c.inputs = w, ecs.GetResource[components.Time](w), plugin.NewInputs[hand](w)
	c.events = plugin.NewReader[plugin.InputReceived[hand]](w)
	c.hand, c.owner = ecs.ComponentID[hand](w), ecs.ComponentID[components.ControlledBy](w)
	c.controlled = ecs.ComponentID[components.Controlled](w)
	c.before, c.pressed = map[ecs.Entity]judged{}, map[uint32]bool{}
}

// Update checks a tick.
func (c *inputCourt) Update(*ecs.World) {
	c.jumped = c.jumped || c.last != 0 && c.time.Tick != c.last+1
	c.last = c.time.Tick
	reported := map[ecs.Entity]plugin.InputReceived[hand]{}
	for _, e := range c.events.Read() {
		if _, twice := reported[e.Entity]; twice || e.Tick != c.time.Tick {
			c.fail(e.Entity, "was told of twice, or of tick %d", e.Tick)
		}
		reported[e.Entity] = e
	}
	now := map[ecs.Entity]judged{}
	for q := c.world.Query(ecs.All(c.hand)); q.Next(); {
		e := q.Entity()
		got := judged{hand: *(*hand)(q.Get(c.hand)), status: c.inputs.Status(e), by: c.driver(&q), tick: c.time.Tick}
		now[e] = c.judge(e, got, reported[e])
		delete(reported, e)
	}
	for e := range reported {
		c.fail(e, "was told of, and has no input")
	}
	c.before = now
	c.play(now)
}

// driver returns the client that drives an entity, as far as this world knows.
func (c *inputCourt) driver(q *ecs.Query) entangle.ClientID {
	switch {
	case c.me != 0 && q.Has(c.controlled):
		return c.me
	case q.Has(c.owner):
		return (*components.ControlledBy)(q.Get(c.owner)).Client
	}
	return entangle.Nobody
}

func (c *inputCourt) judge(e ecs.Entity, got judged, reported plugin.InputReceived[hand]) judged {
	before := c.before[e]
	if before.by == got.by {
		got.fresh, got.received = before.fresh, before.received
	}
	switch got.status {
	case plugin.FreshInput:
		c.judgeFresh(e, &got)
	case plugin.RepeatedInput:
		c.judgeRepeated(e, &got, before)
	default:
		c.judgeNone(e, &got, before)
		if reported != (plugin.InputReceived[hand]{}) {
			c.fail(e, "was told of as %+v, and has no input", reported)
		}
		return got
	}
	want := plugin.InputReceived[hand]{Client: wroteBy(got.Held), Entity: e, Tick: got.tick, Input: got.hand, Status: got.status}
	if got.Held == 0 || c.me != 0 && reported.Client == got.by { // the input names no client, or the owner has just changed
		want.Client = reported.Client
	}
	if reported != want {
		c.fail(e, "was told of as %+v, and is %+v", reported, want)
	}
	return got
}

// judgeFresh checks that the input is the one that its player wrote for this tick, and that an
// event is new.
func (c *inputCourt) judgeFresh(e ecs.Entity, got *judged) {
	by := got.by
	if c.me != 0 && by != c.me { // this world may have an outdated owner for an entity of another client
		by = wroteBy(got.Held)
	}
	as := got.hand
	as.Aim = c.origin(as.Aim)
	origin := c.origin(e)
	stream := c.wrote(helm{by, origin}, got.tick, as)
	if !origin.IsZero() && stream == nil && (got.Held != 0 || c.me == 0) {
		c.fail(e, "has an input that client %d did not write for it and this tick: %+v", by, got.hand)
	}
	if got.Press != 0 && c.pressed[got.Press] && (c.me == 0 || !c.jumped) {
		c.fail(e, "has an event that acted before: %+v", got.hand)
	}
	c.pressed[got.Press], got.fresh, got.received = true, got.tick, true
}

// judgeRepeated checks that the input is unchanged, except for its event, and for at most a second.
func (c *inputCourt) judgeRepeated(e ecs.Entity, got *judged, before judged) {
	if got.Press != 0 {
		c.fail(e, "repeats an event: %+v", got.hand)
	}
	if c.me != 0 {
		return // the input may have arrived after its tick was run with the repeated one
	}
	before.Press = 0
	if got.hand != before.hand || got.by != before.by || got.tick-got.fresh > randomRate {
		c.fail(e, "repeats %+v, of tick %d, and was %+v", got.hand, got.fresh, before.hand)
	}
}

// judgeNone checks that the input is zero, or the same as before the first input.
func (c *inputCourt) judgeNone(e ecs.Entity, got *judged, before judged) {
	if got.hand == (hand{}) || c.me != 0 {
		return
	}
	if got.received || before.tick != 0 && got.hand != before.hand {
		c.fail(e, "has no input, and is %+v, after %+v", got.hand, before.hand)
	}
}

// play writes inputs for entities without a driver, as a server's bots do.
func (c *inputCourt) play(now map[ecs.Entity]judged) {
	for e, is := range now {
		if c.me == 0 && is.by == entangle.Nobody {
			is.hand = hand{Held: 7 + is.Held, Press: 3}
			*(*hand)(c.world.Get(e, c.hand)) = is.hand
			now[e] = is
		}
	}
}

func (c *inputCourt) fail(e ecs.Entity, format string, values ...any) {
	require.Failf(c.t, "an input is wrong", "%s at tick %d: %v "+format, append([]any{c.name, c.time.Tick, e}, values...)...)
}

// origins finds the server's entities for a client's replicas, and remembers them.
type origins struct {
	peer  func() *netsim.Peer
	known map[ecs.Entity]ecs.Entity
}

func (o *origins) of(local ecs.Entity) ecs.Entity {
	if local.IsZero() {
		return local
	}
	if e, ok := o.known[local]; ok {
		return e
	}
	e, ok := o.peer().Origin(local)
	if ok {
		o.known[local] = e
	}
	return e
}

func itself(e ecs.Entity) ecs.Entity { return e }

// drive adds the system hands to a guest, and checks the inputs that act in its world.
func (j *inputJudge) drive(sim *netsim.Sim, g *guest, id entangle.ClientID) {
	at := &origins{peer: func() *netsim.Peer { return g.Peer }, known: map[ecs.Entity]ecs.Entity{}}
	c := g.mail.client
	c.AddSystem(plugin.FixedInput, &hands{t: j.t, judge: j, client: id, rng: handsRng(sim, id), delay: c.InputDelay, origin: at.of, mine: func(ecs.Entity) bool { return true }, made: func(shooter ecs.Entity, press uint32) {
		if g.shots != nil {
			g.shots.madeBy(shooter, press)
		}
	}})
	c.AddSystem(plugin.FixedMain, plugin.FirstTime(&inputCourt{inputJudge: j, name: fmt.Sprintf("client %d", id), me: id, origin: at.of}))
}

// serve checks the inputs that act in the server's world, and adds the system hands to a host's
// player.
func (j *inputJudge) serve(sim *netsim.Sim, server *plugin.Server, host *plugin.Host) {
	if host != nil {
		mine := func(e ecs.Entity) bool { return slices.Contains(host.Controlled(hostPlayer), e) }
		h := &hands{mine: mine, t: j.t, judge: j, client: hostPlayer, rng: handsRng(sim, hostPlayer), delay: host.Player().InputDelay, origin: itself}
		server.AddSystem(plugin.FixedInput, h)
	}
	server.AddSystem(plugin.FixedMain, &inputCourt{inputJudge: j, name: "the server", origin: itself})
}

func handsRng(sim *netsim.Sim, id entangle.ClientID) *rand.Rand {
	return rand.New(rand.NewPCG(sim.Seed(), 0x68616e6473+uint64(id)))
}
