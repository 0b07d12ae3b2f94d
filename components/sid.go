package components

// SID is a shared id: a number that identifies an entity on the server and all clients. Register it,
// protocol.Component[components.SID](p), and add a zero one to an entity of the server's world: the
// plugin sets it at the latest at the end of the current tick. It is negative and stays the same for
// the life of the entity; it is reused only after two thousand million others. The numbers do not
// reveal how many entities there are, nor those that a client may not see.
//
// The order of entities in a world differs on every side. Where the order of the simulation matters,
// as when bodies are separated pair by pair, sort by the ID. It is zero on entities that a client has
// created itself.
type SID struct{ ID int32 }
