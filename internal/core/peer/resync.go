package peer

import (
	"time"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// resyncs counts the groups that the peer has requested in full, and the entities that were resent
// because of that.
type resyncs struct {
	groups   uint64
	entities uint64            // set by Close; before that, the sender counts them
	handle   func(repl.Handle) // Peer.handleResync
}

// requestResyncs requests the groups in full that the receiver cannot update any more.
func (p *Peer) requestResyncs(now time.Time) error {
	p.scratch = p.scratch[:0]
	for n := 0; n < maxResyncs; n++ {
		g, ok := p.cfg.Receiver.PollResync()
		if !ok {
			break
		}
		p.scratch = appendResync(p.scratch, g)
	}
	if len(p.scratch) == 0 {
		return nil
	}
	_, err := p.mux.Send(Control, p.scratch, 0, now)
	return err
}

func (p *Peer) handleResync(g repl.Handle) {
	p.resyncs.groups++
	if p.replication != nil {
		p.replication.HandleResync(g)
	}
}
