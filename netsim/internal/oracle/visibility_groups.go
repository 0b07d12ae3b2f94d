package oracle

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// worldTick holds all entities of a world at a tick, with their previous state.
type worldTick struct {
	visibility *visibility
	history    *history // nil: nothing was recorded
	versions   map[ecs.Entity]*version
	groups     map[groupPart][]ecs.Entity
	private    map[group]bool // private groups: some client may not see all of one, or could not before
	paused     map[ecs.Entity]bool
}

// groupPart is a group, or its private part.
type groupPart struct {
	group   group
	private bool
}

// compute returns the state of all entities and their visibility for each client. Relevance shows
// or hides a group as a whole; then targets and overrides hide entities and components of it.
func (v *visibility) compute(m *inspect.Mirror, before *history, clients []entangle.ClientID) *worldTick {
	c := &worldTick{visibility: v, history: before, versions: map[ecs.Entity]*version{}, groups: map[groupPart][]ecs.Entity{}, private: map[group]bool{}, paused: map[ecs.Entity]bool{}}
	for i := range m.Entities {
		c.paused[m.Entities[i].Entity] = m.Entities[i].Paused
	}
	for i := range m.Entities {
		c.addEntity(m.Tick, &m.Entities[i])
	}
	for _, v := range c.versions {
		c.inheritFromTop(v)
	}
	c.placeGroups(m)
	for at, members := range c.groups {
		c.spreadUncertainty(members)
		for _, client := range clients {
			c.showGroup(at, members, client)
		}
	}
	return c
}

// addEntity collects the terms of an entity. A paused entity keeps the terms that it and its
// ancestors had.
func (w *worldTick) addEntity(tick entangle.Tick, e *inspect.Mirrored) {
	v := &version{from: tick, state: *e, views: map[entangle.ClientID]view{}}
	if last := w.lastVersion(e.Entity); e.Paused && last != nil {
		v.terms, v.rate, v.replicate, v.seenBy, v.line = last.terms, last.rate, last.replicate, last.seenBy, last.line
		v.ancestors = w.lastAncestors(last)
		if !last.state.Paused {
			v.seenBy, v.line = w.clientsBefore(last), w.lastLine(last)
		}
		w.removeDisconnected(v.seenBy)
	} else {
		v.terms, v.rate = w.visibility.termsOf(e.Entity), w.visibility.sendRateOf(e.Entity)
		v.pausedParent = w.visibility.pausedParentOf(e.Entity, w.paused)
		if r := w.visibility.replicateOf(e.Entity); r != nil {
			v.replicate = *r
		}
		w.keepFormer(v, last)
	}
	w.versions[e.Entity] = v
}

// keepFormer has a child that has lost its parent keep the terms that its ancestors had, and the
// relevance that it inherited, if the plugin added its Replicate and the game has not changed it
// since.
func (w *worldTick) keepFormer(v, last *version) {
	switch {
	case !v.state.Added || !v.parent.IsZero():
	case w.history == nil:
		v.uncertain = true
	case last != nil && v.replicate == last.replicate:
		v.ancestors, v.relevance = w.lastAncestors(last), cmp.Or(v.relevance, last.relevance)
	}
}

// clientsBefore returns the clients that saw an entity at the last recorded tick, if it has or had
// children.
func (w *worldTick) clientsBefore(last *version) (all map[entangle.ClientID]bool) {
	if !w.history.parents[last.state.Entity] {
		return nil
	}
	all = map[entangle.ClientID]bool{}
	for client, view := range last.views {
		all[client] = view.sees
	}
	return all
}

// removeDisconnected removes clients that have disconnected since from those that saw a paused
// entity.
func (w *worldTick) removeDisconnected(seenBy map[entangle.ClientID]bool) {
	for client := range seenBy {
		if w.history.disconnected[client] {
			delete(seenBy, client)
		}
	}
}

