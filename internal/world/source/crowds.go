package source

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// crowd holds the entities of a named group. Members that were paused before the group became
// private or public are still in the former group.
type crowd struct {
	name    uint64 // name of a group, or of a hierarchy in the upper half
	members []repl.Slot
	private bool // some client could not see all of it; it stays so, since a change would reveal the end of the last hidden member
	moved   bool // the value of private when its members last moved
	stirred bool
	looked  uint64 // crowds.look when it was last evaluated for a client
}

func (c *crowd) named() uint64 {
	if c == nil {
		return 0
	}
	return c.name
}

func (c *crowd) remove(s repl.Slot) {
	if i := slices.Index(c.members, s); i >= 0 {
		c.members = slices.Delete(c.members, i, i+1)
	}
}

// crowds holds all crowds, in an order that depends only on the sequence of changes.
type crowds struct {
	list    []*crowd
	byName  map[uint64]*crowd
	stirred []*crowd // to be evaluated in this tick
	spare   []*crowd
	look    uint64 // number of the current evaluation, in which each crowd counts once
}

// of returns the crowd of a name, and creates it if it does not exist.
func (a *crowds) of(name uint64) *crowd {
	if c, ok := a.byName[name]; ok {
		return c
	}
	c := &crowd{}
	if n := len(a.spare); n > 0 {
		c, a.spare = a.spare[n-1], a.spare[:n-1]
	}
	*c = crowd{name: name, members: c.members[:0]}
	a.byName[name] = c
	a.list = append(a.list, c)
	return c
}

func (a *crowds) stir(c *crowd) {
	if !c.stirred {
		c.stirred = true
		a.stirred = append(a.stirred, c)
	}
}

// settle ends the tick: it clears the stale marks and removes crowds without members.
func (a *crowds) settle() {
	for _, c := range a.stirred {
		if c.stirred = false; len(c.members) > 0 {
			continue
		}
		delete(a.byName, c.name)
		i := slices.Index(a.list, c)
		a.list = slices.Delete(a.list, i, i+1)
		a.spare = append(a.spare, c)
	}
	a.stirred = a.stirred[:0]
}
