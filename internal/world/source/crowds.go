package source

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// crowd is the entities of a group that has a name. Those that were paused before it
// became private, or public again, are still in the group of before.
type crowd struct {
	name    uint64 // of a group, or of a family in its upper half
	members []repl.Slot
	private bool // somebody could not see all of it once; it stays so, or the last hidden one's end would show
	moved   bool // private is where its members went last
	stirred bool
	looked  uint64 // crowds.look when it was last looked at for one client
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

// crowds is all of them, in an order that depends on nothing but what happened.
type crowds struct {
	list    []*crowd
	byName  map[uint64]*crowd
	stirred []*crowd // those to be looked at again
	spare   []*crowd
	look    uint64 // counts what crowds are looked at for, once in each
}

// of returns the crowd of a name, made if there is none.
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

// settle ends the tick: nothing is to be looked at again, and crowds without members
// are no more.
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
