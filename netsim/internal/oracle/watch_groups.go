package oracle

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle/internal/world/inspect"
)

// checkGroups checks that each group of the client has exactly the members that the server's group
// had at its tick.
func (c *clientCheck) checkGroups() error {
	for i := range c.mirror.Groups {
		if err := c.checkGroup(&c.mirror.Groups[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *clientCheck) checkGroup(g *inspect.MirroredGroup) error {
	of, known, err := c.serverGroup(g)
	if err != nil {
		return err
	}
	members := map[ecs.Entity]bool{}
	for _, id := range g.Members {
		e, _ := c.original(id, g.Tick)
		members[e] = true
	}
	for _, e := range c.history.groups[g.Tick][of] {
		was := c.history.versionAt(e, g.Tick)
		if known && !members[e] && !was.state.Paused && was.views[c.client].sees {
			return fmt.Errorf("its group %d at tick %d lacks the server's %v", g.Handle, g.Tick, e)
		}
	}
	return c.checkPausedMembers(g)
}

// serverGroup returns the server's group that corresponds to a client's. It ignores paused members,
// which stay in the client's group when the others move to another one.
func (c *clientCheck) serverGroup(g *inspect.MirroredGroup) (of group, known bool, err error) {
	for _, id := range g.Members {
		e, was := c.original(id, g.Tick)
		if known && !was.state.Paused && was.group != of {
			return of, true, fmt.Errorf("its group %d at tick %d has the server's %v, which was elsewhere", g.Handle, g.Tick, e)
		}
		if !was.state.Paused {
			of, known = was.group, true
		}
	}
	return of, known, nil
}

// checkPausedMembers checks that members of the last check that were paused ever since are still
// there.
func (c *clientCheck) checkPausedMembers(g *inspect.MirroredGroup) error {
	before := c.last.groups[g.Handle]
	for _, id := range before.Members {
		e, _ := c.original(id, before.Tick)
		if c.replicas[e].IsZero() && c.history.wasPaused(e, before.Tick, g.Tick) {
			return fmt.Errorf("its group %d at tick %d has lost the server's %v, which is paused", g.Handle, g.Tick, e)
		}
	}
	return nil
}
