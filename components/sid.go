package components

// SID is a shared id: a number by which the server and all clients call an entity the same.
// Register it, protocol.Component[components.SID](p), and put a zero one on an entity of the
// server's world: the plugin fills it in, before the next tick begins or when the tick at hand
// ends. A number is below zero and stays the entity's for its life; it is not given to another
// one before two thousand million others were. Numbers say nothing of how many entities there
// are, or of those that a client may not see.
//
// Entities in a world have another order on every side. Where the order of the simulation
// matters, as when bodies are pushed apart one pair after the other, sort by the ID. It is
// zero on what a client has made for itself.
type SID struct{ ID int32 }
