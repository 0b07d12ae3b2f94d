package main

import (
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/listener"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// observer is the way from an Arche world to a sender.
type observer interface {
	Observe(tick entangle.Tick) error
	World() *sender.World
	Slot(e ecs.Entity) (repl.Slot, bool)
}

// privatePublisher does what systems.Publisher does, for poses in groups that are
// seen only by whom they are shown to, and for worlds whose structure stays.
type privatePublisher struct {
	table *columns.Table
	world *sender.World
	plan  *protocol.Plan
	slots []repl.Slot
}

func newPrivatePublisher(w *ecs.World) (*privatePublisher, error) {
	plan, err := protocol.ComponentPlan[encodePose]()
	if err != nil {
		return nil, err
	}
	table, err := columns.New(w, ecs.ComponentID[components.Replicate](w), []columns.Column{
		{ID: ecs.ComponentID[encodePose](w), Size: encodePoseSize, Equal: plan.Equal},
	})
	if err != nil {
		return nil, err
	}
	dispatch := listener.NewDispatch(table.Listener())
	w.SetListener(&dispatch)
	p := &privatePublisher{table: table, plan: plan}
	p.world = sender.NewWorld(p, 1)
	return p, nil
}

// Observe implements observer.
func (p *privatePublisher) Observe(tick entangle.Tick) error {
	if err := p.table.Observe(tick); err != nil {
		return err
	}
	p.world.Begin(tick)
	for _, s := range p.table.Spawned() {
		p.world.SpawnAt(repl.Slot(s), repl.MaskOf(0), sender.Place{Private: true})
	}
	p.slots = p.slots[:0]
	for _, s := range p.table.Changed(0) {
		p.slots = append(p.slots, repl.Slot(s))
	}
	p.world.Change(0, p.slots)
	p.world.Commit()
	return nil
}

// World implements observer.
func (p *privatePublisher) World() *sender.World { return p.world }

// Slot implements observer.
func (p *privatePublisher) Slot(e ecs.Entity) (repl.Slot, bool) {
	s, ok := p.table.SlotOf(e)
	return repl.Slot(s), ok
}

// Encode implements sender.Source.
func (p *privatePublisher) Encode(w *bits.Writer, slot repl.Slot, _ int, _ *repl.RefTable) {
	p.plan.Encode(w, p.table.Value(columns.Slot(slot), 0), nil)
}
