package systems

import "github.com/entangle-ecs/entangle/internal/world/tick"

// EntityUpdates and ComponentUpdates find what has changed in a server's world since the last frame
// that was sent. In other frames Collector.Hold makes the sender wait, because the world is between
// two ticks.
//
// Server: the entities of clients with an ended connection are removed first (docs/STATES.md,
// "Which clients get what"; row R18). Then the collector finds, in this order, which entities with
// components.Replicate were despawned, paused, resumed and spawned, and which components they
// gained and lost (rows R1 to R15); and in between which client sees which of them, by targets,
// relevance, rooms and the grid (docs/STATES.md, "Which clients get what"; rows V1 to V15). Then it
// compares values: a value has changed if its encoding on the wire differs (row R16). Resources
// come last (row R29).
//
// What has changed is due from here on. Packets decides how much of it is sent to each client, and
// when.
//
// Host: its player's view is updated with those of the clients, and becomes events of the next
// frame.

// observeEntities finds changes of structure and of visibility.
func (s *Server) observeEntities() {
	if s.ticks > 0 && !s.World.IsLocked() { // a locked world is reported by the collector
		s.Owned.Clear(s.Engine.Connected)
	}
	if !s.sends() {
		s.Collector.Hold()
		return
	}
	if s.Schedule.Has(tick.Stage(BeforeSend)) {
		s.roundValues() // systems in BeforeSend may have written values that are not rounded
	}
	if err := s.Collector.ObserveEntities(s.Time.Tick); err != nil {
		panic("plugin: " + err.Error())
	}
}

// observeValues makes changed values due.
func (s *Server) observeValues() {
	if s.sends() {
		s.Collector.ObserveValues(s.Time.Tick)
		s.Resources.Observe()
	}
}
