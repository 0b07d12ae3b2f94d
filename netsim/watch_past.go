package netsim

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// past remembers what every entity of the server was like at any tick, who might see
// what of it, which were together, and what every client called them.
type past struct {
	versions map[ecs.Entity][]version // of rising ticks
	groups   map[entangle.Tick]map[group][]ecs.Entity
	closed   map[group]bool      // at the last look, but for single entities; see crowd
	families map[ecs.Entity]bool // the roots that ever had a child
	parents  map[ecs.Entity]bool // all that ever had one, replicated or not
	names    map[entangle.ClientID]map[uint64][]named
	tick     entangle.Tick
	began    bool
	sight    *sight    // the last
	removals *removals // nil: nobody knows

	pacing
	resources []resourcePast                      // by number
	came      map[entangle.ClientID]entangle.Tick // of the connected, their first
	ended     map[entangle.ClientID]bool          // connections, since the last tick
	narrowed  int                                 // times that a client was found to keep an entity less a component
}

func newPast() past {
	return past{
		versions: map[ecs.Entity][]version{}, groups: map[entangle.Tick]map[group][]ecs.Entity{},
		families: map[ecs.Entity]bool{}, parents: map[ecs.Entity]bool{}, names: map[entangle.ClientID]map[uint64][]named{}, ended: map[entangle.ClientID]bool{}, pacing: newPacing(),
	}
}

// version is what an entity was like from a tick on.
type version struct {
	from  entangle.Tick
	gone  bool
	fate  fate // of one that is gone
	state inspect.Mirrored
	terms
	pace  pace
	above []terms                    // of one that is paused: those of all above it, when it went with them
	by    map[entangle.ClientID]bool // of one that is paused: who saw it when it was
	seen  map[entangle.ClientID]visible
	alone bool // it is a group of its own, without a child in it
}

// record takes in the server's world as it is at the end of a frame, for all clients.
// One without a tick shows nothing that was looked at: then it reports false.
func (p *past) record(m *inspect.Mirror, s *sight, clients []entangle.ClientID) bool {
	if p.began && m.Tick == p.tick {
		return false
	}
	p.before[m.Tick] = p.tick
	p.tick, p.began, p.sight = m.Tick, true, s
	s.addParents(p.parents)
	look, groups := s.look(m, p, clients), map[group][]ecs.Entity{}
	all := look.members
	p.keepClosed(look)
	parents := p.lastParents()
	for _, e := range m.Entities {
		at := all[e.Entity].group
		groups[at] = append(groups[at], e.Entity)
	}
	for _, e := range m.Entities {
		v := all[e.Entity]
		v.alone = v.group == group{alone: e.Entity} && len(groups[v.group]) == 1
		p.add(e.Entity, *v)
	}
	for e := range p.versions {
		if all[e] == nil && p.last(e) != nil {
			p.add(e, version{from: m.Tick, gone: true, fate: p.fateOf(e, parents[e])})
		}
	}
	if p.removals != nil {
		clear(p.removals.bare)
	}
	p.groups[m.Tick] = groups
	p.recordResources(m, clients)
	return true
}

// keepClosed remembers which groups some may not see all of. One of a single entity, which
// never had a child, is so as long as that entity is.
func (p *past) keepClosed(look *crowd) {
	for _, v := range look.members {
		if !v.parent.IsZero() && v.group.name == 0 {
			p.families[v.group.alone] = true
		}
	}
	p.closed = look.closed
	maps.DeleteFunc(p.closed, func(g group, _ bool) bool { return g.name == 0 && !p.families[g.alone] })
}

// saw returns what a client saw of an entity when last looked at, over the connection that
// it has.
func (p *past) saw(e ecs.Entity, client entangle.ClientID) visible {
	last := p.last(e)
	if last == nil || p.ended[client] {
		return visible{}
	}
	return last.seen[client]
}

// last returns what an entity was when last looked at, nil if it was not there.
func (p *past) last(e ecs.Entity) *version {
	list := p.versions[e]
	if n := len(list); n > 0 && !list[n-1].gone {
		return &list[n-1]
	}
	return nil
}

func (p *past) add(e ecs.Entity, v version) {
	list := p.versions[e]
	if n := len(list); n == 0 || !list[n-1].equal(&v) {
		p.versions[e] = append(list, v)
	}
}

func (v *version) equal(o *version) bool {
	return v.gone == o.gone && v.state.Paused == o.state.Paused && v.terms == o.terms && v.alone == o.alone && v.pace == o.pace && maps.Equal(v.seen, o.seen) &&
		slices.EqualFunc(v.state.Values, o.state.Values, equalValue)
}

func equalValue(a, b inspect.MirroredValue) bool {
	return a.Component == b.Component && bytes.Equal(a.Wire, b.Wire) && slices.Equal(a.Refs, b.Refs)
}

// at returns what an entity was like at a tick, nil if it was not there.
func (p *past) at(e ecs.Entity, tick entangle.Tick) *version {
	list := p.versions[e]
	n := after(list, tick, func(v *version) entangle.Tick { return v.from })
	if n == 0 || list[n-1].gone {
		return nil
	}
	return &list[n-1]
}

// after returns the place of the first of a list after a tick.
func after[E any](list []E, tick entangle.Tick, from func(*E) entangle.Tick) int {
	return sort.Search(len(list), func(i int) bool { return tick.Before(from(&list[i])) })
}

// rested reports whether an entity was paused from a tick to another.
func (p *past) rested(e ecs.Entity, from, to entangle.Tick) bool {
	list := p.versions[e]
	tick := func(v *version) entangle.Tick { return v.from }
	first := after(list, from, tick) - 1
	if first < 0 {
		return false
	}
	for _, v := range list[first:after(list, to, tick)] {
		if v.gone || !v.state.Paused {
			return false
		}
	}
	return true
}
