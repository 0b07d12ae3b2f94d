package source

import (
	"reflect"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// followOwners finds the column of components.ControlledBy, and adds one if that component is not
// sent.
func (p *Publisher) followOwners(described []columns.Column) []columns.Column {
	for i := range described {
		if described[i].ID == p.control {
			p.Owners = i
			return described
		}
	}
	p.Owners, p.Unsent = len(described), true
	size := int(reflect.TypeFor[components.ControlledBy]().Size())
	return append(described, columns.Column{ID: p.control, Size: size})
}

// ownerOf returns the client that an entity's ControlledBy names.
func (p *Publisher) ownerOf(s repl.Slot) entangle.ClientID {
	control := (*components.ControlledBy)(p.Arche.Get(p.Table.Entity(columns.Slot(s)), p.control))
	if control == nil {
		return entangle.Nobody
	}
	return control.Client
}
