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

// past is the history of the server: the versions of every entity by tick, their visibility, their
// groups, and their network ids on every client.
type past struct {
	versions map[ecs.Entity][]version // sorted by tick
	groups   map[entangle.Tick]map[group][]ecs.Entity
	closed   map[group]bool      // private groups at the last record, but for single entities; see crowd
	families map[ecs.Entity]bool // roots that had a child at any time
	parents  map[ecs.Entity]bool // all entities that had a child at any time, replicated or not
	names    map[entangle.ClientID]map[uint64][]named
	tick     entangle.Tick
	began    bool
	sight    *sight    // at the last recorded tick
	removals *removals // nil: removals are not recorded

	pacing
	resources []resourcePast                      // by number
	came      map[entangle.ClientID]entangle.Tick // the first tick of each connected client
	ended     map[entangle.ClientID]bool          // clients that disconnected since the last tick
	narrowed  int                                 // times that a client retained an entity less a component
}

func newPast() past {
	return past{
		versions: map[ecs.Entity][]version{}, groups: map[entangle.Tick]map[group][]ecs.Entity{},
		families: map[ecs.Entity]bool{}, parents: map[ecs.Entity]bool{}, names: map[entangle.ClientID]map[uint64][]named{}, ended: map[entangle.ClientID]bool{}, pacing: newPacing(),
	}
}

// version is the state of an entity from a tick on.
type version struct {
	from  entangle.Tick
	gone  bool
	fate  fate // of a removed entity
	state inspect.Mirrored
	terms
	pace  pace
	above []terms                    // of a paused entity: the terms of its ancestors when it was paused
	by    map[entangle.ClientID]bool // of a paused entity: the clients that saw it when it was paused
	seen  map[entangle.ClientID]visible
	alone bool // it has no named group, and no other member in its group
}

// record stores the server's world at the end of a frame, with its visibility for all clients. It
// reports false for a frame without a tick, which is not recorded.
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

// keepClosed stores which groups are private. For a single entity that never had a child, this is
// not stored: it depends on the entity alone.
func (p *past) keepClosed(look *crowd) {
	for _, v := range look.members {
		if !v.parent.IsZero() && v.group.name == 0 {
			p.families[v.group.alone] = true
		}
	}
	p.closed = look.closed
	maps.DeleteFunc(p.closed, func(g group, _ bool) bool { return g.name == 0 && !p.families[g.alone] })
}

// saw returns a client's last recorded view of an entity over its present connection.
func (p *past) saw(e ecs.Entity, client entangle.ClientID) visible {
	last := p.last(e)
	if last == nil || p.ended[client] {
		return visible{}
	}
	return last.seen[client]
}

// last returns the last recorded version of an entity, or nil if it did not exist.
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

// at returns the version of an entity at a tick, or nil if it did not exist.
func (p *past) at(e ecs.Entity, tick entangle.Tick) *version {
	list := p.versions[e]
	n := after(list, tick, func(v *version) entangle.Tick { return v.from })
	if n == 0 || list[n-1].gone {
		return nil
	}
	return &list[n-1]
}

// after returns the index of the first element after a tick.
func after[E any](list []E, tick entangle.Tick, from func(*E) entangle.Tick) int {
	return sort.Search(len(list), func(i int) bool { return tick.Before(from(&list[i])) })
}

// rested reports whether an entity was paused all the time between two ticks.
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
