package source

import (
	"reflect"
	"slices"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/mlange-42/arche/ecs"
)

// sentComponents describes the registered components: which of them this side sends, and in which
// column of the table their values are.
type sentComponents struct {
	Types    []reflect.Type // by component number
	Plans    []*wire.Plan   // by component number; nil: this side does not send it
	cols     []int          // by component number, its column; -1: not sent
	Comps    []int          // by column, its component number
	withRefs repl.Mask      // components that can refer to entities
	Once     repl.Mask      // value changes of these components are not sent

	relations columns.Mask
	predicted columns.Mask // components with Predict(protocol.Full)

	control      ecs.ID // components.ControlledBy
	Owners       int    // its column
	OwnersUnsent bool   // Owners is not sent: it is the last column and has no component number
}

// newSentComponents also returns the columns of the table.
func newSentComponents(w *ecs.World, infos []*registry.Component, sends func(registry.Direction) bool) (s sentComponents, described []columns.Column) {
	s.Plans, s.cols = make([]*wire.Plan, len(infos)), make([]int, len(infos))
	s.control = ecs.ComponentID[components.ControlledBy](w)
	for i, info := range infos {
		s.Types = append(s.Types, info.Type)
		s.cols[i] = -1
		if !sends(info.Direction) {
			continue
		}
		s.Plans[i], s.cols[i] = info.Plan, len(described)
		s.Comps = append(s.Comps, i)
		if info.Plan.HasRefs() || info.Relation {
			s.withRefs.Set(i)
		}
		if info.Once {
			s.Once.Set(i)
		}
		if info.Relation {
			s.relations.Set(len(described))
		}
		if info.Predict == registry.Full {
			s.predicted.Set(len(described))
		}
		described = append(described, column(w, info))
	}
	return s, s.addOwners(described)
}

func column(w *ecs.World, info *registry.Component) columns.Column {
	col := columns.Column{ID: ecs.TypeID(w, info.Type), Size: info.Plan.Size(), Tag: info.Input}
	if !info.Plan.Exact() {
		col.Equal = info.Plan.Equal
	}
	return col
}

// addOwners finds the column of components.ControlledBy, and adds one if that component is not
// sent.
func (s *sentComponents) addOwners(described []columns.Column) []columns.Column {
	for i := range described {
		if described[i].ID == s.control {
			s.Owners = i
			return described
		}
	}
	s.Owners, s.OwnersUnsent = len(described), true
	size := int(reflect.TypeFor[components.ControlledBy]().Size())
	return append(described, columns.Column{ID: s.control, Size: size})
}

// Component returns the number of a component type that this side sends.
func (s *sentComponents) Component(t reflect.Type) (comp int, ok bool) {
	comp = slices.Index(s.Types, t)
	return comp, comp >= 0 && s.Plans[comp] != nil
}

// Numbers turns a set of columns into a set of component numbers. They differ only if some
// components are not sent.
func (s *sentComponents) Numbers(cols columns.Mask) repl.Mask {
	if s.OwnersUnsent {
		cols.Clear(s.Owners)
	}
	if len(s.Comps) == len(s.cols) {
		return repl.Mask(cols)
	}
	var m repl.Mask
	for c := cols.Next(0); c >= 0; c = cols.Next(c + 1) {
		m.Set(s.Comps[c])
	}
	return m
}
