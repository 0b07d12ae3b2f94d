package source

import (
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/mlange-42/arche/ecs"
)

// EntityOf returns the entity of a slot, dead or alive.
func (p *Publisher) EntityOf(s repl.Slot) ecs.Entity { return p.Table.Entity(columns.Slot(s)) }
