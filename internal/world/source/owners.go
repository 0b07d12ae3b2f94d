package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// ownerOf returns the client that an entity's ControlledBy names.
func (c *Collector) ownerOf(s repl.Slot) entangle.ClientID {
	control := (*components.ControlledBy)(c.Arche.Get(c.Table.Entity(columns.Slot(s)), c.Sent.control))
	if control == nil {
		return entangle.Nobody
	}
	return control.Client
}
