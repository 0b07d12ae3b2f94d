package endpoint

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// packetWork is what a client's packet costs before its frames are read, in units of work. A
// unit is about a tenth of a microsecond.
const packetWork = 25

// Defaults of ServerConfig.Intake.
const (
	// WorkPerTick is how much work for each tick a client may cause: an honest one causes less
	// than a tenth of it.
	WorkPerTick = 512
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
