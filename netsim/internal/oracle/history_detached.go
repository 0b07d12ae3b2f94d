package oracle

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// countDetached counts what happened to an entity since the last tick, if it has former ancestors
// that limit it, or had.
func (h *history) countDetached(now *worldTick, v *version, clients []entangle.ClientID) {
	if v.state.Paused {
		return
	}
	last := h.lastVersion(v.state.Entity)
	limited := func(all []terms) bool { return slices.ContainsFunc(all, func(t terms) bool { return !t.isPublic() }) }
	is := v.parent.IsZero() && limited(v.ancestors)
	switch was := last != nil && last.parent.IsZero() && limited(last.ancestors); {
	case last == nil:
	case is && (last.state.Paused || !was):
		h.detached[now.detachedBy(v, last)]++
	case was && !last.state.Paused && !v.parent.IsZero():
		h.detached["detached, then a child again"]++
	case was && !last.state.Paused && !is:
		h.detached["detached, then changed by the game"]++
	case v.state.Added && v.parent.IsZero() && !is && !last.parent.IsZero() && limited(now.lastAncestors(last)):
		h.detached["detached and changed by the game at once"]++
	}
	inRoom := is && slices.ContainsFunc(v.ancestors, func(t terms) bool { _, ok := t.target.Room(); return ok })
	for _, client := range clients {
		if inRoom && limited(last.ancestors) && !last.state.Paused && last.views[client].sees != v.views[client].sees {
			h.detached["shown or hidden by the room of a former ancestor"]++
		}
		excludes := func(t terms) bool { return !now.visibility.includes(&t, t.target, client) }
		switch parent := now.versions[now.visibility.excludingParentOf(v.state.Entity)]; {
		case is && !excludes(v.terms) && slices.ContainsFunc(v.ancestors, excludes):
			h.detached["hidden by the target of a former ancestor"]++
		case !is && !excludes(v.terms) && slices.ContainsFunc(now.top(v).ancestors, excludes):
			h.detached["hidden with a detached parent"]++
		case parent != nil && !v.state.Added && v.views[client].sees && excludes(parent.terms):
			h.detached["seen without the parent that excludes it"]++
		}
	}
	if is && v.relevance != components.Always && v.replicate.Relevance == components.Always {
		h.detached["relevance of a former ancestor"]++
	}
}

// detachedBy describes how a child lost its parent.
func (w *worldTick) detachedBy(v, last *version) string {
	parent, related := w.visibility.relationOf(v.state.Entity)
	switch {
	case last.state.Paused:
		return "detached while paused"
	case !related:
		return "detached by the removal of its relation"
	case parent.IsZero():
		return "detached by the zero entity"
	default:
		return "detached by a parent that is not replicated"
	}
}
