package netsim

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// crowd is all entities of a world at a tick, with their previous state.
type crowd struct {
	sight   *sight
	past    *past // nil: without history
	members map[ecs.Entity]*version
	groups  map[placed][]ecs.Entity
	closed  map[group]bool // private groups: some client may not see all of one, or could not before
	paused  map[ecs.Entity]bool
}

// placed is a group, or its private part.
type placed struct {
	group   group
	private bool
}

// look computes the state of all entities and their visibility for each client. Relevance shows or
// hides a group as a whole; then targets and overrides hide entities and components of it.
func (s *sight) look(m *inspect.Mirror, before *past, clients []entangle.ClientID) *crowd {
	c := &crowd{sight: s, past: before, members: map[ecs.Entity]*version{}, groups: map[placed][]ecs.Entity{}, closed: map[group]bool{}, paused: map[ecs.Entity]bool{}}
	for i := range m.Entities {
		c.paused[m.Entities[i].Entity] = m.Entities[i].Paused
	}
	for i := range m.Entities {
		c.take(m.Tick, &m.Entities[i])
	}
	for _, v := range c.members {
		c.rely(v)
	}
	c.place(m)
	for at, members := range c.groups {
		for _, client := range clients {
			c.show(at, members, client)
		}
	}
	return c
}

// take collects the terms of an entity. A paused entity keeps the terms that it and its ancestors
// had.
func (c *crowd) take(tick entangle.Tick, e *inspect.Mirrored) {
	v := &version{from: tick, state: *e, seen: map[entangle.ClientID]visible{}}
	if last := c.last(e.Entity); e.Paused && last != nil {
		v.terms, v.pace, v.above, v.by = last.terms, last.pace, c.lastAbove(last), last.by
		if !last.state.Paused {
			v.by = c.sawLast(last)
		}
		c.ended(v.by)
	} else {
		v.terms, v.pace = c.sight.terms(e.Entity), c.sight.paceOf(e.Entity)
		v.behind = c.sight.behind(e.Entity, c.paused)
	}
	c.members[e.Entity] = v
}

// sawLast returns the clients that saw an entity at the last recorded tick, if it has or had
// children.
func (c *crowd) sawLast(last *version) (all map[entangle.ClientID]bool) {
	if !c.past.parents[last.state.Entity] {
		return nil
	}
	all = map[entangle.ClientID]bool{}
	for client, is := range last.seen {
		all[client] = is.sees
	}
	return all
}

// ended removes clients that have disconnected since from those that saw a paused entity.
func (c *crowd) ended(by map[entangle.ClientID]bool) {
	for client := range by {
		if c.past.ended[client] {
			delete(by, client)
		}
	}
}

// rely gives a descendant of a paused entity the relevance of the paused one, unless it has its
// own.
func (c *crowd) rely(v *version) {
	if behind := c.top(v); !v.state.Paused && behind != nil {
		v.relevance = cmp.Or(v.relevance, behind.relevance)
	}
}

// top returns the paused parent of an entity or of its topmost ancestor, or nil if there is none.
func (c *crowd) top(v *version) *version {
	for above := c.members[v.parent]; above != nil; above = c.members[above.parent] {
		v = above
	}
	return c.members[v.behind]
}

// rested reports whether an entity is a descendant of a paused one that the client saw when it was
// paused.
func (c *crowd) rested(v *version, client entangle.ClientID) bool {
	behind := c.top(v)
	return behind != nil && behind.by[client]
}

// lastAbove returns the previous terms of all ancestors of an entity.
func (c *crowd) lastAbove(last *version) (all []terms) {
	if last.state.Paused {
		return last.above
	}
	for {
		above := c.last(last.parent)
		if above == nil {
			break
		}
		all, last = append(all, above.terms), above
	}
	if behind := c.last(last.behind); behind != nil {
		all = append(append(all, behind.terms), behind.above...)
	}
	return all
}

// place finds the private groups: those that some client may not see in full, or could not at any
// time since the group was last empty. Paused members stay in the part of the group in which they
// were.
func (c *crowd) place(m *inspect.Mirror) {
	closed := c.closed
	for i := range m.Entities {
		v := c.members[m.Entities[i].Entity]
		if c.past != nil && c.past.closed[v.group] || !v.state.Paused && !c.open(v) {
			closed[v.group] = true
		}
	}
	for i := range m.Entities {
		v := c.members[m.Entities[i].Entity]
		if v.state.Paused && c.last(v.state.Entity) == nil {
			continue // it was never sent
		}
		if !v.state.Paused {
			v.private = closed[v.group]
		}
		at := placed{v.group, v.private}
		c.groups[at] = append(c.groups[at], v.state.Entity)
	}
}

