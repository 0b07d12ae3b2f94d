package components

import "github.com/mlange-42/arche/ecs"

// ChildOf is the relation of a child to its parent, which is the relation's target. A
// child is replicated with its parent, in the same group, and ends with it. Register it
// like a component of the game's own,
//
//	protocol.Component[components.ChildOf](p)
//
// and make children with it:
//
//	parts := generic.NewMap2[Position, components.ChildOf](w, generic.T[components.ChildOf]())
//	part := parts.New(parent)
type ChildOf struct{ ecs.Relation }
