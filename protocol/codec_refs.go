package protocol

import (
	"github.com/mlange-42/arche/ecs"
)

// RefWriter gathers the entities that a body refers to into a table, which is written before the
// body.
type RefWriter interface {
	// Index returns the place of an entity in the table, and adds the entity if necessary. 0 stands
	// for the zero entity. Places count from 1.
	Index(ecs.Entity) uint32
}

// RefReader is the table of entities that was read before a body.
type RefReader interface {
	// At returns the entity at a place, counted from 1. It returns false for a place that the table
	// does not have. It returns the zero entity and true for an entity that does not exist here.
	At(index uint32) (ecs.Entity, bool)
}
