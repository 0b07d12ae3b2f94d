package endpoint

import (
	"maps"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// What a client costs beside what its frames do, in units of work. A unit is about a tenth of a
// microsecond.
const (
	// packetWork is what a packet costs before its frames are read.
	packetWork = 25
	// connectWork is what it costs to let a client in: to make its connection, and to begin to send
	// it the world.
	connectWork = 1024
)

// Defaults of ServerConfig.Intake.
const (
	// WorkPerTick is how much work for each tick a client may cause: an honest one with a packet
	// for each tick causes a third of it.
	WorkPerTick = 96
	// LeastWork is how much it may cause in any case, per second.
	LeastWork = 1 << 15
)

// IntakeRate returns how much work a client may cause per second, 0 being the default for the
// tick rate, and less no bound.
func IntakeRate(work, tickRate int) int {
	if work == 0 {
		return max(LeastWork, WorkPerTick*tickRate)
	}
	return work
}

// quotasPerClient is of how many clients that have left a server keeps the quotas, for each that it
// has room for.
const quotasPerClient = 16

// quotas are those of clients that have left and would have more if they came again: a quota is that
// of a client id, for however many connections.
type quotas map[entangle.ClientID]budget.Quota

// take returns the quota of a client that comes.
func (q quotas) take(id entangle.ClientID, in *budget.Intake) budget.Quota {
	kept, ok := q[id]
	if !ok {
		return in.Admit()
	}
	delete(q, id)
	return kept
}

// keep keeps the quota of a client that leaves, as long as it makes a difference and there is room
// for it.
func (q quotas) keep(id entangle.ClientID, quota budget.Quota, in *budget.Intake, most int) {
	if in.Restored(&quota) {
		return
	}
	if len(q) >= most {
		maps.DeleteFunc(q, func(_ entangle.ClientID, other budget.Quota) bool { return in.Restored(&other) })
	}
	if len(q) < most {
		q[id] = quota
	}
}

// tooCostly is the reason that a client gets which goes on to send more than its quota.
const tooCostly = "it sent more than the server takes from one client"

// takes reports whether a packet of a client is to be read.
func (s *Server) takes(c *client, now time.Time) bool {
	switch s.intake.Take(&c.quota) {
	case budget.Drop:
		s.dead.Excess++
		return false
	case budget.Part:
		s.dead.Excess++
		s.dead.TooCostly++
		s.cfg.Log.Warn("a client is disconnected for what it costs", "client", c.id)
		s.end(c, tooCostly, now)
		return false
	}
	if !c.mail.Ready() {
		s.dead.Excess++
		return false
	}
	s.spend(c, packetWork)
	return true
}

func (s *Server) spend(c *client, units int) {
	c.spent += uint64(units)
	s.intake.Spend(&c.quota, units)
}

// pay has a client pay for the work that it has caused since.
func (s *Server) pay(c *client) {
	work := c.peer.Work() + c.mail.Work()
	if c.hands != nil {
		work += c.hands.Work
	}
	s.spend(c, int(work-c.charged))
	c.charged = work
}

// quotaOf returns how much work a client may still cause in this frame, and how much of it may be
// for others.
func (s *Server) quotaOf(c *client) (left, forOthers int) {
	s.pay(c)
	return s.intake.Left(&c.quota), s.intake.Spare(&c.quota)
}
