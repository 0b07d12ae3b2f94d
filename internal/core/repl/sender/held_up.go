package sender

import "github.com/entangle-ecs/entangle"

// MaxHeldUp bounds HeldUp: a peer that holds up more is to be disconnected.
const MaxHeldUp = 1 << 14

// Ends counts the entities that have ended, or gone to another group. It wraps around.
func (w *World) Ends() uint32 { return uint32(w.ends) }

// HeldUp returns how many entities have ended, or gone to another group, since the oldest
// action or pinned message was sent that the peer has not acknowledged. The names of all
// those can't be used again before it has.
func (p *Peer) HeldUp() (n int) {
	if len(p.actions.messages) > 0 {
		n = int(p.world.ends - p.actions.messages[0].ends)
	}
	if p.pins {
		n = max(n, int(p.world.Ends()-p.pinnedEnds))
	}
	return n
}

// InFlight returns how many packets with values wait for their fate.
func (p *Peer) InFlight() int { return p.flights.packets.n }

// packetUnderWay returns the tick of the oldest packet that is under way to any peer.
func (w *World) packetUnderWay() entangle.Tick {
	oldest := w.tick
	for _, p := range w.peers {
		if t := p.flights.oldest(w.tick); t.Before(oldest) {
			oldest = t
		}
	}
	return oldest
}
