package source

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// namedGroup holds the entities of a named group. Members that were paused before the group became
// private or public are still in the former group. Members beyond repl.MaxMembers are groups of
// their own at the sender, and are shown when the others are.
type namedGroup struct {
	name      uint64 // name of a group, or of a hierarchy in the upper half
	members   []repl.Slot
	private   bool // some client could not see all of it; it stays so, since a change would reveal the end of the last hidden member
	moved     bool // the value of private when its members last moved
	stale     bool
	evaluated uint64 // namedGroups.evaluation when it was last evaluated for a client
}

func (g *namedGroup) nameOrZero() uint64 {
	if g == nil {
		return 0
	}
	return g.name
}

func (g *namedGroup) removeMember(s repl.Slot) {
	if i := slices.Index(g.members, s); i >= 0 {
		g.members = slices.Delete(g.members, i, i+1)
	}
}

// namedGroups holds all named groups, in an order that depends only on the sequence of changes.
type namedGroups struct {
	list       []*namedGroup
	byName     map[uint64]*namedGroup
	stale      []*namedGroup // to be evaluated in this tick
	unused     []*namedGroup
	evaluation uint64 // number of the current evaluation, in which each group counts once
}

// groupNamed returns the group of a name, and creates it if it does not exist.
func (g *namedGroups) groupNamed(name uint64) *namedGroup {
	if c, ok := g.byName[name]; ok {
		return c
	}
	c := &namedGroup{}
	if n := len(g.unused); n > 0 {
		c, g.unused = g.unused[n-1], g.unused[:n-1]
	}
	*c = namedGroup{name: name, members: c.members[:0]}
	g.byName[name] = c
	g.list = append(g.list, c)
	return c
}

func (g *namedGroups) markStale(c *namedGroup) {
	if !c.stale {
		c.stale = true
		g.stale = append(g.stale, c)
	}
}

// endTick ends the tick: it clears the stale marks and removes groups without members.
func (g *namedGroups) endTick() {
	for _, c := range g.stale {
		if c.stale = false; len(c.members) > 0 {
			continue
		}
		delete(g.byName, c.name)
		i := slices.Index(g.list, c)
		g.list = slices.Delete(g.list, i, i+1)
		g.unused = append(g.unused, c)
	}
	g.stale = g.stale[:0]
}
