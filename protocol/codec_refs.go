package protocol

import (
	"github.com/mlange-42/arche/ecs"
)

// RefWriter gathers the entities that a body refers to into a table, which its
// owner writes in front of the body.
type RefWriter interface {
	// Index returns the place of an entity in the table, adding it if need be.
	// 0 stands for the zero entity; places count from 1.
	Index(ecs.Entity) uint32
}

// RefReader is the table of entities that was read in front of a body.
type RefReader interface {
	// At returns the entity at a place, counting from 1, and false for a place
	// that the table does not have. An entity that is not known here is the
	// zero entity and true.
	At(index uint32) (ecs.Entity, bool)
}
