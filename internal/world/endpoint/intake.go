package endpoint

import (
	"maps"
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// The work that a client causes in addition to that of its frames. A unit of work is about a tenth
// of a microsecond.
const (
	// packetWork is the cost of a packet before its frames are read.
	packetWork = 25
	// connectWork is the cost of admitting a client: creating its connection, and starting to send
	// it the world.
	connectWork = 1024
)

// Defaults of ServerConfig.Intake.
const (
	// WorkPerTick is how much work a client may cause per tick. An honest client that sends a
	// packet per tick causes a third of it.
	WorkPerTick = 96
	// LeastWork is how much work a client may cause per second at any tick rate.
	LeastWork = 1 << 15
)

// IntakeRate returns how much work a client may cause per second, where work is the configured value. 0
// selects the default for the tick rate, and a negative value means no limit.
func IntakeRate(work, tickRate int) int {
	if work == 0 {
		return max(LeastWork, WorkPerTick*tickRate)
	}
	return work
}

// quotasPerClient is how many quotas of disconnected clients a server keeps, per client of its
// maximum.
const quotasPerClient = 16

// quotas keeps the work quotas of disconnected clients that have used up a part of theirs. A quota
// belongs to a client id, so a client does not get a new one by connecting again.
type quotas map[entangle.ClientID]budget.Quota

// takeQuota returns the quota of a client that connects.
func (q quotas) takeQuota(id entangle.ClientID, in *budget.Intake) budget.Quota {
	kept, ok := q[id]
	if !ok {
		return in.Admit()
	}
	delete(q, id)
	return kept
}

// storeQuota stores the quota of a client that disconnects, unless the quota is fully restored or
// there is no room for it.
func (q quotas) storeQuota(id entangle.ClientID, quota budget.Quota, in *budget.Intake, most int) {
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

// admitPacket reports whether a packet of a client must be read.
func (s *Server) admitPacket(c *client, now time.Time) bool {
	switch s.intake.Take(&c.quota) {
	case budget.Drop:
		s.dead.Excess++
		return false
	case budget.Part:
		s.dead.Excess++
		s.dead.TooCostly++
		s.cfg.Log.Warn("a client is disconnected for what it costs", "client", c.id)
		s.disconnectClient(c, ErrOverQuota, now)
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

// chargeWork charges a client for the work that it has caused since the last call.
func (s *Server) chargeWork(c *client) {
	work := c.peer.Work() + c.mail.Work()
	if c.player != nil {
		work += c.player.Work
	}
	s.spend(c, int(work-c.charged))
	c.charged = work
}

// quotaOf returns how much work a client may still cause in this frame, and how much of that may be
// work for other clients.
func (s *Server) quotaOf(c *client) (left, forOthers int) {
	s.chargeWork(c)
	return s.intake.Left(&c.quota), s.intake.ForOthers(&c.quota)
}