// inheritFromTop gives an entity the relevance that its topmost ancestor has from a paused or former
// parent, unless it has its own.
func (w *worldTick) inheritFromTop(v *version) {
	if v.state.Paused {
		return
	}
	top := w.top(v)
	v.relevance, v.uncertain = cmp.Or(v.relevance, top.relevance), top.uncertain
	if parent := w.versions[top.pausedParent]; parent != nil {
		v.relevance = cmp.Or(v.relevance, parent.relevance)
	}
}

// spreadUncertainty makes all members of a group uncertain if one is: one member can show them all.
func (w *worldTick) spreadUncertainty(members []ecs.Entity) {
	if slices.ContainsFunc(members, func(e ecs.Entity) bool { return w.versions[e].uncertain }) {
		for _, e := range members {
			w.versions[e].uncertain = true
		}
	}
}

// top returns the topmost ancestor of an entity, or the entity itself.
func (w *worldTick) top(v *version) *version {
	for parent := w.versions[v.parent]; parent != nil; parent = w.versions[parent.parent] {
		v = parent
	}
	return v
}

// relevantByParent reports whether an entity is a descendant of a paused one that the client saw
// when it was paused, and that, or an ancestor that it had then, is relevant to the client.
func (w *worldTick) relevantByParent(v *version, client entangle.ClientID) bool {
	parent := w.versions[w.top(v).pausedParent]
	return parent != nil && parent.seenBy[client] && slices.ContainsFunc(parent.line, func(e ecs.Entity) bool {
		above := w.versions[e]
		return above != nil && w.relevant(above, client)
	})
}

// relevant reports whether an entity by itself is relevant to a client.
func (w *worldTick) relevant(v *version, client entangle.ClientID) bool {
	own := v.owner == client && client != entangle.Nobody
	return v.relevance == components.Always || w.visibility.relevant.Matters(client, v.state.Entity, own)
}

// lastLine returns an entity that was not paused, and its ancestors at that time.
func (w *worldTick) lastLine(last *version) (all []ecs.Entity) {
	for {
		all = append(all, last.state.Entity)
		parent := w.lastVersion(last.parent)
		if parent == nil {
			break
		}
		last = parent
	}
	if paused := w.lastVersion(last.pausedParent); paused != nil {
		all = append(all, paused.line...)
	}
	return all
}

// lastAncestors returns the previous terms of all ancestors of an entity.
func (w *worldTick) lastAncestors(last *version) (all []terms) {
	if last.state.Paused {
		return last.ancestors
	}
	for {
		parent := w.lastVersion(last.parent)
		if parent == nil {
			break
		}
		all, last = append(all, parent.terms), parent
	}
	all = append(all, last.ancestors...)
	if paused := w.lastVersion(last.pausedParent); paused != nil {
		all = append(append(all, paused.terms), paused.ancestors...)
	}
	return all
}

// placeGroups finds the private groups: those that some client may not see in full, or could not at
// any time since the group was last empty. Paused members stay in the part of the group in which
// they were.
func (w *worldTick) placeGroups(m *inspect.Mirror) {
	private := w.private
	for i := range m.Entities {
		v := w.versions[m.Entities[i].Entity]
		if w.history != nil && w.history.private[v.group] || !v.state.Paused && !w.isPublic(v) {
			private[v.group] = true
		}
	}
	for i := range m.Entities {
		v := w.versions[m.Entities[i].Entity]
		if v.state.Paused && w.lastVersion(v.state.Entity) == nil {
			continue // it was never sent
		}
		if !v.state.Paused {
			v.private = private[v.group]
		}
		at := groupPart{v.group, v.private}
		w.groups[at] = append(w.groups[at], v.state.Entity)
	}
}

// isPublic reports whether all clients may see all of an entity.
func (w *worldTick) isPublic(v *version) bool {
	for _, o := range v.state.Overrides {
		switch o.Target {
		case components.Default, components.Everyone, components.Nobody, components.Server:
		default:
			return false
		}
	}
	for _, t := range append([]terms{v.terms}, w.ancestors(v)...) {
		if !t.isPublic() {
			return false
		}
	}
	return true
}

