package peer

import (
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// Stats counts the traffic of one connection. Bytes are those of payloads; the bytes that sealing
// adds do not count.
type Stats struct {
	PayloadsIn, PayloadsOut uint64
	BytesIn, BytesOut       uint64
	Unready                 uint64 // payloads dropped because this end was not Ready
	Throttled               uint64 // data packets not sent because the peer acknowledges none

	Packets  packet.Stats
	Channels channel.Stats
}

// payloads has the counters of Stats that the Peer itself counts. The tracker and the mux count the
// others.
type payloads struct {
	in, out           uint64
	bytesIn, bytesOut uint64
	unready           uint64
	throttled         uint64
}

// Stats returns the counters.
func (p *Peer) Stats() Stats {
	return Stats{
		PayloadsIn: p.stats.in, PayloadsOut: p.stats.out, BytesIn: p.stats.bytesIn, BytesOut: p.stats.bytesOut,
		Unready: p.stats.unready, Throttled: p.stats.throttled,
		Packets: p.tracker.Stats(), Channels: p.mux.Stats(),
	}
}

// countPacket counts a packet that is sent.
func (p *Peer) countPacket(payload []byte) {
	p.frame.packets++
	p.stats.out++
	p.stats.bytesOut += uint64(len(payload))
	p.budget.left -= len(payload) + sealBytes
}

// comparedPerUnit is the number of bytes of the peer's registry entries that cause one unit of
// work. In a handshake with another protocol, this end reads these entries and describes how they
// differ from its own.
const comparedPerUnit = 4

// Work returns how many units of work the peer has caused at this end: those of channel.Mux.Work, and the work of
// comparing its entries. The readers of messages and feeds count their own work.
func (p *Peer) Work() uint64 { return p.mux.Work() + p.handshake.compared/comparedPerUnit }

// Waiting returns the bytes of messages and structure that were not sent yet.
func (p *Peer) Waiting() int { return p.mux.UnsentAll() }

// QueuedBytes returns the cost of the reliable messages that wait to be sent or acknowledged. It is
// at most channel.DefaultReliableQueue, plus at most the relay limit for messages of Relay.
func (p *Peer) QueuedBytes() int { return p.mux.Queued() }

// InFlight returns the number of packets with updates that are in flight, at most MaxInFlight.
func (p *Peer) InFlight() int {
	if p.replication == nil {
		return 0
	}
	return p.replication.InFlight()
}

// MaxInFlight bounds InFlight: packet.MaxInFlight, plus the packets of one more frame.
const MaxInFlight = packet.MaxInFlight + maxPackets

// Tombstones returns the number of tombstones that wait for the peer's acknowledgement. If there are
// more than sender.MaxTombstones, the peer must be disconnected.
func (p *Peer) Tombstones() int {
	if p.replication == nil {
		return 0
	}
	return p.replication.Tombstones()
}

// ActionBytes returns the bytes of structure that were queued for the peer and are not
// acknowledged; at most MaxActionBytes.
func (p *Peer) ActionBytes() int { return p.mux.Backlog(Actions) }

// ResourceBytes returns the bytes of resources that were queued for the peer and are
// not acknowledged; at most MaxResourceBytes.
func (p *Peer) ResourceBytes() int { return p.mux.Backlog(Resources) }

// EarlyBytes returns the cost of received messages that are incomplete or wait for an earlier
// message; at most channel.ReliableWindow + channel.UnreliableWindow.
func (p *Peer) EarlyBytes() int { return p.mux.Held() }
