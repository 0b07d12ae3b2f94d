package components

import "github.com/mlange-42/arche/ecs"

// IntentOf is on an entity that an input has fired ahead of its tick (protocol.Intent), until it is
// assembled: a relation to its shooter, the entity with the input. Up to then it is a child of the
// shooter, so that the clients that see the shooter see it, too. The plugin adds and removes it, and
// protocol.Intent registers it; games only use it in filters.
type IntentOf struct{ ecs.Relation }
