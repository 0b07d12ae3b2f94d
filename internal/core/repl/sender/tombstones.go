package sender

import "github.com/entangle-ecs/entangle"

// MaxTombstones is the largest value of Tombstones for which the caller should keep the connection of a peer.
const MaxTombstones = 1 << 14

// Tombstones returns the number of entities that ended or left a group since the oldest action in flight to the peer was
// sent. Their member numbers and handles cannot be reused until the peer acknowledges it.
func (p *Peer) Tombstones() int { return p.messages.EndedSinceOldest(p.state.Ended) }

// InFlight returns the number of packets with updates that may be in flight.
func (u *updates) InFlight() int { return u.flights.Len() }

// oldestPacket returns the tick of the oldest packet in flight to any peer.
func (w *World) oldestPacket() entangle.Tick {
	oldest := w.state.Tick
	for _, p := range w.peers {
		if t := p.updates.flights.OldestTick(w.state.Tick); t.Before(oldest) {
			oldest = t
		}
	}
	return oldest
}

// oldestInFlight returns the tick of the oldest packet or message in flight to any peer.
func (w *World) oldestInFlight() entangle.Tick {
	oldest := w.oldestPacket()
	for _, p := range w.peers {
		if t := p.messages.OldestTick(w.state.Tick); t.Before(oldest) {
			oldest = t
		}
	}
	return oldest
}
