package systems

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/world/tick"
)

// Stage is one place in the order of a frame. A plugin.Set, to which games add systems, is one of
// these stages. The names of the other stages appear in logs and panics.
type Stage uint8

// The stages of a frame, in the order in which they run. A frame runs each once, except the
// stages of a tick, TickUpdate to UpdateHistory: they run as a block, once for every
// tick of the frame, so not at all in some frames and several times in others.
//
// In stages without work of the engine only the game's systems run, if any.
const (
	// Restore puts the true values back, if the last frame ended with values for the screen.
	Restore Stage = iota

	// Receive reads every datagram that has arrived and applies what it carries:
	// connections, messages, entities and components. The events of the last frame are
	// dropped before.
	Receive

	// Interpolate shows a client's interpolated entities as of the times of their timelines:
	// they appear, change and end there, and move between the values that have arrived. Entities with
	// components.Remote and a blueprint are assembled then.
	Interpolate

	// AfterReceive is where a game reads what has arrived, before any tick runs.
	AfterReceive

	// CheckRollback compares the confirmed state with what the client predicted, and decides to
	// which tick the client has to roll back, if to any.
	CheckRollback

	// Rollback restores the tick that CheckRollback has chosen, and replays every tick since. A
	// replay runs the stages from TickUpdate to UpdateHistory, without FixedInput.
	Rollback

	// TickUpdate increments the tick. From here to the end of the tick components.Time
	// holds the tick that is being simulated.
	TickUpdate

	// FixedInput is where a game writes the inputs of its player for this tick.
	FixedInput

	// WriteInputs stores what the game wrote, and sets every input component to the input
	// that acts in this tick.
	WriteInputs

	// Assemble adds to entities with a blueprint for this tick the components that are made from it.
	Assemble

	// Main is the game's simulation: it takes the world from tick T-1 to T.
	Main

	// ClearInputs sets the input components of this machine's own player to the input that the
	// player wrote last, without its events.
	ClearInputs

	// SetPrespawnedHash gives the entities that the simulation has spawned with components.Prespawned
	// their hashes. On a client they roll back from then on.
	SetPrespawnedHash

	// Round rounds components with protocol.Full to values that the wire can represent.
	Round

	// SpawnHistory looks at the entities that the tick has spawned. On a client, children that
	// the game attached to predicted entities roll back with them from then on. On a server,
	// the entities get shared ids. Blueprints without a tick get the next one.
	SpawnHistory

	// UpdateHistory saves the state at the end of the tick.
	UpdateHistory

	// BeforeSend is where a game decides what others may see. From here to Packets no other
	// system of the game runs.
	BeforeSend

	// EntityUpdates finds which entities appeared and vanished, which components they
	// gained and lost, and which client sees them.
	EntityUpdates

	// ComponentUpdates makes the values that changed due for the clients that see them.
	ComponentUpdates

	// Packets fills, seals and sends the packets of every connection.
	Packets

	// Sync adjusts a client's clock by the measurements in the server's packets.
	Sync

	// Visual replaces true values by values for the screen.
	Visual

	// AfterSend is the end of the frame, for systems that look at the finished world:
	// drawing, recording, statistics.
	AfterSend

	stageCount
)

var names = [stageCount]string{
	Restore:           "Restore",
	Receive:           "Receive",
	Interpolate:       "Interpolate",
	AfterReceive:      "AfterReceive",
	CheckRollback:     "Prediction.CheckRollback",
	Rollback:          "Prediction.Rollback",
	TickUpdate:        "FixedUpdate.TickUpdate",
	FixedInput:        "FixedInput",
	WriteInputs:       "FixedUpdate.WriteInputEvent",
	Assemble:          "FixedUpdate.Assemble",
	Main:              "FixedMain",
	ClearInputs:       "FixedUpdate.ClearInputEvent",
	SetPrespawnedHash: "FixedUpdate.SetPreSpawnedHash",
	Round:             "FixedUpdate.Round",
	SpawnHistory:      "FixedUpdate.SpawnHistory",
	UpdateHistory:     "FixedUpdate.UpdateHistory",
	BeforeSend:        "BeforeSend",
	EntityUpdates:     "Send.EntityUpdates",
	ComponentUpdates:  "Send.ComponentUpdates",
	Packets:           "Send.Packets",
	Sync:              "Sync",
	Visual:            "Visual",
	AfterSend:         "AfterSend",
}

// String returns the name of the stage. A stage to which games add systems has the name of its
// plugin.Set. The name of any other stage begins with its block, as in FixedUpdate.Round.
func (s Stage) String() string {
	if s >= stageCount {
		return fmt.Sprintf("Stage(%d)", uint8(s))
	}
	return names[s]
}

// NewSchedule returns a schedule that runs the stages of a frame in their order.
func NewSchedule() *tick.Schedule {
	return tick.NewSchedule(tick.Order{
		Names:      names[:],
		Predicting: tick.Stage(CheckRollback),
		Simulating: tick.Stage(TickUpdate),
		Sending:    tick.Stage(BeforeSend),
		Showing:    tick.Stage(Visual),
		FixedInput: tick.Stage(FixedInput),
		Main:       tick.Stage(Main),
	})
}
