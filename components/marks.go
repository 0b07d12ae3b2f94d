package components

import "github.com/mlange-42/arche/ecs"

// Controlled is on the entities that this client controls: those with a ControlledBy that names
// this client, if ControlledBy is registered in the protocol. The plugin adds and removes it in the
// same step in which ControlledBy arrives or changes.
type Controlled struct{}

// Persistent keeps an entity on a client when its connection ends: it then belongs to the game, with
// its last state, and the next connection creates another one. Add it to a replicated entity on the
// client.
type Persistent struct{}

// NoReplicateChildren keeps the children of an entity from being replicated with it: the hierarchy
// does nothing below that entity. A child with a Replicate of the game's own is independent, and only
// its own Target and Relevance decide which clients see it. Add it to the parent on the server.
type NoReplicateChildren struct{}

// Predicted is on the entities that this client predicts: it computes them ahead of the server, and
// again from the server's state if that differs. On a client in the entity's prediction target
// (Replicate.Predict), the plugin adds it in place of Remote, and removes it again; games only use
// it in filters.
type Predicted struct{}

// Interpolated is on the entities that this client shows in the past, between the values that have
// arrived (Replicate.Interpolate); they have Remote too. The plugin adds and removes it; games only
// use it in filters. Register it in the protocol: without it, no client interpolates anything.
type Interpolated struct {
	// SendEvery is the number of ticks from one update of the entity's group to the next.
	SendEvery uint32
	// Teleports is how often plugin.Teleport was called for the entity. It wraps around.
	Teleports uint8
}

// Prespawned is on an entity that a shared system spawns in plugin.FixedMain, on the server and on each
// client that predicts it, such as a bullet. It is there at once on the client, and becomes the
// server's entity when that arrives. Put it on the entity when it is spawned, on both sides, and
// register it like a component of the game:
//
//	protocol.Component[components.Prespawned](p)
//
// A components.Replicate on the client's entity has no effect, so that both sides can spawn with the
// same code. See docs/PREDICTION.md.
type Prespawned struct {
	// Salt tells apart entities that one owner spawns in one tick, if they may be spawned in different
	// orders on the two sides, such as the bullets of several guns: make it of the gun and the shot.
	// Entities with equal components and the same Salt count in the order in which they are spawned.
	Salt uint32 `net:"-"`
	// Hash is equal on both sides for the same entity. 0 means that the plugin computes it at the end
	// of FixedMain, from the components with protocol.Full, the tick, the owner and Salt. A Hash that
	// the game sets must not be used by another entity for a few seconds.
	Hash uint32
}

// NoRollback excludes a predicted entity from rollbacks: it keeps its state, whatever the server
// sends, until the server despawns it. Add it to the entity on the client. plugin.Confirmed returns
// the server's state.
type NoRollback struct{}

// ConfirmedOf is on a confirmed twin: a second entity on a client that shows the confirmed state of a
// predicted one; see plugin.ClientConfig.ConfirmedTwins. It refers to the predicted entity. The twin
// also has components.Remote and the components that the server sends, and no others.
type ConfirmedOf struct{ Entity ecs.Entity }
