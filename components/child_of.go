package components

import "github.com/mlange-42/arche/ecs"

// ChildOf is the relation of a child to its parent, which is the relation's target. A child is
// replicated with its parent, in the same group, and is removed with it: when the parent is removed
// from the server's world, the plugin removes its descendants before it sends. Register it like a
// component of the game,
//
//	protocol.Component[components.ChildOf](p)
//
// and create children with it:
//
//	parts := generic.NewMap2[Position, components.ChildOf](w, generic.T[components.ChildOf]())
//	part := parts.New(parent)
//
// A child needs no Replicate. The plugin adds one when its parent has one, in the tick in which the
// child is created, and the game may change its fields. A game that adds a Replicate itself, with a
// Target for example, must do so before that tick ends. Whatever its Target, a child is visible
// only to clients that see its parent. Below a parent with NoReplicateChildren the hierarchy does
// nothing: a child is replicated if the game adds a Replicate, which alone decides.
//
// A child that loses its parent, or gets one that is not replicated, is a group of its own again. If
// the plugin added its Replicate, no more clients see it: the targets of its former ancestors still
// apply, and the Relevance that it inherited, as last sent. That ends when the child has a replicated
// parent again, or when the game changes a field of its Replicate or replaces it: Target: Everyone
// shows it to all. A changed one is still the plugin's: a later parent's limits apply again. With a
// Replicate of the game's own, only that decides.
//
// On a client, filter by the relation's target to find the children of an entity. The option
// Hierarchy of package protocol turns a relation of the game into a hierarchy like this one.
type ChildOf struct{ ecs.Relation }
