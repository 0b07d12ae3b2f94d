package sender

import "github.com/entangle-ecs/entangle/internal/core/repl/schedule"

// Prepare plans the values that the peer is sent in this tick. If the last limit had less room than was
// planned, Limit does so, which knows how much room there is. Neither may run for two peers at once;
// AppendUpdates may, once all are prepared and have their limits, and prepares a peer that is not.
func (p *Peer) Prepare() {
	if !p.world.held {
		p.plan.Prepare(p.lossy())
	}
}

// Limit lets AppendUpdates write no more than so many bytes in this tick; less than 0 is
// no limit. Call it after Prepare and before AppendUpdates. If not even the most urgent
// record fits, that one goes all the same, and alone, unless the limit is 0: the caller's
// budget goes into debt for it.
func (p *Peer) Limit(bytes int) {
	if !p.world.held {
		p.plan.Limit(bytes)
	}
}

// WantedBytes returns, after Prepare, about how many bytes of updates are planned for
// this tick. Where the last limit had less room than was planned, it is an estimate by the sizes of the records that
// it was sent of late. For others, it is never less than what AppendUpdates writes into packets that
// hold nothing else.
func (p *Peer) WantedBytes() int {
	if p.world.held {
		return 0
	}
	return p.plan.WantedBytes()
}

// Meter sets whether waiting times are kept. They are for a peer with a byte cap, and for a peer
// that once had no room in its packets for groups that may have bounds.
func (p *Peer) Meter(on bool) { p.plan.Meter(on) }

// PollBreach reports, after the packets of a tick, groups that wait longer than their bound allows:
// once for each bound when it begins, and after that at most once in 60 ticks.
func (p *Peer) PollBreach() (b schedule.Breach, ok bool) { return p.plan.PollBreach() }
