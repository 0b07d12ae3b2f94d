package components

import "github.com/mlange-42/arche/ecs"

// Controlled is on the entities that this client's player drives: those whose
// ControlledBy names it, where that is registered in the protocol. The plugin sets it and
// takes it off in the step in which that comes or changes.
type Controlled struct{}

// Persistent keeps an entity on a client when its connection ends: it then is one of
// the game's own, as it was last, and what the next connection brings comes beside it.
// Put it on a replicated entity, on the client.
type Persistent struct{}

// NoReplicateChildren keeps the children of an entity from being replicated with it.
// Put it on the parent, on the server.
type NoReplicateChildren struct{}

// Predicted is on the entities that this client predicts: it computes them ahead of the
// server, and anew from what the server says where that is something else. The plugin sets
// it on a client of the entity's prediction target, see Replicate.Predict, in place of
// Remote, and takes it off; games only ask for it, in filters.
type Predicted struct{}

// NoRollback keeps a predicted entity out of rollbacks: it goes on as it is, whatever the
// server says of it, until the server despawns it. Put it on the entity, on the client.
// plugin.Confirmed tells what the server says.
type NoRollback struct{}

// ConfirmedOf is on a twin: an entity that a client keeps beside one that it predicts, to
// show the state that the server confirmed; see plugin.ClientConfig.ConfirmedTwins. It leads
// back to the entity that is predicted. The twin has components.Remote, too, and else what
// the server says and nothing more.
type ConfirmedOf struct{ Entity ecs.Entity }
