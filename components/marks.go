package components

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
