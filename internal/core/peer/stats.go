package peer

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// Stats counts what went over one connection. Bytes are those of payloads, before
// sealing.
type Stats struct {
	PayloadsIn, PayloadsOut uint64
	BytesIn, BytesOut       uint64

	Packets  packet.Stats
	Channels channel.Stats
}

// Stats returns the counters.
func (p *Peer) Stats() Stats {
	s := p.stats
	s.Packets, s.Channels = p.tracker.Stats(), p.mux.Stats()
	return s
}

func (p *Peer) count(payload []byte) {
	p.frame++
	p.stats.PayloadsOut++
	p.stats.BytesOut += uint64(len(payload))
}
