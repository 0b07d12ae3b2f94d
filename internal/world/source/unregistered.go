package source

import (
	"log/slog"
	"reflect"

	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/registry"
	"github.com/entangle-ecs/entangle/protocol"
	"github.com/mlange-42/arche/ecs"
)

// unregistered warns a developer, once for each type, of components on replicated entities that
// are not sent because they were not registered. That is the most frequent mistake, and it has no
// other symptom.
type unregistered struct {
	log    *slog.Logger
	known  map[ecs.ID]bool
	unsent map[ecs.ID]bool // not sent on purpose
	seen   map[ecs.Mask]bool
}

func newUnregistered(w *ecs.World, infos []*registry.Component, log *slog.Logger) unregistered {
	u := unregistered{log: log, known: map[ecs.ID]bool{}, unsent: map[ecs.ID]bool{}, seen: map[ecs.Mask]bool{}}
	for _, info := range infos {
		u.known[ecs.TypeID(w, info.Type)] = true
	}
	return u
}

// MeanUnsent records the components that the game registered as not sent.
func (c *Collector) MeanUnsent(of *protocol.Protocol) {
	mean := func(t reflect.Type) { c.unregistered.unsent[ecs.TypeID(c.Arche, t)] = true }
	for _, t := range registry.Of(of).Unsent {
		mean(t)
	}
	for _, local := range registry.Of(of).Locals {
		mean(local.Type)
	}
}

// checkEntity checks the components of an entity. Each combination of components is checked once.
func (u *unregistered) checkEntity(w *ecs.World, e ecs.Entity) {
	mask := w.Mask(e)
	if u.seen[mask] {
		return
	}
	u.seen[mask] = true
	for _, id := range w.Ids(e) {
		if info, ok := ecs.ComponentInfo(w, id); ok && !u.known[id] && !isOurs(info.Type) {
			u.known[id] = true
			u.warn(info.Type.String(), u.unsent[id])
		}
	}
}

func (u *unregistered) warn(component string, meant bool) {
	if meant {
		u.log.Debug("a component on a replicated entity is not sent, as its registration says", "component", component)
		return
	}
	u.log.Warn("a component on a replicated entity is not sent, because it is not registered; "+
		"register it with protocol.Component, or with protocol.Unsent if it stays here on purpose", "component", component)
}

func isOurs(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[components.Replicate]().PkgPath()
}
