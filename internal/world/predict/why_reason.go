package predict

// RollbackReason says what made a client compute ticks anew.
type RollbackReason uint8

// The reasons for rollbacks.
const (
	// ByMismatch: a predicted value is another than the server's.
	ByMismatch RollbackReason = iota
	// ByStructure: an entity has other components than the server's, or another target.
	ByStructure
	// BySpawn: the server has spawned an entity that this client predicts.
	BySpawn
	// ByDespawn: the server has despawned one.
	ByDespawn
	// ByResource: a resource is another than the server's.
	ByResource
	// ByInput: another player's input of a tick is another than what stood in for it.
	ByInput
	// ByRequest: the game asked for it.
	ByRequest

	// RollbackReasons is how many reasons there are.
	RollbackReasons
)

var rollbackReasons = [RollbackReasons + 1]string{
	ByMismatch: "mismatch", ByStructure: "structure", BySpawn: "spawn", ByDespawn: "despawn",
	ByResource: "resource", ByInput: "input", ByRequest: "request", RollbackReasons: "unknown reason",
}

// String returns the reason in a word.
func (r RollbackReason) String() string { return rollbackReasons[min(r, RollbackReasons)] }
