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

// pace holds the send settings of an entity's Replicate and of those of its ancestors.
type pace struct {
	every     int
	predicted bool // some client may predict it: no interval applies to that client
}

// paceOf returns the send settings of an entity.
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

// paced identifies the updates of one entity for one client.
type paced struct {
	client entangle.ClientID
	entity ecs.Entity
}

// pacing records the ticks of the latest updates, and the resends of clients.
type pacing struct {
	paced  map[paced]entangle.Tick
	before map[entangle.Tick]entangle.Tick // the tick recorded before a tick
	resent map[entangle.ClientID]resent
}

// resent is the number of resends to a client, and the tick of the latest one.
type resent struct {
	count uint64
	tick  entangle.Tick
}

func newPacing() pacing {
	return pacing{paced: map[paced]entangle.Tick{}, before: map[entangle.Tick]entangle.Tick{}, resent: map[entangle.ClientID]resent{}}
}

// keepsPace checks that the values of a group with an interval are sent to a client once per
// interval, as long as there are no other changes of the group, no data was lost, and no cap delays
// them. A recorded tick also stands for the unrecorded ticks before it.
func (p *past) keepsPace(told *endpoint.SentEntity) error {
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

// interval returns the interval of an entity's group. steady reports whether, since two intervals
// before the last update, the group had the same members with changes of values only, and nothing
// was resent to the client.
func (p *past) interval(told *endpoint.SentEntity, last entangle.Tick) (every int, steady bool) {
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

// onlyValues reports whether only the values of an entity have changed since a tick.
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
