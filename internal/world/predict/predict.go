package predict

import (
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
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// PredictionConfig is what a prediction is made of.
type PredictionConfig struct {
	World    *ecs.World
	Protocol *protocol.Protocol
	Copy     *sink.Copy            // nil: for tests, which speak for it
	Shelf    *message.ResourceCopy // nil: no resource goes back
	Hub      *event.Hub
	Time     *components.Time
	Again    *input.Replayer
	Why      *Why // nil: nobody asks

	// MaxRollback is how many ticks a rollback reaches back at most: so many are kept.
	MaxRollback int
	// Newest has the newest of several ticks that are asked for decide, in place of the
	// oldest.
	Newest bool

	// Synced reports whether the ticks are those of the server.
	Synced func() bool
	// Frontier is the newest tick of which everything that is predicted is here, as the
	// server had it.
	Frontier func() (tick entangle.Tick, ok bool)
	// Bury takes an entity out of the world that the server has despawned.
	Bury func(e ecs.Entity)
	// OnResync is told when what the server said was taken over as the present.
	OnResync func(tick entangle.Tick)
}

// Prediction is how a client computes entities ahead of the server: what it computed is kept
// per tick, compared with what the server says when that comes, and computed anew from
// there where that is something else.
//
// A frame drives it by the stages of its order: Check and Rollback before the ticks, and
// Follow and EndTick in each of them, also in a replay.
type Prediction struct {
	cfg    PredictionConfig
	world  *ecs.World
	time   *components.Time
	writer *columns.Writer

	cols   []predictedColumn // by column of the table: the protocol's components, then its locals
	modes  predictedModes
	used   rollback.Mask // columns that are kept and that an entity has had
	signs  []ecs.ID      // what a predicted entity has in place of components.Remote
	table  *columns.Table
	memory *rollback.Store
	forms  []rollback.Form // by slot, as of the last settling
	shed   []shedding      // by slot

	at     entangle.Tick // whose end the world is at
	lost   bool          // the world is not what the histories lead to
	fresh  bool          // the server said something since the last Check
	upTo   entangle.Tick // the frontier of the last Check
	jumped bool          // the clock was set since the last Check
	ran    entangle.Tick // the newest one that was due, as of the last Check
	verdict

	arrived   []rollback.Slot // brought by the network since the last Check
	tracked   []rollback.Slot // since the last settling
	going     []leavingEntity
	vanished  []leavingEntity // despawned ahead of the server, and kept out of rollbacks
	due       []rollback.Slot // scratch
	adds      []ecs.ID        // scratch
	drops     []ecs.ID        // scratch
	reformed  []reformed      // scratch
	adopted   []rollback.Slot // scratch: what is the game's own of them is not in the histories
	replaying replaying
	before    before
	kids      kids
	spared    spared
	rounding  source.Rounding
	stock     stock

	stats       PredictionStats
	trace       func(rollback.Step) // for tests; nil: nobody asks
	onCorrected []func(*event.Correction)
	onAmended   []func()
}

// NewPrediction returns a prediction of what the copy brings into its world. The error says
// that the world has a listener of its own.
func NewPrediction(cfg PredictionConfig) (*Prediction, error) {
	w := cfg.World
	p := &Prediction{
		cfg: cfg, world: w, time: cfg.Time, writer: columns.NewWriter(w), at: cfg.Time.Tick, lost: true,
		signs: []ecs.ID{ecs.ComponentID[components.Predicted](w), ecs.ComponentID[rewound](w)},
	}
	table, err := columns.NewStructure(w, p.signs[1], p.describe(cfg.Protocol))
	if err != nil {
		return nil, err
	}
	p.table = table
	p.memory = rollback.New(p.remembers())
	p.rounding = source.NewRounding(registry.Of(cfg.Protocol).Components, func(number int) int { return number })
	p.kids = newKids(p, cfg.Protocol)
	p.spared.p, p.spared.never = p, ecs.ComponentID[components.NoRollback](w)
	p.stock = newStock(p, cfg.Shelf)
	if cfg.Copy != nil {
		cfg.Copy.PredictBy(p)
	}
	return p, tick.ShareListener(w, table.Listener(), kidListener{&p.kids})
}

// Table is by which slots the predicted entities are known; Settle brings it up to date.
func (p *Prediction) Table() *columns.Table { return p.table }

// Marker is the component by which those are known that go back in a rollback.
func (p *Prediction) Marker() ecs.ID { return p.signs[1] }

// Predicts reports whether an entity goes back in a rollback.
func (p *Prediction) Predicts(e ecs.Entity) bool {
	return p.world.Alive(e) && p.world.Has(e, p.signs[1])
}

// did tells of a step of a rollback.
func (p *Prediction) did(kind rollback.StepKind, tick entangle.Tick, slot rollback.Slot) {
	if p.trace != nil {
		p.trace(rollback.Step{Kind: kind, Tick: tick, Slot: slot})
	}
}

// present is the last finished tick, or the one at hand.
func (p *Prediction) present() entangle.Tick { return p.time.Tick }
