package source

import (
	"reflect"
	"slices"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire"
	"github.com/mlange-42/arche/ecs"
)

// sentComponents describes the registered components. The column of a component in the table has its
// number.
type sentComponents struct {
	Types    []reflect.Type // by component number
	Plans    []*wire.Plan   // by component number
	withRefs set.Mask       // components that can refer to entities
	Once     set.Mask       // value changes of these components are not sent

	relations set.Mask
	predicted set.Mask // components with Predict(protocol.Full), and blueprints

	interpolated int    // the number of components.Interpolated; -1: it is not registered
	prespawned   int    // the number of components.Prespawned; -1: it is not registered
	control      ecs.ID // components.ControlledBy
	Owners       int    // its column
	OwnersUnsent bool   // it is not registered: Owners is the last column, and no component number
}

// newSentComponents also returns the columns of the table.
func newSentComponents(w *ecs.World, infos []*registry.Component) (s sentComponents, described []columns.Column) {
	s.interpolated, s.prespawned, s.control = -1, -1, ecs.ComponentID[components.ControlledBy](w)
	for i, info := range infos {
		s.Types = append(s.Types, info.Type)
		s.Plans = append(s.Plans, info.Plan)
		if info.Plan.HasRefs() || info.Relation {
			s.withRefs.Set(i)
		}
		if info.Once {
			s.Once.Set(i)
		}
		if info.Relation {
			s.relations.Set(i)
		}
		if info.Predict == registry.Full {
			s.predicted.Set(i)
		}
		described = append(described, column(w, info))
		if info.Type == TypeOf[components.Interpolated]() {
			s.interpolated, described[i].Tag = i, true
		}
		if info.Type == TypeOf[components.Prespawned]() {
			s.prespawned = i
			s.Once.Set(i)
		}
	}
	return s, s.addOwners(described)
}

func column(w *ecs.World, info *registry.Component) columns.Column {
	col := columns.Column{ID: ecs.TypeID(w, info.Type), Size: info.Plan.Size(), Tag: info.Input}
	if !info.Plan.Exact() {
		col.Equal = info.Plan.Equal
	}
	if info.Plan.Ranged() {
		col.Equal = func(a, b []byte) bool { return equalInRange(info.Plan, a, b) }
	}
	return col
}

// equalInRange is Equal, but a number at the limit of its range differs from one outside. So a number that
// walks over its limit is encoded once more, which counts and logs it.
func equalInRange(plan *wire.Plan, a, b []byte) bool {
	return plan.Equal(a, b) && plan.Outside(a) == plan.Outside(b)
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

// Component returns the number of a registered component type.
func (s *sentComponents) Component(t reflect.Type) (comp int, ok bool) {
	comp = slices.Index(s.Types, t)
	return comp, comp >= 0
}

// Numbers turns a set of columns into a set of component numbers. components.Interpolated does not count:
// a host has it on the entities that its own player interpolates.
func (s *sentComponents) Numbers(cols set.Mask) set.Mask {
	if s.OwnersUnsent {
		cols.Clear(s.Owners)
	}
	if s.interpolated >= 0 {
		cols.Clear(s.interpolated)
	}
	return cols
}
