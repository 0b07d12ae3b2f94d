package predict

import (
	"reflect"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/rollback"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/event"
	"github.com/entangle-ecs/entangle/internal/world/source"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// column is one component that predicted entities may have.
type column struct {
	id     ecs.ID
	size   int
	cells  columns.Cells
	info   *registry.Component    // nil for a local component
	events *event.ComponentEvents // nil for a local component
}

// memoryOf returns the memory of an entity's component. It is empty for a tag, and for an entity
// without the component.
func (c *column) memoryOf(e ecs.Entity) []byte {
	at := c.cells.At(e)
	if at == nil || c.size == 0 {
		return nil
	}
	return c.cells.Bytes(at)
}

// modes are sets of columns, by how they are predicted; see registry.SyncMode.
type modes struct {
	full     set.Mask // saved, compared and corrected
	kept     set.Mask // saved and restored: full columns, and those of components that only the game writes
	local    set.Mask // components that are not sent (protocol.Local)
	simple   set.Mask // written into the world as they arrive from the server
	inputs   set.Mask // inputs: the server decides only whether an entity has them
	relation set.Mask // relations, which have a target
	never    int      // the column of components.NoRollback
}

// own returns the columns that the server does not change after they were added.
func (m *modes) own() set.Mask { return m.kept.Without(m.full) }

// addComponent adds one component of the protocol.
func (m *modes) addComponent(col int, info *registry.Component) {
	if info.Relation {
		m.relation.Set(col)
	}
	switch {
	case info.Input:
		m.inputs.Set(col)
	case info.Type == source.TypeOf[components.ControlledBy](): // it is never predicted
		m.simple.Set(col)
	case info.Type == source.TypeOf[components.Interpolated](): // a predicted entity never has it
	case info.Type == source.TypeOf[components.Prespawned](): // as with Once
		m.kept.Set(col)
	case info.Predict == registry.Full:
		m.full.Set(col)
		m.kept.Set(col)
	case info.Predict == registry.Once:
		m.kept.Set(col)
	case info.Predict == registry.Simple:
		m.simple.Set(col)
	}
}

// describe creates the columns, and returns their description for the table.
func (t *entities) describe(of *protocol.Protocol, hub *event.Hub) (described []columns.Column) {
	add := func(typ reflect.Type, info *registry.Component, tag bool) {
		id := ecs.TypeID(t.world, typ)
		c := column{id: id, size: int(typ.Size()), info: info, cells: t.writer.Cells(id)}
		t.cols = append(t.cols, c)
		described = append(described, columns.Column{ID: id, Size: c.size, Tag: tag})
	}
	for col, info := range registry.Of(of).Components {
		add(info.Type, info, info.Input)
		t.modes.addComponent(col, info)
		t.cols[col].events = hub.AddComponent(info.Type)
	}
	for _, local := range registry.Of(of).Locals {
		t.modes.kept.Set(len(t.cols))
		t.modes.local.Set(len(t.cols))
		if info, _ := ecs.ComponentInfo(t.world, ecs.TypeID(t.world, local.Type)); info.IsRelation {
			t.modes.relation.Set(len(t.cols))
		}
		add(local.Type, nil, false)
	}
	t.modes.never = len(described)
	never := ecs.ComponentID[components.NoRollback](t.world)
	return append(described, columns.Column{ID: never, Tag: true})
}

// remembers returns the configuration of the histories, with a description of the columns.
func (t *entities) remembers(maxRollback int) rollback.Config {
	sizes := make([]int, len(t.cols))
	for col := range t.cols {
		sizes[col] = t.cols[col].size
	}
	return rollback.Config{
		Ticks: maxRollback + 1, Sizes: sizes,
		Kept: t.modes.kept, Compared: t.modes.full, Relations: t.modes.relation.And(t.modes.full),
		Targets: t.modes.relation.And(t.modes.kept), Equal: t.same,
		Gather: columns.Gather, Unlike: columns.Unlike,
	}
}

// same reports whether a predicted value is near enough to the confirmed one.
func (t *entities) same(col int, predicted, confirmed []byte) bool {
	if info := t.cols[col].info; info.Same != nil {
		return info.Same(predicted, confirmed)
	}
	return t.equal(col, predicted, confirmed)
}

// equal reports whether two values with different bytes have the same wire encoding.
func (t *entities) equal(col int, a, b []byte) bool {
	plan := t.cols[col].info.Plan
	return !plan.Exact() && plan.Equal(a, b)
}
