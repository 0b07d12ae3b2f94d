package predict

// RollbackReason is the reason why a client replayed ticks.
type RollbackReason uint8

// The reasons for rollbacks.
const (
	// ByMismatch: a predicted value differs from the server's.
	ByMismatch RollbackReason = iota
	// ByStructure: an entity's components or target differ from the server's.
	ByStructure
	// BySpawn: the server has spawned an entity that this client predicts.
	BySpawn
	// ByDespawn: the server has despawned an entity that this client predicts.
	ByDespawn
	// ByResource: a resource differs from the server's.
	ByResource
	// ByInput: another player's input of a tick differs from the one that stood in for it.
	ByInput
	// ByRequest: the game asked for it.
	ByRequest
	// ByBlueprint: the tick of a blueprint has run before the blueprint was there.
	ByBlueprint

	// RollbackReasons is the number of reasons.
	RollbackReasons
)

var rollbackReasons = [RollbackReasons + 1]string{
	ByMismatch: "mismatch", ByStructure: "structure", BySpawn: "spawn", ByDespawn: "despawn",
	ByResource: "resource", ByInput: "input", ByRequest: "request", ByBlueprint: "blueprint", RollbackReasons: "unknown reason",
}

// String returns the reason in a word.
func (r RollbackReason) String() string { return rollbackReasons[min(r, RollbackReasons)] }
