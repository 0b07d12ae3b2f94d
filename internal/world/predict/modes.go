package predict

import (
	"reflect"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// predictedColumn is one component that an entity may have which is predicted.
type predictedColumn struct {
	id     ecs.ID
	size   int
	cells  columns.Cells
	info   *registry.Component    // nil for a local component
	events *event.ComponentEvents // likewise
}

// predictedModes is which columns are followed how; see registry.SyncMode.
type predictedModes struct {
	full     rollback.Mask // kept, compared, and set right
	kept     rollback.Mask // those, and what is the game's own: kept and put back
	local    rollback.Mask // of those, the ones that no server hears of
	simple   rollback.Mask // the server's, as it comes
	inputs   rollback.Mask // of which only their being there is the server's
	relation rollback.Mask // that have a target
	never    int           // the column of components.NoRollback
}

// describe numbers the columns.
func (p *Prediction) describe(of *protocol.Protocol) (described []columns.Column) {
	add := func(t reflect.Type, info *registry.Component, tag bool) {
		id := ecs.TypeID(p.world, t)
		c := predictedColumn{id: id, size: int(t.Size()), info: info, cells: p.writer.Cells(id)}
		p.cols = append(p.cols, c)
		described = append(described, columns.Column{ID: id, Size: c.size, Tag: tag})
	}
	for col, info := range registry.Of(of).Components {
		add(info.Type, info, info.Input)
		p.modes.add(col, info)
		p.cols[col].events = p.cfg.Hub.AddComponent(info.Type)
	}
	for _, local := range registry.Of(of).Locals {
		p.modes.kept.Set(len(p.cols))
		p.modes.local.Set(len(p.cols))
		if info, _ := ecs.ComponentInfo(p.world, ecs.TypeID(p.world, local.Type)); info.IsRelation {
			p.modes.relation.Set(len(p.cols))
		}
		add(local.Type, nil, false)
	}
	p.modes.never = len(described)
	never := ecs.ComponentID[components.NoRollback](p.world)
	return append(described, columns.Column{ID: never, Tag: true})
}

// add takes in one component of the protocol.
func (m *predictedModes) add(col int, info *registry.Component) {
	if info.Relation {
		m.relation.Set(col)
	}
	switch {
	case info.Input:
		m.inputs.Set(col)
	case info.Type == source.TypeOf[components.ControlledBy](): // who controls an entity is nothing to predict
		m.simple.Set(col)
	case info.Predict == registry.Full:
		m.full.Set(col)
		m.kept.Set(col)
	case info.Predict == registry.Once:
		m.kept.Set(col)
	case info.Predict == registry.Simple:
		m.simple.Set(col)
	}
}

// own is what is the game's own once it is there.
func (m *predictedModes) own() rollback.Mask { return m.kept.Without(m.full) }

// remembers describes the columns to their memory.
func (p *Prediction) remembers() rollback.Config {
	sizes := make([]int, len(p.cols))
	for col := range p.cols {
		sizes[col] = p.cols[col].size
	}
	return rollback.Config{
		Ticks: p.cfg.MaxRollback + 1, Sizes: sizes,
		Kept: p.modes.kept, Compared: p.modes.full, Relations: p.modes.relation.And(p.modes.full),
		Targets: p.modes.relation.And(p.modes.kept), Equal: p.same,
		Gather: columns.Gather, Unlike: columns.Unlike,
	}
}

// same reports that a predicted value needs no correction.
func (p *Prediction) same(col int, predicted, confirmed []byte) bool {
	if info := p.cols[col].info; info.Same != nil {
		return info.Same(predicted, confirmed)
	}
	return p.equal(col, predicted, confirmed)
}

// equal reports that two values that differ in bytes do not differ.
func (p *Prediction) equal(col int, a, b []byte) bool {
	plan := p.cols[col].info.Plan
	return !plan.Exact() && plan.Equal(a, b)
}
