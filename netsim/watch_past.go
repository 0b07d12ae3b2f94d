package netsim

import (
	"bytes"
	"maps"
	"slices"
	"sort"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/systems"
)

// past remembers what every entity of the server was like at any tick, who might see
// what of it, which were together, and what every client called them.
type past struct {
	versions map[ecs.Entity][]version // of rising ticks
	groups   map[entangle.Tick]map[group][]ecs.Entity
	names    map[entangle.ClientID]map[uint64][]named
	tick     entangle.Tick
	began    bool
	sight    *sight // the last

	resources []resourcePast                      // by number
	came      map[entangle.ClientID]entangle.Tick // of the connected, the tick before
}

func newPast() past {
	return past{
		versions: map[ecs.Entity][]version{}, groups: map[entangle.Tick]map[group][]ecs.Entity{},
		names: map[entangle.ClientID]map[uint64][]named{},
	}
}

// version is what an entity was like from a tick on.
type version struct {
	from  entangle.Tick
	gone  bool
	state systems.Mirrored
	group group
	seen  map[entangle.ClientID]visible
}

// record takes in the server's world as it is at the end of a frame, for all clients.
// One without a tick shows nothing that was looked at: then it reports false.
func (p *past) record(m *systems.Mirror, s *sight, clients []entangle.ClientID) bool {
	if p.began && m.Tick == p.tick {
		return false
	}
	p.tick, p.began, p.sight = m.Tick, true, s
	there, groups := map[ecs.Entity]bool{}, map[group][]ecs.Entity{}
	for _, e := range m.Entities {
		v := p.version(e, s, clients)
		there[e.Entity] = true
		groups[v.group] = append(groups[v.group], e.Entity)
		p.add(e.Entity, v)
	}
	for e := range p.versions {
		if !there[e] {
			p.add(e, version{from: m.Tick, gone: true})
		}
	}
	p.groups[m.Tick] = groups
	p.recordResources(m)
	return true
}

// version is an entity as it is now. One that is paused stays where it was, and is
// seen by whom it was: by nobody, if nothing was told of it.
func (p *past) version(e systems.Mirrored, s *sight, clients []entangle.ClientID) version {
	v := version{from: p.tick, state: e, group: s.group(e.Entity), seen: map[entangle.ClientID]visible{}}
	if list := p.versions[e.Entity]; e.Paused && len(list) > 0 && !list[len(list)-1].gone {
		v.group, v.seen = list[len(list)-1].group, withLate(list[len(list)-1].seen, clients)
		return v
	}
	for _, client := range clients {
		if v.seen[client] = (visible{}); !e.Paused {
			v.seen[client] = s.visible(&e, client)
		}
	}
	return v
}

// withLate adds the clients that came after an entity was paused. Nobody knows any more
// who was meant to see it: they may, if it had yet to be told where it was.
func withLate(seen map[entangle.ClientID]visible, clients []entangle.ClientID) map[entangle.ClientID]visible {
	all := maps.Clone(seen)
	for _, client := range clients {
		if _, known := seen[client]; !known {
			all[client] = visible{sees: true}
		}
	}
	return all
}

func (p *past) add(e ecs.Entity, v version) {
	list := p.versions[e]
	if n := len(list); n == 0 || !list[n-1].equal(&v) {
		p.versions[e] = append(list, v)
	}
}

func (v *version) equal(o *version) bool {
	return v.gone == o.gone && v.state.Paused == o.state.Paused && v.group == o.group && maps.Equal(v.seen, o.seen) &&
		slices.EqualFunc(v.state.Values, o.state.Values, equalValue)
}

func equalValue(a, b systems.MirroredValue) bool {
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
