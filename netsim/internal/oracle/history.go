package oracle

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// history is the recorded state of the server: the versions of every entity by tick, their
// visibility, their groups, and their network ids on every client.
type history struct {
	versions   map[ecs.Entity][]version // sorted by tick
	groups     map[entangle.Tick]map[group][]ecs.Entity
	private    map[group]bool      // private groups at the last record, except those of single entities, see keepPrivate
	roots      map[ecs.Entity]bool // roots that had a child at any time
	parents    map[ecs.Entity]bool // all entities that had a child at any time, replicated or not
	ids        map[entangle.ClientID]map[uint64][]idUse
	tick       entangle.Tick
	began      bool
	visibility *visibility // at the last recorded tick
	removals   *removals   // nil: removals are not recorded

	updateHistory
	shownHistory
	resources    []resourceHistory                   // by number
	connected    map[entangle.ClientID]entangle.Tick // the first tick of each connected client
	disconnected map[entangle.ClientID]bool          // clients that disconnected since the last tick
	leftPaused   int                                 // how often a client lost a group except for a paused member
	narrowed     int                                 // how often a client retained an entity without one of its components
	detached     map[string]int                      // see countDetached
}

func newHistory() history {
	return history{
		versions: map[ecs.Entity][]version{}, groups: map[entangle.Tick]map[group][]ecs.Entity{},
		roots: map[ecs.Entity]bool{}, parents: map[ecs.Entity]bool{}, ids: map[entangle.ClientID]map[uint64][]idUse{}, disconnected: map[entangle.ClientID]bool{}, detached: map[string]int{}, updateHistory: newUpdateHistory(),
	}
}

// version is the state of an entity from a tick on.
type version struct {
	from    entangle.Tick
	removed bool
	fate    fate // of a removed entity
	state   inspect.Mirrored
	terms
	rate      sendRate
	replicate components.Replicate       // unless it is paused
	ancestors []terms                    // of an entity that was paused or lost its parent: the terms of its ancestors at that time
	seenBy    map[entangle.ClientID]bool // of a paused entity: the clients that saw it when it was paused
	line      []ecs.Entity               // of a paused entity: it and its ancestors when it was paused
	views     map[entangle.ClientID]view
	alone     bool // it has no named group, and never had a child
	uncertain bool // the former ancestors of it, of an ancestor or of another member of its group are unknown
}

// recordServer stores the server's world at the end of a frame, with its visibility for all
// clients. It reports false for a frame without a tick, which is not recorded.
func (h *history) recordServer(m *inspect.Mirror, vis *visibility, clients []entangle.ClientID) bool {
	if h.began && m.Tick == h.tick {
		return false
	}
	h.previous[m.Tick] = h.tick
	h.tick, h.began, h.visibility = m.Tick, true, vis
	vis.addParents(h.parents)
	now, groups := vis.compute(m, h, clients), map[group][]ecs.Entity{}
	all := now.versions
	h.keepPrivate(now)
	parents := h.lastParents()
	for _, e := range m.Entities {
		at := all[e.Entity].group
		groups[at] = append(groups[at], e.Entity)
	}
	for _, e := range m.Entities {
		v := all[e.Entity]
		v.alone = v.group == group{alone: e.Entity} && len(groups[v.group]) == 1 && !h.parents[e.Entity]
		h.countDetached(now, v, clients)
		h.addVersion(e.Entity, *v)
	}
	for e := range h.versions {
		if all[e] == nil && h.lastVersion(e) != nil {
			h.addVersion(e, version{from: m.Tick, removed: true, fate: h.fateOf(e, parents[e])})
		}
	}
	if h.removals != nil {
		clear(h.removals.unreplicated)
	}
	h.groups[m.Tick] = groups
	h.recordResources(m, clients)
	return true
}

// keepPrivate stores which groups are private. It does not store this for a single entity that
// never had a child, because then it depends on the entity alone.
func (h *history) keepPrivate(now *worldTick) {
	for _, v := range now.versions {
		if !v.parent.IsZero() && v.group.name == 0 {
			h.roots[v.group.alone] = true
		}
	}
	h.private = now.private
	maps.DeleteFunc(h.private, func(g group, _ bool) bool { return g.name == 0 && !h.roots[g.alone] })
}

// lastView returns a client's last recorded view of an entity over its present connection.
func (h *history) lastView(e ecs.Entity, client entangle.ClientID) view {
	last := h.lastVersion(e)
	if last == nil || h.disconnected[client] {
		return view{}
	}
	return last.views[client]
}

// lastVersion returns the last recorded version of an entity, or nil if it did not exist.
func (h *history) lastVersion(e ecs.Entity) *version {
	list := h.versions[e]
	if n := len(list); n > 0 && !list[n-1].removed {
		return &list[n-1]
	}
	return nil
}

func (h *history) addVersion(e ecs.Entity, v version) {
	list := h.versions[e]
	if n := len(list); n == 0 || !list[n-1].equal(&v) {
		h.versions[e] = append(list, v)
	} else {
		list[n-1].replicate, list[n-1].ancestors = v.replicate, v.ancestors
	}
}

func (v *version) equal(o *version) bool {
	return v.removed == o.removed && v.state.Paused == o.state.Paused && v.terms == o.terms && v.alone == o.alone && v.rate == o.rate && maps.Equal(v.views, o.views) &&
		slices.EqualFunc(v.state.Values, o.state.Values, equalValue)
}

func equalValue(a, b inspect.MirroredValue) bool {
	return a.Component == b.Component && bytes.Equal(a.Wire, b.Wire) && slices.Equal(a.Refs, b.Refs)
}

// versionAt returns the version of an entity at a tick, or nil if it did not exist.
func (h *history) versionAt(e ecs.Entity, tick entangle.Tick) *version {
	list := h.versions[e]
	n := firstAfter(list, tick, func(v *version) entangle.Tick { return v.from })
	if n == 0 || list[n-1].removed {
		return nil
	}
	return &list[n-1]
}

// firstAfter returns the index of the first element after a tick.
func firstAfter[E any](list []E, tick entangle.Tick, from func(*E) entangle.Tick) int {
	return sort.Search(len(list), func(i int) bool { return tick.Before(from(&list[i])) })
}

// wasPaused reports whether an entity was paused all the time between two ticks.
func (h *history) wasPaused(e ecs.Entity, from, to entangle.Tick) bool {
	list := h.versions[e]
	tick := func(v *version) entangle.Tick { return v.from }
	first := firstAfter(list, from, tick) - 1
	if first < 0 {
		return false
	}
	for _, v := range list[first:firstAfter(list, to, tick)] {
		if v.removed || !v.state.Paused {
			return false
		}
	}
	return true
}
