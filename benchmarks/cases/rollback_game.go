package cases

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/predict"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/systems"
)

type (
	rollbackPlace struct{ X, Y, Z float32 }
	rollbackPace  struct{ X, Y, Z float32 }
	rollbackBody  struct {
		Number uint32
		Spin   float32
	}
	rollbackTurn  struct{ X, Y, Z, W float32 }
	rollbackLife  struct{ Points float64 }
	rollbackWait  struct{ Ticks uint32 }
	rollbackHaste struct{ Since uint32 } // added and removed by churn
)

// rollbackSizes are the bytes of the columns that all entities have.
var rollbackSizes = [6]int{
	int(reflect.TypeFor[rollbackPlace]().Size()), int(reflect.TypeFor[rollbackPace]().Size()), int(reflect.TypeFor[rollbackBody]().Size()),
	int(reflect.TypeFor[rollbackTurn]().Size()), int(reflect.TypeFor[rollbackLife]().Size()), int(reflect.TypeFor[rollbackWait]().Size()),
}

func rollbackProtocol() (*protocol.Protocol, error) {
	p := protocol.New(protocol.Config{Name: "rollback benchmark"})
	protocol.Component[rollbackPlace](p).Predict(protocol.Full)
	protocol.Component[rollbackPace](p).Predict(protocol.Full)
	protocol.Component[rollbackBody](p).Predict(protocol.Full)
	protocol.Component[rollbackTurn](p).Predict(protocol.Full)
	protocol.Component[rollbackLife](p).Predict(protocol.Full)
	protocol.Component[rollbackWait](p).Predict(protocol.Full)
	protocol.Component[rollbackHaste](p).Predict(protocol.Full)
	return p, registry.Seal(p)
}

// rollbackStep is the game: it moves all entities by a tick.
type rollbackStep struct {
	world   *ecs.World
	cfg     rollbackConfig
	ids     []ecs.ID // of the columns
	haste   []ecs.ID
	filter  ecs.Mask
	changed []ecs.Entity
}

func newRollbackStep(w *ecs.World, cfg rollbackConfig) *rollbackStep {
	s := &rollbackStep{world: w, cfg: cfg, haste: []ecs.ID{ecs.ComponentID[rollbackHaste](w)}}
	s.ids = []ecs.ID{
		ecs.ComponentID[rollbackPlace](w), ecs.ComponentID[rollbackPace](w), ecs.ComponentID[rollbackBody](w),
		ecs.ComponentID[rollbackTurn](w), ecs.ComponentID[rollbackLife](w), ecs.ComponentID[rollbackWait](w),
	}[:cfg.columns]
	s.filter = ecs.All(s.ids...)
	return s
}

// spawn creates an entity that update moves.
func (s *rollbackStep) spawn(number int, more ...ecs.ID) ecs.Entity {
	e := s.world.NewEntity(append(more, s.ids...)...)
	*(*rollbackPlace)(s.world.Get(e, s.ids[0])) = rollbackPlace{X: float32(number)}
	*(*rollbackPace)(s.world.Get(e, s.ids[1])) = rollbackPace{1, 2, float32(number % 10)}
	*(*rollbackBody)(s.world.Get(e, s.ids[2])) = rollbackBody{Number: uint32(number)}
	return e
}

// rollbackWork is how often update moves an entity in a tick, so that this takes about 20 ns.
const rollbackWork = 4

// update moves all entities by a tick.
func (s *rollbackStep) update(tick uint32) {
	s.changed = s.changed[:0]
	for q := s.world.Query(&s.filter); q.Next(); {
		place, pace := (*rollbackPlace)(q.Get(s.ids[0])), (*rollbackPace)(q.Get(s.ids[1]))
		body := (*rollbackBody)(q.Get(s.ids[2]))
		for range rollbackWork {
			x, y := pace.X, pace.Y
			pace.X, pace.Y = 0.6*x+0.8*y, 0.6*y-0.8*x
			place.X, place.Y, place.Z = place.X+pace.X*0.01, place.Y+pace.Y*0.01, place.Z+pace.Z*0.01
		}
		body.Spin += pace.X * 0.01
		if s.cfg.churn && (body.Number+tick)%rollbackPeriod == 0 {
			s.changed = append(s.changed, q.Entity())
		}
	}
	for _, e := range s.changed {
		if s.world.Has(e, s.haste[0]) {
			s.world.Exchange(e, nil, s.haste)
		} else {
			s.world.Exchange(e, s.haste, nil)
			(*rollbackHaste)(s.world.Get(e, s.haste[0])).Since = tick
		}
	}
}

