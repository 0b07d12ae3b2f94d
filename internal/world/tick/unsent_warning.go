package tick

import (
	"log/slog"

	"github.com/entangle-ecs/entangle/components"
	"github.com/mlange-42/arche/ecs"
)

// UnsentWarning warns a developer, once, that an entity in a client's world has
// components.Replicate. The entity is not sent, because only servers replicate entities, and
// without the warning nothing would show that. An entity with components.Prespawned may have one:
// it becomes the server's entity. Until a rollback has run its tick again, it has components.Predicted alone.
type UnsentWarning struct {
	world  *ecs.World
	filter ecs.MaskFilter
	log    *slog.Logger // nil: the warning has been logged
}

// NewUnsentWarning returns a warning about the entities of a world.
func NewUnsentWarning(w *ecs.World, log *slog.Logger) *UnsentWarning {
	replicate, prespawned, predicted := ecs.ComponentID[components.Replicate](w), ecs.ComponentID[components.Prespawned](w), ecs.ComponentID[components.Predicted](w)
	return &UnsentWarning{world: w, filter: ecs.All(replicate).Without(prespawned, predicted), log: log}
}

// Check logs the warning if there is such an entity and the warning has not been logged yet.
func (u *UnsentWarning) Check() {
	if u.log == nil {
		return
	}
	q := u.world.Query(&u.filter)
	if !q.Next() {
		return
	}
	u.log.Warn("an entity of a client has components.Replicate, which is the server's to put on: nothing of it is sent; "+
		"send an input or a message, and have the server make the entity", "entity", q.Entity())
	u.log = nil
	q.Close()
}
