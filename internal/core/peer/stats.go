package peer

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// Stats counts the traffic of one connection. Bytes are those of payloads, before sealing.
type Stats struct {
	PayloadsIn, PayloadsOut uint64
	BytesIn, BytesOut       uint64
	Unready                 uint64 // payloads dropped because this end was not Ready

	Packets  packet.Stats
	Channels channel.Stats
}

// payloads are the counters that are not kept elsewhere.
type payloads struct {
	in, out           uint64
	bytesIn, bytesOut uint64
	unready           uint64
}

// Stats returns the counters.
func (p *Peer) Stats() Stats {
	return Stats{
		PayloadsIn: p.stats.in, PayloadsOut: p.stats.out, BytesIn: p.stats.bytesIn, BytesOut: p.stats.bytesOut, Unready: p.stats.unready,
		Packets: p.tracker.Stats(), Channels: p.mux.Stats(),
	}
}

// countPacket counts a packet that leaves.
func (p *Peer) countPacket(payload []byte) {
	p.frame.packets++
	p.stats.out++
	p.stats.bytesOut += uint64(len(payload))
	p.budget.left -= len(payload) + sealBytes
}

// resyncWork is the cost of an entity that is resent because the peer requested its group: the entity
// is encoded, and sent reliably.
const resyncWork = 3

// comparedPerUnit is the number of bytes of the peer's entries that cost one unit of work for reading
// them and describing how they differ.
const comparedPerUnit = 4

// Work returns the units of work that the peer caused at this end: those of channel.Mux.Work, one for
// each group that it requested in full, resyncWork for each entity that was resent because of that,
// and the cost of comparing its entries. The receivers of messages and streams count their own costs.
func (p *Peer) Work() uint64 {
	entities := p.resyncs.entities
	if p.replication != nil {
		entities = p.replication.Asked()
	}
	return p.mux.Work() + p.resyncs.groups + resyncWork*entities + p.handshake.compared/comparedPerUnit
}

// Waiting returns the bytes of messages and structure that were not sent yet.
func (p *Peer) Waiting() int { return p.mux.UnsentAll() }

// QueuedBytes returns the cost of the reliable messages that wait or are not acknowledged,
// at most channel.DefaultReliableQueue, and DefaultRelayLimit for those of Relay.
func (p *Peer) QueuedBytes() int { return p.mux.Queued() }

// InFlight returns the number of packets with values that are in flight, at most MaxInFlight.
func (p *Peer) InFlight() int {
	if p.replication == nil {
		return 0
	}
	return p.replication.InFlight()
}

// MaxInFlight bounds InFlight: as many packets as ids can distinguish, and those of one more frame.
const MaxInFlight = packet.MaxInFlight + maxPackets

// HeldUp returns the number of tombstones that wait for the peer's acknowledgement. With more than
// sender.MaxHeldUp it must be disconnected.
func (p *Peer) HeldUp() int {
	if p.replication == nil {
		return 0
	}
	return p.replication.HeldUp()
}

// ActionBytes returns the cost of the structure that was queued for the peer and
// is not acknowledged; at most MaxActionBytes.
func (p *Peer) ActionBytes() int { return p.mux.Backlog(Actions) }

// ResourceBytes returns the bytes of resources that were queued for the peer and are
// not acknowledged; at most MaxResourceBytes.
func (p *Peer) ResourceBytes() int { return p.mux.Backlog(Resources) }

// EarlyBytes returns the cost of the messages of the peer that are incomplete or
// wait for one before them; at most channel.ReliableWindow + UnreliableWindow.
func (p *Peer) EarlyBytes() int { return p.mux.Held() }
