package netsim

import (
	"fmt"
	"slices"

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
	for _, id := range l.past.groups[g.Tick][of] {
		if slices.Contains(g.Members, id) {
			continue
		}
		if was := l.past.at(id, g.Tick); !was.state.Paused || l.had(g, id) {
			return fmt.Errorf("its group %d at tick %d lacks the server's %v", g.Handle, g.Tick, was.state.Entity)
		}
	}
	return nil
}

// groupOf returns which of the server's groups a client's is: that of its members,
// or of those that it had.
func (l *look) groupOf(g *systems.MirroredGroup) (of group, known bool, err error) {
	for _, id := range g.Members {
		was := l.past.at(id, g.Tick)
		if known && was.group != of {
			return of, true, fmt.Errorf("its group %d at tick %d has the server's %v, which was elsewhere", g.Handle, g.Tick, was.state.Entity)
		}
		of, known = was.group, true
	}
	if before, ok := l.before.groups[g.Handle]; !known && ok && len(before.Members) > 0 {
		return l.past.at(before.Members[0], before.Tick).group, true, nil
	}
	return of, known, nil
}

// had reports whether a member was there at the last check, and has been in the
// group ever since: then it is there still, paused or not.
func (l *look) had(g *systems.MirroredGroup, id uint64) bool {
	before, ok := l.before.groups[g.Handle]
	return ok && slices.Contains(before.Members, id) && l.past.stayed(id, before.Tick, g.Tick)
}
