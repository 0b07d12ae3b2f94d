package tick

import (
	"log/slog"

	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
)

// Stray tells a developer, once, of entities with components.Replicate in a client's world:
// what a client makes is not sent to the server, which shows as nothing at all.
type Stray struct {
	world  *ecs.World
	filter ecs.Filter
	log    *slog.Logger // nil: it was told
}

// NewStray returns what looks for them in a world.
func NewStray(w *ecs.World, log *slog.Logger) *Stray {
	return &Stray{world: w, filter: ecs.All(ecs.ComponentID[components.Replicate](w)), log: log}
}

// Look looks once.
func (s *Stray) Look() {
	if s.log == nil {
		return
	}
	q := s.world.Query(s.filter)
	if !q.Next() {
		return
	}
	s.log.Warn("an entity of a client has components.Replicate, which is the server's to put on: nothing of it is sent; "+
		"send an input or a message, and have the server make the entity", "entity", q.Entity())
	s.log = nil
	q.Close()
}