// rollbackServer simulates the game and sends the results.
type rollbackServer struct {
	step      *rollbackStep
	collector *source.Collector
	peer      *sender.Peer
	entities  []ecs.Entity
	tick      entangle.Tick
	packet    uint16
	message   uint16
	buf       []byte
}

// rollbackGame is a server, a client that predicts all entities, and the packets between them.
type rollbackGame struct {
	cfg    rollbackConfig
	server rollbackServer
	err    error

	step       *rollbackStep
	world      *ecs.World
	time       *components.Time
	hub        *event.Hub
	schedule   *tick.Schedule
	receiver   *receiver.Receiver
	applier    *sink.Applier
	prediction *predict.Prediction
	rounds     uint64
}

func newRollbackGame(cfg rollbackConfig) (*rollbackGame, error) {
	if cfg.entities == 0 {
		cfg.entities = rollbackEntities
	}
	p, err := rollbackProtocol()
	if err != nil {
		return nil, err
	}
	g := &rollbackGame{cfg: cfg}
	if err := g.serve(p); err != nil {
		return nil, err
	}
	if err := g.predict(p); err != nil {
		return nil, err
	}
	for range g.ticks() + 1 {
		g.runTick()
		g.rollBack()
	}
	g.rounds = 0
	return g, g.err
}

// ticks returns how many ticks back a client can roll.
func (g *rollbackGame) ticks() int { return entangle.DefaultTickRate }

