package netsim

import (
	"bytes"
	"slices"
	"sort"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/systems"
)

// past remembers what every entity of the server was like at any tick, and which
// were together.
type past struct {
	versions map[uint64][]version // by id, of rising ticks
	groups   map[entangle.Tick]map[group][]uint64
	tick     entangle.Tick
	began    bool
}

func newPast() past {
	return past{versions: map[uint64][]version{}, groups: map[entangle.Tick]map[group][]uint64{}}
}

// group is one that has a name, or an entity alone.
type group struct {
	name  components.Group
	alone ecs.Entity
}

// version is what an entity was like from a tick on. It has no entity while
// nothing had its id.
type version struct {
	from  entangle.Tick
	state systems.Mirrored
	group group
}

// record takes in the server's world as it is at the end of a frame. One without a
// tick shows nothing that was looked at.
func (p *past) record(m *systems.Mirror) {
	if p.began && m.Tick == p.tick {
		return
	}
	p.tick, p.began = m.Tick, true
	there, groups := map[uint64]bool{}, map[group][]uint64{}
	for _, e := range m.Entities {
		if e.ID == 0 {
			continue
		}
		v := p.version(e)
		there[e.ID] = true
		groups[v.group] = append(groups[v.group], e.ID)
		p.add(e.ID, v)
	}
	for id := range p.versions {
		if !there[id] {
			p.add(id, version{from: m.Tick})
		}
	}
	p.groups[m.Tick] = groups
}

// version is an entity as it is now. One that is paused stays where it was.
func (p *past) version(e systems.Mirrored) version {
	v := version{from: p.tick, state: e, group: group{name: e.Group}}
	if list := p.versions[e.ID]; e.Paused && len(list) > 0 {
		v.group = list[len(list)-1].group
	}
	if v.group.name == 0 {
		v.group.alone = e.Entity
	}
	return v
}

func (p *past) add(id uint64, v version) {
	list := p.versions[id]
	if n := len(list); n == 0 || !list[n-1].equal(&v) {
		p.versions[id] = append(list, v)
	}
}

func (v *version) equal(o *version) bool {
	return v.state.Entity == o.state.Entity && v.state.Paused == o.state.Paused && v.group == o.group &&
		slices.EqualFunc(v.state.Values, o.state.Values, equalValue)
}

func equalValue(a, b systems.MirroredValue) bool {
	return a.Component == b.Component && bytes.Equal(a.Wire, b.Wire) && slices.Equal(a.Refs, b.Refs)
}

// at returns what had an id at a tick, nil if nothing had.
func (p *past) at(id uint64, tick entangle.Tick) *version {
	list := p.versions[id]
	n := after(list, tick)
	if n == 0 || list[n-1].state.Entity.IsZero() {
		return nil
	}
	return &list[n-1]
}

// after returns the place of the first version after a tick.
func after(list []version, tick entangle.Tick) int {
	return sort.Search(len(list), func(i int) bool { return tick.Before(list[i].from) })
}

// stayed reports whether an entity was in one group from a tick to another.
func (p *past) stayed(id uint64, from, to entangle.Tick) bool {
	list := p.versions[id]
	first := after(list, from) - 1
	if first < 0 {
		return false
	}
	for _, v := range list[first:after(list, to)] {
		if v.group != list[first].group || v.state.Entity != list[first].state.Entity {
			return false
		}
	}
	return true
}
