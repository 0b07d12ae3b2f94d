package netsim

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// whole checks that each group has exactly the members of the server's group at its tick.
func (l *look) whole() error {
	for i := range l.mirror.Groups {
		if err := l.wholeGroup(&l.mirror.Groups[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) wholeGroup(g *inspect.MirroredGroup) error {
	of, known, err := l.groupOf(g)
	if err != nil {
		return err
	}
	members := map[ecs.Entity]bool{}
	for _, id := range g.Members {
		e, _ := l.who(id, g.Tick)
		members[e] = true
	}
	for _, e := range l.past.groups[g.Tick][of] {
		was := l.past.at(e, g.Tick)
		if known && !members[e] && !was.state.Paused && was.seen[l.client].sees {
			return fmt.Errorf("its group %d at tick %d lacks the server's %v", g.Handle, g.Tick, e)
		}
	}
	return l.rested(g)
}

// groupOf returns the server's group that corresponds to a client's. It ignores paused members,
// which stay in the client's group when the others move to another one.
func (l *look) groupOf(g *inspect.MirroredGroup) (of group, known bool, err error) {
	for _, id := range g.Members {
		e, was := l.who(id, g.Tick)
		if known && !was.state.Paused && was.group != of {
			return of, true, fmt.Errorf("its group %d at tick %d has the server's %v, which was elsewhere", g.Handle, g.Tick, e)
		}
		if !was.state.Paused {
			of, known = was.group, true
		}
	}
	return of, known, nil
}

// rested checks that members of the last check that were paused ever since are still there.
func (l *look) rested(g *inspect.MirroredGroup) error {
	before := l.before.groups[g.Handle]
	for _, id := range before.Members {
		e, _ := l.who(id, before.Tick)
		if l.local[e].IsZero() && l.past.rested(e, before.Tick, g.Tick) {
			return fmt.Errorf("its group %d at tick %d has lost the server's %v, which is paused", g.Handle, g.Tick, e)
		}
	}
	return nil
}
