package sender

import "github.com/entangle-ecs/entangle/internal/core/repl/group"

// Stats counts what a World has done since NewWorld.
type Stats struct {
	group.Counts
	Updates uint64 // records of values
	Actions uint64 // actions, including fulls and ends
	Bodies  uint64 // bodies and chunks that were encoded; the other records were copies of them
	Resent  uint64 // groups due again because a packet was presumed lost, or might have been dropped
	Overdue uint64 // groups that waited for longer than they may, in each tick in which they did
}

func (s *Stats) accumulate(o *Stats) {
	s.Updates += o.Updates
	s.Actions += o.Actions
	s.Bodies += o.Bodies
	s.Resent += o.Resent
	s.Overdue += o.Overdue
}

// Resent returns how many groups were due again for this peer because a packet was presumed
// lost, or held an update that the peer might have dropped.
func (p *Peer) Resent() uint64 { return p.stats.Resent }

// countStats returns the counters of a peer.
func (p *Peer) countStats() *Stats {
	p.stats.Overdue = p.plan.OverdueTotal
	return &p.stats
}

// Stats returns the counters.
func (w *World) Stats() Stats {
	sum := w.stats
	sum.Counts, sum.Bodies = w.state.Counts, w.enc.BodiesMade
	for _, p := range w.peers {
		sum.accumulate(p.countStats())
	}
	return sum
}
