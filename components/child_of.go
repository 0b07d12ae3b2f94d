package components

import "github.com/mlange-42/arche/ecs"

// ChildOf is the relation of a child to its parent, which is the relation's target. A
// child is replicated with its parent, in the same group, and ends with it: when the
// parent is removed from the server's world, the plugin removes its children, and
// theirs, before it sends. Register it like a component of the game's own,
//
//	protocol.Component[components.ChildOf](p)
//
// and make children with it:
//
//	parts := generic.NewMap2[Position, components.ChildOf](w, generic.T[components.ChildOf]())
//	part := parts.New(parent)
//
// A child needs no Replicate. The plugin puts one on it when its parent has one, in the
// tick in which the child is made, and what is written there counts. A child that gets
// its own from the game, for a Target of its own, say, must get it before that or only
// be written to later. Whatever its Target, nobody sees a child who does not see its
// parent.
//
// On a client, filter by the target to find the children of an entity. A relation of the
// game's own is a hierarchy like this one by the option Hierarchy of package protocol.
type ChildOf struct{ ecs.Relation }
