package endpoint

import (
	"github.com/entangle-ecs/entangle"
	"github.com/mlange-42/arche/ecs"
)

// Overdue reports that groups have waited longer than their bound to be sent to a client, because
// its cap or the packets of a tick have no room for them.
type Overdue struct {
	Client     entangle.ClientID
	Entity     ecs.Entity // a member of the group that has waited longest
	Groups     int
	Age, Bound int // ticks
}

// reportOverdue calls OnOverdue for the bounds that were exceeded for a client in the frame.
func (s *Server) reportOverdue(c *client) {
	updates := c.peer.Replication()
	if updates == nil || s.cfg.OnOverdue == nil {
		return
	}
	for b, ok := updates.PollBreach(); ok; b, ok = updates.PollBreach() {
		s.cfg.OnOverdue(Overdue{
			Client: c.id, Entity: s.collector.EntityOf(b.Slot), Groups: b.Groups, Age: b.Age, Bound: b.Bound,
		})
	}
}
