package systems

import (
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/protocol"
)

// PredictionConfig is what a prediction is made of.
type PredictionConfig struct {
	World    *ecs.World
	Protocol *protocol.Protocol
	Copy     *Copy
	Time     *components.Time

	// MaxRollback is how many ticks a rollback reaches back at most: so many are kept.
	MaxRollback int
	// Newest has the newest of several ticks that are asked for decide, in place of the
	// oldest.
	Newest bool

	// Replay computes the ticks from..to anew, each with all stages of a tick but
	// BufferInputs.
	Replay func(from, to entangle.Tick)
	// Frontier is the newest tick of which everything that is predicted is here, as the
	// server had it.
	Frontier func() (tick entangle.Tick, ok bool)
}

// Prediction is how a client computes entities ahead of the server: what it computed is kept
// per tick, compared with what the server says when that comes, and computed anew from
// there where that is something else.
//
// A frame drives it by the stages of its order: Spawned, Check and Rollback before the
// ticks, EndTick at the end of each of them, also in a replay.
type Prediction struct {
	cfg   PredictionConfig
	world *ecs.World
	time  *components.Time
	table *columns.Table
	cols  []predictedColumn // by column of the table: the protocol's components, then its locals

	marker, tag ecs.ID // rewound, components.Predicted
}

// predictedColumn is one component that is predicted.
type predictedColumn struct {
	id   ecs.ID
	size int
	info *protocol.ComponentInfo // nil for a local component
}

// NewPrediction returns a prediction of what the copy brings into its world. The error says
// that the world has a listener of its own.
func NewPrediction(cfg PredictionConfig) (*Prediction, error) {
	p := &Prediction{
		cfg: cfg, world: cfg.World, time: cfg.Time,
		marker: ecs.ComponentID[rewound](cfg.World), tag: ecs.ComponentID[components.Predicted](cfg.World),
	}
	described := p.describe(cfg.Protocol)
	table, err := columns.New(cfg.World, p.marker, described)
	if err != nil {
		return nil, err
	}
	p.table = table
	return p, shareListener(cfg.World, table.Listener())
}

// describe numbers the columns.
func (p *Prediction) describe(of *protocol.Protocol) (described []columns.Column) {
	add := func(t reflect.Type, info *protocol.ComponentInfo) {
		c := predictedColumn{id: ecs.TypeID(p.world, t), size: int(t.Size()), info: info}
		p.cols = append(p.cols, c)
		described = append(described, columns.Column{ID: c.id, Size: c.size})
	}
	for _, info := range of.Components() {
		add(info.Type, info)
	}
	for _, local := range of.Locals() {
		add(local.Type, nil)
	}
	return described
}

// Table is by which slots the predicted entities are known; Settle brings it up to date.
func (p *Prediction) Table() *columns.Table { return p.table }

// Settle brings rows and slots up to date with the world.
func (p *Prediction) Settle() {
	if err := p.table.Sync(); err != nil {
		panic("plugin: the entities that are predicted can't be followed: " + err.Error())
	}
}

// Spawned begins to follow what has come since the last frame.
func (p *Prediction) Spawned() {}

// Check compares what the server confirmed with what was predicted, and decides whether to
// go back.
func (p *Prediction) Check() {}

// Rollback goes back, where Check has decided so, and computes every tick since anew.
func (p *Prediction) Rollback() {}

// EndTick keeps the state at the end of the tick at hand.
func (p *Prediction) EndTick() { p.Settle() }

// Jumped takes note that the clock was set.
func (p *Prediction) Jumped(from, to entangle.Tick) {}

// Request has the next frame go back to the end of a tick, and compute every tick since anew.
func (p *Prediction) Request(tick entangle.Tick) {}

// Predicts reports whether an entity goes back in a rollback.
func (p *Prediction) Predicts(e ecs.Entity) bool {
	return p.world.Alive(e) && p.world.Has(e, p.marker)
}
