package netsim

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/world/endpoint"
	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// pace is what an entity's Replicate, and those above it, ask of its group.
type pace struct {
	every     int
	predicted bool // somebody may predict it: for him nothing waits
}

// paceOf returns what an entity asks for.
func (s *sight) paceOf(e ecs.Entity) (p pace) {
	for ok := true; ok; e, ok = s.above(e) {
		m := s.marker(e)
		if m == nil {
			break
		}
		if p.every == 0 {
			p.every = int(m.SendEvery)
		}
		p.predicted = p.predicted || m.Predict != components.Default && m.Predict != components.Nobody
	}
	p.every = max(p.every, 1)
	return p
}

// paced is what was told of the values of one entity to one client.
type paced struct {
	client entangle.ClientID
	entity ecs.Entity
}

// pacing remembers when values were told last, and what else there is to know of clients.
type pacing struct {
	paced  map[paced]entangle.Tick
	before map[entangle.Tick]entangle.Tick // which tick was looked at before one
	resent map[entangle.ClientID]resent
}

// resent is how much was sent again to a client, and when that was last more.
type resent struct {
	count uint64
	tick  entangle.Tick
}

func newPacing() pacing {
	return pacing{paced: map[paced]entangle.Tick{}, before: map[entangle.Tick]entangle.Tick{}, resent: map[entangle.ClientID]resent{}}
}

// keepsPace holds that the values of a group with an interval are told to a client in one of
// its ticks, as long as nothing else about the group is new, nothing was lost, and no cap
// delays it. A tick counts for those up to it that were not looked at.
func (p *past) keepsPace(told *endpoint.Told) error {
	if of := p.resent[told.Client]; of.count != told.Resent {
		p.resent[told.Client] = resent{told.Resent, told.Tick}
	}
	if !told.Update || told.Capped {
		return nil
	}
	key := paced{told.Client, told.Entity}
	last, again := p.paced[key]
	p.paced[key] = told.Tick
	every, steady := p.interval(told, last)
	if again && steady && int(told.Tick.Sub(p.before[last])) <= every {
		return fmt.Errorf("client %d is told values of %v as of tick %d, and was as of %d: its group is sent every %d ticks",
			told.Client, told.Entity, told.Tick, last, every)
	}
	return nil
}

// interval returns that of an entity's group, and whether it is, since two intervals before a
// tick, one and the same group of which nothing but values has changed, for a client to which
// nothing was sent again.
func (p *past) interval(told *endpoint.Told, last entangle.Tick) (every int, steady bool) {
	was := p.at(told.Entity, told.Tick)
	members := p.groups[told.Tick][was.group]
	every = was.pace.every
	for _, e := range members {
		every = min(every, p.at(e, told.Tick).pace.every)
	}
	from := last - entangle.Tick(2*every)
	if !p.came[told.Client].Before(from) || !p.resent[told.Client].tick.Before(from) || !slices.Equal(members, p.groups[last][was.group]) {
		return every, false
	}
	for _, e := range members {
		if !p.onlyValues(e, from) {
			return every, false
		}
	}
	return every, true
}

// onlyValues reports whether nothing but the values of an entity has changed since a tick.
func (p *past) onlyValues(e ecs.Entity, from entangle.Tick) bool {
	list := p.versions[e]
	now := &list[len(list)-1]
	first := after(list, from, since) - 1
	if first < 0 || now.pace.predicted || now.state.Paused {
		return false
	}
	for i := range list[first:] {
		v := list[first+i]
		if v.state.Values = now.state.Values; !slices.EqualFunc(list[first+i].state.Values, now.state.Values, sameComponent) || !v.equal(now) {
			return false
		}
	}
	return true
}

func sameComponent(a, b inspect.MirroredValue) bool { return a.Component == b.Component }
