package netsim

import (
	"fmt"
	"slices"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/systems"
)

// whole holds that each group is, member for member, the server's at its tick.
func (l *look) whole() error {
	for i := range l.mirror.Groups {
		if err := l.wholeGroup(&l.mirror.Groups[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) wholeGroup(g *systems.MirroredGroup) error {
	of, known, err := l.groupOf(g)
	if err != nil || !known {
		return err
	}
	members := map[ecs.Entity]bool{}
	for _, id := range g.Members {
		e, _ := l.who(id, g.Tick)
		members[e] = true
	}
	for _, e := range l.past.groups[g.Tick][of] {
		was := l.past.at(e, g.Tick)
		if members[e] || !was.seen[l.client].sees || was.state.Paused && !l.had(g, e) {
			continue
		}
		return fmt.Errorf("its group %d at tick %d lacks the server's %v", g.Handle, g.Tick, e)
	}
	return nil
}

// groupOf returns which of the server's groups a client's is: that of its members,
// or of those that it had.
func (l *look) groupOf(g *systems.MirroredGroup) (of group, known bool, err error) {
	for _, id := range g.Members {
		e, was := l.who(id, g.Tick)
		if known && was.group != of {
			return of, true, fmt.Errorf("its group %d at tick %d has the server's %v, which was elsewhere", g.Handle, g.Tick, e)
		}
		of, known = was.group, true
	}
	if before, ok := l.before.groups[g.Handle]; !known && ok && len(before.Members) > 0 {
		_, was := l.who(before.Members[0], before.Tick)
		return was.group, true, nil
	}
	return of, known, nil
}

// had reports whether a member was there at the last check, and has been in the
// group ever since: then it is there still, paused or not.
func (l *look) had(g *systems.MirroredGroup, e ecs.Entity) bool {
	before, ok := l.before.groups[g.Handle]
	return ok && l.past.stayed(e, l.client, before.Tick, g.Tick) && slices.ContainsFunc(before.Members, func(id uint64) bool {
		was, _ := l.who(id, before.Tick)
		return was == e
	})
}
