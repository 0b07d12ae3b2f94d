package systems

import "github.com/entangle-ecs/entangle/internal/world/tick"

// EntityUpdates and ComponentUpdates find what has changed in a server's world since the last frame
// that was sent. Not every frame sends: one may run no tick, and with SendEvery above 1 not every tick
// is sent. In the others Collector.Hold stops the sender, which reads values when it encodes them, and
// may read only those of a tick that is sent.
//
// Server: the entities of clients with an ended connection are removed first (docs/STATES.md,
// "Which clients get what"; row R18). Then EntityUpdates compares the world with what was sent last
// (columns.Table.Observe): which values changed, which is when their encoding on the wire differs
// (row R16), which entities with components.Replicate were despawned, paused, resumed and spawned,
// and which components they gained and lost. It reports all of that but the values to the sender (rows
// R1 to R15), and which client sees which entity, by targets, relevance, rooms and the grid (rows V1 to
// V15). ComponentUpdates reports the changed values, and then the resources (row R29).
//
// What has changed is due from here on. Packets decides how much of it is sent to each client, and
// when.
//
// Host: its player's view is updated with those of the clients, and becomes events of the next
// frame.

// observeEntities finds all changes, and reports those of structure and of visibility.
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

// observeValues makes changed values due, and keeps the values of the tick for lag compensation: those that
// are sent, if it is a tick that is sent.
func (s *Server) observeValues() {
	if s.sends() {
		s.Collector.ObserveValues(s.Time.Tick)
		s.Resources.Observe()
	}
	if s.Rewind != nil && s.ticks > 0 {
		if !s.sends() {
			s.syncRewind()
		}
		s.Rewind.Record(s.Time.Tick, s.sends())
	}
}
