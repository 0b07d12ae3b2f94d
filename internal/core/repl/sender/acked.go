package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// HandleAcked moves the baselines of the groups that acknowledged packets carried: the peer has these groups as of the
// tick of the packet, or will before it applies anything later. The call is fastest with packets in sending order.
func (u *updates) HandleAcked(pkts ...uint16) {
	u.flights.Remove(pkts, u.handleUpdateAcked, u.handleRunAcked)
}

// handleUpdateAcked moves the baseline of a group to an update that the peer has. An update that may have been dropped
// moves none: its changes are sent again when the group's action is acknowledged.
func (u *updates) handleUpdateAcked(s flight.Sent) {
	sp, i := u.groups.LocateHandle(s.Group)
	if u.received != nil {
		u.received.Acknowledge(placeAt(sp, i), s.Tick)
	}
	if !s.Unproven && sp.Base[i].Before(s.Tick) {
		sp.MoveBase(i, s.Tick, s.Base)
	}
}

func (u *updates) handleRunAcked(tick entangle.Tick, r flight.SentRun) {
	if !r.Dense || u.flights.KeepBaselines {
		for _, h := range r.Groups {
			u.handleUpdateAcked(flight.Sent{Tick: tick, Group: h, Base: r.Base})
		}
		return
	}
	if u.received != nil {
		u.received.AcknowledgeRange(int(r.Groups[0]), int(r.Last())+1, tick)
	}
	group.Advance(u.groups.Public.Base[r.Groups[0]:r.Last()+1], tick)
}
