package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl/flight"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// HandleAcked moves the baselines of the groups that acknowledged packets carried: the peer has these groups as of the
// tick of the packet, or will before it applies anything later. The packets may be told in any order, but the newest that
// had arrived before a packet must be told before it, or in the same call. HandleAcked sorts pkts.
func (u *updates) HandleAcked(pkts ...uint16) {
	u.flights.Acknowledge(pkts, u.received.Arrived, u.handleUpdateAcked, u.handleRunAcked)
}

// handleUpdateAcked moves the baseline of a group to an update that the peer has. An update that may have been dropped
// moves none: if it is unproven, its changes are sent again when the group's action is acknowledged, and if a newer one may
// have overtaken it, the peer has that, or it is lost and sent again. An update of a former group under the handle moves
// none either: the end of that group has moved the baseline beyond it.
func (u *updates) handleUpdateAcked(s flight.Sent) {
	sp, i := u.groups.LocateHandle(s.Group)
	if u.received != nil {
		u.received.Acknowledge(rewindGroup(sp, i), s.Tick)
	}
	if !s.Unproven && sp.Base[i].Before(s.Tick) && !(s.Overtaken && sentSince(sp, i, s.Tick)) {
		sp.MoveBase(i, s.Tick, s.Base)
	}
}

// sentSince reports whether a newer update of a group than that of a tick was sent, or may have been: Space.Requeue
// forgets when a group with a view was.
func sentSince(sp *group.Space, i int, tick entangle.Tick) bool {
	forgotten := sp.Planned[i].Before(tick) && sp.ViewOf(i) != 0
	return forgotten || tick.Before(sp.Planned[i])
}

func (u *updates) handleRunAcked(r flight.SentRun) {
	if !r.Dense || r.Overtaken || u.flights.KeepBaselines {
		for _, h := range r.Groups {
			u.handleUpdateAcked(flight.Sent{Tick: r.Tick, Group: h, Overtaken: r.Overtaken, Base: r.Base})
		}
		return
	}
	if u.received != nil {
		u.received.AcknowledgeRange(int(r.Groups[0]), int(r.Last())+1, r.Tick)
	}
	group.Advance(u.groups.Public.Base[r.Groups[0]:r.Last()+1], r.Tick)
}