// showGroup computes one client's view of a group.
func (w *worldTick) showGroup(at groupPart, members []ecs.Entity, client entangle.ClientID) {
	g := groupView{client: client, shown: !at.private}
	if at.private {
		w.decideGroup(members, &g)
	}
	if !g.shown && !g.retained && w.history != nil {
		w.history.leftPaused += w.leftPaused(members, client)
	}
	for _, e := range members {
		w.versions[e].views[client] = w.viewOf(w.versions[e], &g)
	}
}

// leftPaused returns 1 if a client that loses a group has a paused member of it, which stays there,
// and saw another member, otherwise 0.
func (w *worldTick) leftPaused(members []ecs.Entity, client entangle.ClientID) int {
	var stays, goes int
	for _, e := range members {
		switch v := w.versions[e]; {
		case !w.lastView(v, client).sees:
		case v.state.Paused:
			stays = 1
		default:
			goes = 1
		}
	}
	return stays * goes
}

// groupView is the visibility of a group for a client.
type groupView struct {
	client   entangle.ClientID
	shown    bool
	retained bool // if not shown: the client retains its last state
}

// decideGroup decides whether a client sees a group: it does if a member that is not paused is for
// the client and is relevant to it. Otherwise it decides whether the client retains the group.
func (w *worldTick) decideGroup(members []ecs.Entity, g *groupView) {
	for _, e := range members {
		v := w.versions[e]
		switch {
		case v.state.Paused || !w.inTargets(v, g):
		case w.relevant(v, g.client) || w.relevantByParent(v, g.client):
			g.shown = true
		case v.relevance == components.Retained:
			g.retained = true
		}
	}
}

// lastVersion returns the previous version of an entity, or nil.
func (w *worldTick) lastVersion(e ecs.Entity) *version {
	if w.history == nil {
		return nil
	}
	return w.history.lastVersion(e)
}

// lastView returns a client's previous view of an entity.
func (w *worldTick) lastView(v *version, client entangle.ClientID) view {
	if w.history == nil {
		return view{}
	}
	return w.history.lastView(v.state.Entity, client)
}

// inTargets reports whether a client is in the target of an entity and in those of all its
// ancestors. A paused entity is for the clients that saw or retained it, and for no others, unless
// its group is public.
func (w *worldTick) inTargets(v *version, g *groupView) bool {
	if v.state.Paused {
		last := w.lastView(v, g.client)
		return !v.private || last.sees || last.retained
	}
	all := append([]terms{v.terms}, w.ancestors(v)...)
	return !slices.ContainsFunc(all, func(t terms) bool { return !w.visibility.includes(&t, t.target, g.client) })
}

// ancestors returns the terms of all ancestors of an entity.
func (w *worldTick) ancestors(v *version) (all []terms) {
	for parent := w.versions[v.parent]; parent != nil; parent = w.versions[parent.parent] {
		all, v = append(all, parent.terms), parent
	}
	all = append(all, v.ancestors...)
	if paused := w.versions[v.pausedParent]; paused != nil {
		all = append(append(all, paused.terms), paused.ancestors...)
	}
	return all
}

func (w *worldTick) viewOf(v *version, g *groupView) view {
	if !w.inTargets(v, g) {
		return view{barred: true}
	}
	now, last := view{sees: g.shown}, w.lastView(v, g.client)
	if !g.shown && g.retained {
		now.retained = w.history == nil || last.sees || last.retained
	}
	if v.state.Paused {
		now.hidden = last.hidden
		if !g.shown && !g.retained { // it stays as it is, without the others
			now.sees, now.retained = last.sees, last.retained
		}
		return now
	}
	for _, o := range v.state.Overrides {
		if !w.visibility.includes(&v.terms, o.Target, g.client) {
			now.hidden += string([]byte{byte(o.Component)})
		}
	}
	return now
}
