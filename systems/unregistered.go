package systems

import (
	"log/slog"
	"reflect"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/protocol"
)

// unregistered tells a developer, once for each type, of components on replicated
// entities that are not sent because nobody registered them. It is what is most
// often forgotten, and shows as nothing at all.
type unregistered struct {
	log   *slog.Logger
	known map[ecs.ID]bool
	seen  map[ecs.Mask]bool
}

func newUnregistered(w *ecs.World, infos []*protocol.ComponentInfo, log *slog.Logger) unregistered {
	u := unregistered{log: log, known: map[ecs.ID]bool{}, seen: map[ecs.Mask]bool{}}
	for _, info := range infos {
		u.known[ecs.TypeID(w, info.Type)] = true
	}
	return u
}

// look checks the components of an entity. Entities of one shape cost one look.
func (u *unregistered) look(w *ecs.World, e ecs.Entity) {
	mask := w.Mask(e)
	if u.seen[mask] {
		return
	}
	u.seen[mask] = true
	for _, id := range w.Ids(e) {
		if info, ok := ecs.ComponentInfo(w, id); ok && !u.known[id] && !isOurs(info.Type) {
			u.known[id] = true
			u.log.Warn("a component on a replicated entity is not sent, because it is not registered", "component", info.Type.String())
		}
	}
}

func isOurs(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[components.Replicate]().PkgPath()
}
