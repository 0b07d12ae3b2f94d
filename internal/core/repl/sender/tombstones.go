package sender

import "github.com/entangle-ecs/entangle"

// MaxTombstones bounds Tombstones: a peer that leaves more unacknowledged is to be disconnected.
const MaxTombstones = 1 << 14

// Tombstones returns how many entities have ended, or gone to another group, since the oldest action was
// sent that the peer has not acknowledged. What they had, numbers and handles, can't be used again before
// it has.
func (p *Peer) Tombstones() int {
	return p.actions.EndedSinceOldest(p.state.Ended)
}

// InFlight returns how many packets with values wait for their fate.
func (p *Peer) InFlight() int { return p.flights.Len() }

// packetUnderWay returns the tick of the oldest packet that is under way to any peer.
func (w *World) packetUnderWay() entangle.Tick {
	oldest := w.state.Tick
	for _, p := range w.peers {
		if t := p.flights.OldestTick(w.state.Tick); t.Before(oldest) {
			oldest = t
		}
	}
	return oldest
}
