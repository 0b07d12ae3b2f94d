package netsim

import (
	"cmp"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// crowd is all entities of a world at a tick, with what they were before.
type crowd struct {
	sight   *sight
	past    *past // nil: nobody knows
	members map[ecs.Entity]*version
	groups  map[placed][]ecs.Entity
	closed  map[group]bool // some may not see all of it, or could not once
	paused  map[ecs.Entity]bool
}

// placed is a group, or the half of it that some may not see all of.
type placed struct {
	group   group
	private bool
}

// look returns what all entities are like, and who may see what of them. A group is shown
// to a client whole or not at all, as far as interest goes; then targets and overrides hide
// some of it.
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

// take gathers the terms of an entity. One that is paused keeps those that it had, and
// those of all above it.
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

// sawLast returns the clients that were shown an entity when last looked at, if it has
// children or had any.
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

// ended forgets, of who was shown a paused entity, those whose connection has ended since.
func (c *crowd) ended(by map[entangle.ClientID]bool) {
	for client := range by {
		if c.past.ended[client] {
			delete(by, client)
		}
	}
}

// rely has an entity that goes behind a paused one be of interest where that was.
func (c *crowd) rely(v *version) {
	if behind := c.top(v); !v.state.Paused && behind != nil {
		v.relevance = cmp.Or(v.relevance, behind.relevance)
	}
}

// top returns the paused entity behind which one goes, or the first above it; nil if there is
// none.
func (c *crowd) top(v *version) *version {
	for above := c.members[v.parent]; above != nil; above = c.members[above.parent] {
		v = above
	}
	return c.members[v.behind]
}

// rested reports whether an entity goes behind a paused one that a client was shown when
// it was paused.
func (c *crowd) rested(v *version, client entangle.ClientID) bool {
	behind := c.top(v)
	return behind != nil && behind.by[client]
}

// lastAbove returns the terms of all above an entity, as they were.
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

// place finds which groups somebody may not see all of, or could not at any time since they
// last had no member. Those of their members that are paused stay where they are.
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
			continue // nothing was told of it
		}
		if !v.state.Paused {
			v.private = closed[v.group]
		}
		at := placed{v.group, v.private}
		c.groups[at] = append(c.groups[at], v.state.Entity)
	}
}

// open reports whether everybody may see all of an entity.
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

// show says what a client may see of a group.
func (c *crowd) show(at placed, members []ecs.Entity, client entangle.ClientID) {
	l := showing{client: client, had: c.had(members, client), shown: !at.private}
	if at.private {
		c.judge(members, &l)
	}
	for _, e := range members {
		c.members[e].seen[client] = c.visible(c.members[e], &l)
	}
}

// showing is how a group is shown to a client.
type showing struct {
	client entangle.ClientID
	had    bool // it was shown before
	shown  bool
	kept   bool // what was shown of it stays, else
}

// judge finds whether a group is shown to a client: one of its members is for it, and
// matters to it, or is paused where it was shown; or else whether it keeps what it saw.
func (c *crowd) judge(members []ecs.Entity, l *showing) {
	for _, e := range members {
		v := c.members[e]
		own := v.owner == l.client && l.client != entangle.Nobody
		speaks := v.relevance == components.Always || c.sight.mattering.matters(l.client, e, own) || c.rested(v, l.client)
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

// had reports whether a group was shown to a client.
func (c *crowd) had(members []ecs.Entity, client entangle.ClientID) bool {
	for _, e := range members {
		if v := c.members[e]; c.stayed(v) != nil && c.saw(v, client).sees {
			return true
		}
	}
	return false
}

// last returns what an entity was before.
func (c *crowd) last(e ecs.Entity) *version {
	if c.past == nil {
		return nil
	}
	return c.past.last(e)
}

// saw returns what a client saw of an entity before.
func (c *crowd) saw(v *version, client entangle.ClientID) visible {
	if c.past == nil {
		return visible{}
	}
	return c.past.saw(v.state.Entity, client)
}

// stayed returns what an entity was before, if it is where it was.
func (c *crowd) stayed(v *version) *version {
	last := c.last(v.state.Entity)
	if last == nil || last.group != v.group || last.private != v.private {
		return nil
	}
	return last
}

// turned reports whether an entity is Retained from now on.
func (c *crowd) turned(v *version) bool {
	last := c.last(v.state.Entity)
	return c.past != nil && (last == nil || last.relevance != v.relevance)
}

// aimed reports whether an entity is for a client: its target, and those of all above it.
// One that is paused is for those that saw it or kept it, and for nobody else meanwhile, unless
// it is in a group that is for all.
func (c *crowd) aimed(v *version, l *showing) bool {
	if v.state.Paused {
		saw := c.saw(v, l.client)
		return !v.private || saw.sees || saw.kept
	}
	line := append([]terms{v.terms}, c.above(v)...)
	return !slices.ContainsFunc(line, func(t terms) bool { return !c.sight.includes(&t, t.target, l.client) })
}

// above returns the terms of all above an entity.
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