// serve creates the server and its entities.
func (g *rollbackGame) serve(p *protocol.Protocol) (err error) {
	w := ecs.NewWorld(g.cfg.entities)
	s := &g.server
	s.step = newRollbackStep(&w, g.cfg)
	s.collector, err = source.NewCollector(&w, registry.Of(p).Components, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	s.peer = s.collector.World.NewPeer()
	marker := ecs.ComponentID[components.Replicate](&w)
	for number := range g.cfg.entities {
		s.entities = append(s.entities, s.step.spawn(number, marker))
	}
	if err := s.collector.Observe(s.tick); err != nil {
		return err
	}
	for _, e := range s.entities {
		if g.cfg.none {
			break
		}
		slot, _ := s.collector.Slot(e)
		s.peer.Predict(slot, true)
	}
	return nil
}

// predict creates the client.
func (g *rollbackGame) predict(p *protocol.Protocol) (err error) {
	w := ecs.NewWorld(g.cfg.entities)
	g.schedule = systems.NewSchedule()
	g.world, g.time, g.hub = &w, &components.Time{Tick: rollbackDepth}, event.InstallHub(&w)
	ecs.AddResource(&w, g.time)
	g.step = newRollbackStep(&w, g.cfg)
	nobody := func(ecs.Entity) {}
	g.applier = sink.NewApplier(&w, g.hub, registry.Of(p).Components, nobody, nobody)
	g.receiver = receiver.New(g.applier, len(registry.Of(p).Components))
	g.prediction, err = predict.NewPrediction(predict.PredictionConfig{
		World: &w, Protocol: p, Applier: g.applier, Hub: g.hub, Time: g.time, MaxRollback: g.ticks(),
		Replayer: &input.Replayer{
			Schedule: g.schedule, Time: g.time, Hub: g.hub, Post: message.NewPost(p, false),
			Inputs: input.NewClientInputs(&w, g.hub, p),
		},
		Synced: func() bool { return true }, ConfirmedTick: func() (entangle.Tick, bool) { return g.server.tick, true },
		RemoveDespawned: g.applier.RemoveDespawned, OnResync: func(entangle.Tick) {},
	})
	g.schedule.Bind(tick.Stage(systems.TickUpdate), func() { g.time.Tick++ })
	g.schedule.Bind(tick.Stage(systems.SpawnHistory), g.prediction.FollowChildren)
	g.schedule.Bind(tick.Stage(systems.UpdateHistory), g.prediction.SaveTick)
	g.schedule.Add(tick.Stage(systems.Main), rollbackMain{g})
	g.schedule.Initialize(g.world)
	return err
}

// rollbackMain is the client's simulation, which runs the ticks of the game.
type rollbackMain struct{ g *rollbackGame }

func (rollbackMain) Initialize(*ecs.World) {}

func (s rollbackMain) Update(*ecs.World) { s.g.step.update(uint32(s.g.time.Tick)) }

func (rollbackMain) Finalize(*ecs.World) {}

func (g *rollbackGame) recordError(err error) {
	if g.err == nil {
		g.err = err
	}
}

// runTick runs a tick of the client, and one of the server with its update.
func (g *rollbackGame) runTick() {
	g.rounds++
	g.hub.BeginFrame(1)
	g.schedule.Frame(g.world, 1)
	s := &g.server
	s.tick++
	s.step.update(uint32(s.tick))
	pushed := s.entities[int(s.tick)*7%len(s.entities)]
	(*rollbackPace)(s.step.world.Get(pushed, s.step.ids[1])).Z += 0.25
	g.recordError(s.collector.Observe(s.tick))
	g.deliver()
}

// rollbackRoom is the greatest size of frames and messages, in bytes.
const rollbackRoom = 1 << 16

// deliver delivers all messages from the server.
func (g *rollbackGame) deliver() {
	s := &g.server
	for s.peer.ActionsDue() {
		s.buf = s.peer.AppendActions(s.buf[:0], rollbackRoom)
		s.peer.ActionsSent(s.message)
		g.recordError(g.receiver.HandleActions(s.buf))
		s.peer.HandleDelivered(s.message)
		s.message++
	}
	for {
		s.buf = s.peer.AppendUpdates(s.buf[:0], rollbackRoom, s.packet)
		if len(s.buf) == 0 {
			return
		}
		g.recordError(g.receiver.HandleUpdates(s.tick, s.buf))
		s.peer.HandleAcked(s.packet)
		s.packet++
	}
}

// rollBack runs the part of the client's frame that is measured.
func (g *rollbackGame) rollBack() {
	g.prediction.Check()
	g.prediction.Rollback()
}

// verify simulates the ticks by which the client is ahead, and compares the client with that state
// of the server.
func (g *rollbackGame) verify() error {
	if g.err != nil {
		return g.err
	}
	stats, n := g.prediction.Stats(), uint64(0)
	for _, count := range stats.Rollbacks {
		n += count
	}
	if n < g.rounds || stats.Deepest != rollbackDepth || stats.Ticks != n*rollbackDepth {
		return fmt.Errorf("in %d rounds there were other rollbacks: %+v", g.rounds, stats)
	}
	s := &g.server
	for range rollbackDepth {
		s.tick++
		s.step.update(uint32(s.tick))
	}
	ours, theirs := g.step.all(), s.step.all()
	if len(ours) != g.cfg.entities || len(theirs) != g.cfg.entities {
		return errors.New("there are other entities")
	}
	for number, want := range theirs {
		if ours[number] != want {
			return fmt.Errorf("entity %d is %+v, not %+v", number, ours[number], want)
		}
	}
	return nil
}

// rollbackState is the state of an entity on either side.
type rollbackState struct {
	place rollbackPlace
	pace  rollbackPace
	body  rollbackBody
	haste rollbackHaste
	hasty bool
}

// all returns the states of all entities by their numbers.
func (s *rollbackStep) all() map[uint32]rollbackState {
	all := map[uint32]rollbackState{}
	for q := s.world.Query(&s.filter); q.Next(); {
		state := rollbackState{
			place: *(*rollbackPlace)(q.Get(s.ids[0])), pace: *(*rollbackPace)(q.Get(s.ids[1])),
			body: *(*rollbackBody)(q.Get(s.ids[2])), hasty: q.Has(s.haste[0]),
		}
		if state.hasty {
			state.haste = *(*rollbackHaste)(q.Get(s.haste[0]))
		}
		all[state.body.Number] = state
	}
	return all
}
