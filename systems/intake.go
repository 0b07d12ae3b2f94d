package systems

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/core/budget"
)

// What packets of clients cost, in units of work. A unit is about a tenth of a microsecond, and
// stands for whatever takes as long.
const (
	// packetWork is what a packet costs before its frames are read.
	packetWork = 32
	// refsPerUnit is how many references of messages cost one, and ticksPerUnit how many ticks
	// of an input lane.
	refsPerUnit  = 2
	ticksPerUnit = 16
	// laneWork is what a lane of an input costs beside its ticks.
	laneWork = 2
	// requestWork is what a request costs beside what the game does to answer it.
	requestWork = 8
	// copyWork is what a message that is passed on costs for each client that it is for. All
	// that the allowance of messages to others lets through takes less than the default of
	// Intake: what is beyond is refused, before anybody is disconnected for it.
	copyWork = 2
)

// Defaults of Intake.
const (
	// PacketsPerTick is how many packets for each tick a client may send: an honest one sends
	// one or two.
	PacketsPerTick = 8
	// LeastPackets is how many it may send in any case, per second.
	LeastPackets = 512
	// WorkPerPacket is how much work for each packet that it may send, packetWork included.
	WorkPerPacket = 64
)

// Intake bounds what each client makes the server do, per second. 0 is the default for the tick
// rate, less is no bound.
type Intake struct{ Packets, Work int }

// WithDefaults returns the bounds that hold.
func (i Intake) WithDefaults(tickRate int) Intake {
	packets := max(LeastPackets, PacketsPerTick*tickRate)
	if i.Packets == 0 {
		i.Packets = packets
	}
	if i.Work == 0 {
		i.Work = WorkPerPacket * max(packets, i.Packets)
	}
	return i
}

// tooCostly is the reason that a client gets which goes on to send more than its Intake.
const tooCostly = "it sent more than the server takes from one client"

// takes reports whether a packet of a client is to be read.
func (s *Server) takes(c *client, now time.Time) bool {
	switch c.intake.Take(now) {
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
	c.spend(packetWork)
	return true
}

func (c *client) spend(units int) {
	c.spent += uint64(units)
	c.intake.Spend(units)
}

// charge has a client pay for the work that it has made since.
func (c *client) charge() {
	work := c.peer.Work() + c.mail.work()
	if c.hands != nil {
		work += c.hands.work
	}
	c.spend(int(work - c.charged))
	c.charged = work
}
