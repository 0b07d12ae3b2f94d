package sender

import "github.com/entangle-ecs/entangle/internal/core/repl/group"

// Stats counts what a sender did, since it was made.
type Stats struct {
	group.Counts
	Updates        uint64 // records of values
	Actions        uint64 // records of structure, fulls and ends among them
	Bodies         uint64 // encoded; what is above it was shared
	Resyncs        uint64 // groups sent in full because a peer asked
	PrivateResyncs uint64 // of these, private groups
	Resent         uint64 // groups due again because a packet was presumed lost, or might have been dropped
	Overdue        uint64 // groups that waited for longer than they may, in each tick in which they did
}

func (s *Stats) accumulate(o *Stats) {
	s.Updates += o.Updates
	s.Actions += o.Actions
	s.Bodies += o.Bodies
	s.Resyncs += o.Resyncs
	s.PrivateResyncs += o.PrivateResyncs
	s.Resent += o.Resent
	s.Overdue += o.Overdue
}

// Resent returns how many groups were due again for this peer because a packet was presumed
// lost, or held an update that the peer might have dropped.
func (p *Peer) Resent() uint64 { return p.stats.Resent }

// count returns what was done for a peer.
func (p *Peer) count() *Stats {
	p.stats.Overdue = p.plan.OverdueTotal
	return &p.stats
}

// Stats returns the counters.
func (w *World) Stats() Stats {
	sum := w.stats
	sum.Counts, sum.Bodies = w.state.Counts, w.enc.BodiesMade
	for _, p := range w.peers {
		sum.accumulate(p.count())
	}
	return sum
}
