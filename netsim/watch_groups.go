package netsim

import (
	"fmt"
	"maps"
	"slices"
	"sort"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/systems"
)

// WatchGroups does what Watch does, and checks after every frame that groups are
// whole: what a client shows of a group is, member for member, the server's group
// as it was at one tick. Groups may be at different ticks, and an entity that has
// left a group may be as it was before for a while, until it shows in the next.
// Call it after AddServer.
func (s *Sim) WatchGroups() {
	s.t.Helper()
	if s.server == nil {
		s.t.Fatalf("netsim: the simulation has no server yet; call AddServer first")
	}
	s.Watch()
	s.watch.groups = &groupWatch{
		past: map[ecs.Entity][]moment{}, world: s.server.world,
		marker: ecs.ComponentID[components.Replicate](s.server.world),
	}
}

// groupWatch remembers what every entity of the server was like at any tick, and
// in which group.
type groupWatch struct {
	world  *ecs.World
	marker ecs.ID
	past   map[ecs.Entity][]moment
	known  []ecs.Entity // in past, in the order of coming
}

// moment is what an entity was like from a tick on.
type moment struct {
	from  entangle.Tick
	group components.Group  // 0: its own
	state *systems.Mirrored // nil while it is paused, and when it is gone
	gone  bool
}

// in reports whether the entity belonged to a group.
func (m moment) in(group components.Group) bool { return m.state != nil && m.group == group }

// record takes in the server's world at a tick.
func (g *groupWatch) record(m *systems.Mirror) {
	there := map[ecs.Entity]bool{}
	for i := range m.Entities {
		e := &m.Entities[i]
		if e.ID == 0 {
			continue
		}
		there[e.Entity] = true
		now := moment{from: m.Tick}
		if !e.Paused {
			now.state, now.group = e, (*components.Replicate)(g.world.Get(e.Entity, g.marker)).Group
		}
		g.add(e.Entity, now)
	}
	for _, e := range g.known {
		if !there[e] {
			g.add(e, moment{from: m.Tick, gone: true})
		}
	}
}

func (g *groupWatch) add(e ecs.Entity, now moment) {
	list, known := g.past[e]
	if !known {
		g.known = append(g.known, e)
	}
	if n := len(list); n == 0 || !list[n-1].same(now) {
		g.past[e] = append(list, now)
	}
}

// same reports whether nothing changed between two moments of an entity.
func (m moment) same(o moment) bool {
	return m.gone == o.gone && m.group == o.group && m.alike(o)
}

// alike reports whether an entity looked the same, whatever its group.
func (m moment) alike(o moment) bool {
	if m.state == nil || o.state == nil {
		return m.state == o.state
	}
	return m.state == o.state || slices.EqualFunc(m.state.Values, o.state.Values, equalValue)
}

// at returns what an entity was like at a tick: nothing before it came.
func (g *groupWatch) at(e ecs.Entity, tick entangle.Tick) moment {
	list := g.past[e]
	n := after(list, tick)
	if n == 0 {
		return moment{gone: true}
	}
	return list[n-1]
}

// after returns the place of the first moment after a tick.
func after(list []moment, tick entangle.Tick) int {
	return sort.Search(len(list), func(i int) bool { return tick.Before(list[i].from) })
}

// check holds the groups that a client shows against those of the server. shown
// has the server's entities that the client has copies of, each with the tick that
// the client holds of it; now is the server's tick.
func (g *groupWatch) check(shown map[ecs.Entity]entangle.Tick, now entangle.Tick) error {
	newest := map[components.Group]entangle.Tick{}
	for e, tick := range shown {
		m := g.at(e, tick)
		if m.state == nil || m.group == 0 {
			continue
		}
		if t, ok := newest[m.group]; !ok || t.Before(tick) {
			newest[m.group] = tick
		}
	}
	for _, group := range slices.Sorted(maps.Keys(newest)) {
		if err := g.whole(group, shown, newest[group], now); err != nil {
			return fmt.Errorf("group %d is not as it was at any tick from %d on: then %w", group, newest[group], err)
		}
	}
	return nil
}

// whole looks for a tick at which the server's group was what is shown. A client
// may be further than the newest of what it shows, since what left is shown as it
// was. The error is that of the first tick.
func (g *groupWatch) whole(group components.Group, shown map[ecs.Entity]entangle.Tick, from, now entangle.Tick) error {
	first := g.matches(group, shown, from)
	for tick, err := from+1, first; err != nil; tick++ {
		if now.Before(tick) {
			return first
		}
		err = g.matches(group, shown, tick)
	}
	return nil
}

// matches compares a group as it was at a tick with what is shown.
func (g *groupWatch) matches(group components.Group, shown map[ecs.Entity]entangle.Tick, at entangle.Tick) error {
	for _, e := range g.known {
		tick, here := shown[e]
		was, is := g.at(e, at), g.at(e, tick)
		switch {
		case was.in(group) && !here:
			return fmt.Errorf("the server's %v was in it, and is missing", e)
		case was.in(group) && !is.alike(was):
			return fmt.Errorf("the server's %v was not as it is shown, as of tick %d", e, tick)
		case here && is.in(group) && !was.in(group) && !g.left(e, group, tick, at):
			return fmt.Errorf("the server's %v, shown as of tick %d, was not in it", e, tick)
		}
	}
	return nil
}

// left reports whether an entity that was in a group at a tick has gone over to
// another one since, or was paused: then it stays as it was.
func (g *groupWatch) left(e ecs.Entity, group components.Group, since, until entangle.Tick) bool {
	list := g.past[e]
	for _, m := range list[after(list, since):after(list, until)] {
		if !m.gone && !m.in(group) {
			return true
		}
	}
	return false
}
