package predict

import (
	"log/slog"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/entangle-ecs/entangle/internal/world/message"
	"github.com/entangle-ecs/entangle/internal/world/sink"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/internal/world/tick"
	"github.com/entangle-ecs/entangle/prespawn"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// PredictionConfig configures a Prediction.
type PredictionConfig struct {
	World     *ecs.World
	Protocol  *protocol.Protocol
	Applier   *sink.Applier         // nil: tests deliver the confirmed state themselves
	Resources *message.ResourceCopy // nil: no resource rolls back
	Hub       *event.Hub
	Time      *components.Time
	Replayer  *input.Replayer
	Why       *Why // nil: no reports
	Log       *slog.Logger

	// MaxRollback is the largest number of ticks of a rollback. Histories hold that many ticks.
	MaxRollback int
	// Newest makes a rollback go to the newest of several mispredicted ticks, instead of the oldest.
	Newest bool

	// Connected reports whether there is a connection.
	Connected func() bool
	// Synced reports whether the clock is set to the server's ticks.
	Synced func() bool
	// ConfirmedTick returns the newest tick of which all confirmed state has arrived.
	ConfirmedTick func() (tick entangle.Tick, ok bool)
	// InterpolatedTick returns the tick at which the client shows interpolated entities, or would if it
	// had some.
	InterpolatedTick func() entangle.Tick
	// ShownTick returns the tick at which the client shows interpolated entities with a send interval. nil: it is the
	// InterpolatedTick.
	ShownTick func(sendEvery int) entangle.Tick
	// RemoveDespawned removes an entity from the world that the server has despawned.
	RemoveDespawned func(e ecs.Entity)
	// OnResync is called when confirmed state was taken over as the present.
	OnResync func(tick entangle.Tick)
}

// Prediction keeps a client's predicted entities ahead of the server. It saves them at the
// end of every tick, compares that with the confirmed state when it arrives, and corrects what
// was mispredicted by a rollback and a replay.
//
// A frame drives it by its stages: Check and Rollback before the ticks, and FollowChildren, Round
// and SaveTick in each tick, also in a replay.
type Prediction struct {
	cfg PredictionConfig

	progress    progress
	entities    entities
	shaper      shaper
	children    children
	lifecycle   lifecycle
	excluded    excluded
	prespawned  prespawned
	blueprints  blueprints
	resources   resources
	decision    decision
	corrections corrections
	rounding    source.Rounding

	plan   []rollback.Step // the plan of the last Check
	inTick bool            // Rollback runs a tick
	due    []rollback.Slot // scratch

	stats     PredictionStats
	trace     func(rollback.StepKind, entangle.Tick, rollback.Slot) // traces steps for tests; it may be nil
	onAmended []func()
}

// NewPrediction returns a prediction of the entities that the applier predicts in its world. The
// error says that the world has a listener of its own.
func NewPrediction(cfg PredictionConfig) (*Prediction, error) {
	w := cfg.World
	p := &Prediction{
		cfg: cfg,
		progress: progress{
			time: cfg.Time, maxRollback: cfg.MaxRollback, synced: cfg.Synced, newestConfirmed: cfg.ConfirmedTick, worldTick: cfg.Time.Tick, lost: true,
		},
		decision: decision{newest: cfg.Newest},
		plan:     make([]rollback.Step, 0, rollback.PlanLimit(cfg.MaxRollback)),
	}
	if err := p.entities.init(&cfg, &p.progress); err != nil {
		return nil, err
	}
	p.shaper.entities = &p.entities
	p.children.init(&p.entities, cfg.Protocol)
	p.lifecycle = lifecycle{shaper: &p.shaper, children: &p.children, removeDespawned: cfg.RemoveDespawned}
	p.excluded = excluded{lifecycle: &p.lifecycle}
	spawns, err := source.NewPrespawns(w, registry.Of(cfg.Protocol).Components, cfg.Log, p.entities.marker(), p.children.remote)
	if err != nil {
		return nil, err
	}
	p.prespawned.init(&p.lifecycle, &cfg, spawns)
	p.blueprints.init(&p.lifecycle, &cfg, source.NewBlueprints(w, registry.Of(cfg.Protocol)))
	p.resources.init(p, cfg.Resources)
	p.corrections = corrections{entities: &p.entities, stats: &p.stats}
	p.rounding = source.NewRounding(registry.Of(cfg.Protocol).Components)
	if cfg.Applier != nil {
		cfg.Applier.PredictBy(p)
	}
	return p, tick.ShareListener(w, p.entities.table.Listener(), childListener{&p.children})
}

// Table is the table of the predicted entities. CommitStructure updates it.
func (p *Prediction) Table() *columns.Table { return p.entities.table }

// CommitStructure updates the slots of predicted entities, within a tick.
func (p *Prediction) CommitStructure() { p.entities.commitStructure(ticked) }

// Marker is the component of entities that roll back.
func (p *Prediction) Marker() ecs.ID { return p.entities.marker() }

// Predicts reports whether an entity rolls back.
func (p *Prediction) Predicts(e ecs.Entity) bool { return p.entities.predicts(e) }

// Stats returns the counters.
func (p *Prediction) Stats() PredictionStats { return p.stats }

// OnAmended adds a function that is called when confirmed state was written over the present: without
// a replay, or after the ticks of a restart.
func (p *Prediction) OnAmended(f func()) { p.onAmended = append(p.onAmended, f) }

// BeginMain begins the game's simulation of a tick. EndMain ends it: entities that it has spawned with
// components.Prespawned roll back from then on, and wait for the server's.
func (p *Prediction) BeginMain() { p.prespawned.begin() }

// EndMain is described at BeginMain.
func (p *Prediction) EndMain() { p.prespawned.end() }

// Prespawned returns the counters of prespawned entities.
func (p *Prediction) Prespawned() prespawn.Stats { return p.prespawned.matcher.Stats() }

// FollowChildren makes entities that became children of predicted ones in this tick roll back with
// them.
func (p *Prediction) FollowChildren() { p.children.followNew() }

// Rounds reports whether there are components to round.
func (p *Prediction) Rounds() bool { return p.rounding.Any() }

// Round rounds predicted components to values that the wire can represent. New children are followed
// first: after commitStructure they would count as if they had existed before the tick.
func (p *Prediction) Round() {
	p.FollowChildren()
	p.CommitStructure()
	p.rounding.Round(p.entities.table)
}

// Despawn despawns a predicted entity ahead of the server, with the children that the game spawned. It
// returns false for an entity that is neither predicted nor prespawned.
func (p *Prediction) Despawn(e ecs.Entity) bool {
	if !p.Predicts(e) {
		return p.prespawned.despawn(e)
	}
	p.entities.grow()
	p.lifecycle.despawn(e, e)
	return true
}

// Jumped notes that the clock was set, and from which tick, before anything of the frame runs. If it
// was set forward, this frame's Rollback runs the skipped ticks with repeated inputs, as the server
// does. If it was set back, Rollback restores the world to the new tick.
func (p *Prediction) Jumped(from entangle.Tick) {
	if !p.progress.jumped {
		p.progress.jumped, p.progress.ran = true, from
	}
}

// did traces a step for tests.
func (p *Prediction) did(kind rollback.StepKind, tick entangle.Tick, slot rollback.Slot) {
	if p.trace != nil {
		p.trace(kind, tick, slot)
	}
}