// open reports whether all clients may see all of an entity.
func (c *crowd) open(v *version) bool {
	for _, o := range v.state.Overrides {
		switch o.Target {
		case components.Default, components.Everyone, components.Nobody, components.Server:
		default:
			return false
		}
	}
	for _, t := range append([]terms{v.terms}, c.above(v)...) {
		if !t.isOpen() {
			return false
		}
	}
	return true
}

// show computes one client's view of a group.
func (c *crowd) show(at placed, members []ecs.Entity, client entangle.ClientID) {
	l := showing{client: client, had: c.had(members, client), shown: !at.private}
	if at.private {
		c.judge(members, &l)
	}
	for _, e := range members {
		c.members[e].seen[client] = c.visible(c.members[e], &l)
	}
}

// showing is the visibility of a group for a client.
type showing struct {
	client entangle.ClientID
	had    bool // the client saw it before
	shown  bool
	kept   bool // if not shown: the client retains its last state
}

// judge decides whether a client sees a group: it does if a member is for the client and is
// relevant to it, or is paused and was visible before. Otherwise judge decides whether the client
// retains the group.
func (c *crowd) judge(members []ecs.Entity, l *showing) {
	for _, e := range members {
		v := c.members[e]
		own := v.owner == l.client && l.client != entangle.Nobody
		speaks := v.relevance == components.Always || c.sight.mattering.Matters(l.client, e, own) || c.rested(v, l.client)
		if v.state.Paused {
			speaks = l.had
		}
		switch {
		case !c.aimed(v, l):
		case speaks:
			l.shown = true
		case v.relevance == components.Retained && !c.turned(v):
			l.kept = true
		}
	}
}

// had reports whether a client saw a group before.
func (c *crowd) had(members []ecs.Entity, client entangle.ClientID) bool {
	for _, e := range members {
		if v := c.members[e]; c.stayed(v) != nil && c.saw(v, client).sees {
			return true
		}
	}
	return false
}

// last returns the previous version of an entity, or nil.
func (c *crowd) last(e ecs.Entity) *version {
	if c.past == nil {
		return nil
	}
	return c.past.last(e)
}

// saw returns a client's previous view of an entity.
func (c *crowd) saw(v *version, client entangle.ClientID) visible {
	if c.past == nil {
		return visible{}
	}
	return c.past.saw(v.state.Entity, client)
}

// stayed returns the previous version of an entity if it is still in the same group, or nil.
func (c *crowd) stayed(v *version) *version {
	last := c.last(v.state.Entity)
	if last == nil || last.group != v.group || last.private != v.private {
		return nil
	}
	return last
}

// turned reports whether the relevance of an entity has just changed, which for a Retained entity
// means that it was not Retained before.
func (c *crowd) turned(v *version) bool {
	last := c.last(v.state.Entity)
	return c.past != nil && (last == nil || last.relevance != v.relevance)
}

// aimed reports whether a client is in the target of an entity and in those of all its ancestors. A
// paused entity is for the clients that saw or retained it, and for no others, unless its group is
// public.
func (c *crowd) aimed(v *version, l *showing) bool {
	if v.state.Paused {
		saw := c.saw(v, l.client)
		return !v.private || saw.sees || saw.kept
	}
	line := append([]terms{v.terms}, c.above(v)...)
	return !slices.ContainsFunc(line, func(t terms) bool { return !c.sight.includes(&t, t.target, l.client) })
}

// above returns the terms of all ancestors of an entity.
func (c *crowd) above(v *version) (all []terms) {
	for above := c.members[v.parent]; above != nil; above = c.members[above.parent] {
		all, v = append(all, above.terms), above
	}
	if behind := c.members[v.behind]; behind != nil {
		all = append(append(all, behind.terms), behind.above...)
	}
	return all
}

func (c *crowd) visible(v *version, l *showing) visible {
	if !c.aimed(v, l) {
		return visible{barred: true}
	}
	is, had := visible{sees: l.shown}, c.saw(v, l.client)
	if !l.shown && l.kept {
		is.kept = c.past == nil || c.stayed(v) != nil && (had.sees || had.kept)
	}
	if v.state.Paused {
		is.without = had.without
		return is
	}
	for _, o := range v.state.Overrides {
		if !c.sight.includes(&v.terms, o.Target, l.client) {
			is.without += string([]byte{byte(o.Component)})
		}
	}
	return is
}
