package systems

import "github.com/mlange-42/arche/ecs"

// SetInputDelay has what the player does act so many ticks later. The others are told of it
// at once, so that it can be there when it acts.
func (l *Local) SetInputDelay(ticks int) { l.delay = ticks }

// InputDelay returns what SetInputDelay set.
func (l *Local) InputDelay() int { return l.delay }

// House has the player who lives in the world of a server drive what it controls there. The
// owner of the moment counts; the tag that says so comes and goes with the next frame.
func (i *Inputs) House(l *Local) {
	i.own = newOwnInputs(i.world, i.hub, i.protocol.Inputs(), i.protocol.TickRate())
	i.own.me, i.own.delay, i.own.relay = l.ID, l.InputDelay, i.led.relay
	i.own.mine = func(e ecs.Entity) bool { return l.open && i.led.owner(e) == l.id }
}

// newPassing returns what a lane of the player has to pass on.
func (o *ownInputs) newPassing(lane *ownLane, k *ownKind) passing {
	return passing{entity: lane.entity, number: k.number, owner: o.me(), lane: lane.writer, codec: k.codec}
}

// wrote takes down what was written in a lane since the last time.
func (r *relay) wrote(p *passing) {
	newest, some := p.lane.Newest()
	if r == nil || !some {
		return
	}
	if !p.wrote.some {
		p.wrote = oldest{newest, true}
	}
	if !newest.Before(p.wrote.tick) {
		r.note(p, p.wrote.tick)
		p.wrote.tick = newest + 1
	}
}
