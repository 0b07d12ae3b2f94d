package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// Overdue says that groups wait for longer than their bound before a client is sent them:
// its cap, or the packets of a tick, have no room to keep it.
type Overdue struct {
	Client     entangle.ClientID
	Entity     ecs.Entity // of the group that has waited for longest
	Groups     int
	Age, Bound int // ticks
}

// tellOverdue tells of the bounds that were broken at a client in the frame.
func (s *Server) tellOverdue(c *client) {
	updates := c.peer.Updates()
	if updates == nil || s.cfg.OnOverdue == nil {
		return
	}
	for b, ok := updates.PollBreach(); ok; b, ok = updates.PollBreach() {
		s.cfg.OnOverdue(Overdue{
			Client: c.id, Entity: s.publisher.EntityOf(b.Slot), Groups: b.Groups, Age: b.Age, Bound: b.Bound,
		})
	}
}
