package peer

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// MaxDebt bounds what the packets of one frame have beyond what was allowed, in bytes of
// datagrams: a piece of a message, one of structure, and a record that fills a packet.
const MaxDebt = 2 * entangle.MaxDatagram

const (
	// sealBytes is what sealing adds to a payload, at most.
	sealBytes = entangle.MaxDatagram - entangle.MaxPayload
	// packetBytes is what a packet costs, whatever it carries.
	packetBytes = sealBytes + packet.HeaderSize
)

// allowance is what the frame under way may cost, at a peer with a cap.
type allowance struct {
	given   int // bytes of datagrams
	left    int // that may still leave, with what may be owed
	updates int // what updates may still have; below 0: their debt
}

// Wanted returns about how many bytes of datagrams the peer would send in this frame. Call
// it after Begin.
func (p *Peer) Wanted(now time.Time) int {
	wanted := p.mux.Wanted(now, p.tracker.ResendRTT())
	bytes := wanted.Sum() + p.wantedUpdates() + p.wantedStreams(now)
	if bytes == 0 && !p.tracker.AckDue(now) {
		return 0
	}
	return bytes + overhead(bytes)
}

func (p *Peer) wantedUpdates() int {
	if p.updates == nil {
		return 0
	}
	return p.updates.WantedBytes()
}

// wantedStreams returns what streams have to say now.
func (p *Peer) wantedStreams(now time.Time) int {
	if p.phase != open {
		return 0
	}
	return p.streams.wanted(now)
}

// overhead is what the packets of so many bytes cost.
func overhead(bytes int) int {
	return packetBytes * (1 + bytes/(entangle.MaxDatagram-packetBytes))
}

// Allow says how many bytes of datagrams the frame's packets may have; 0 or less: none but
// what must leave. Call it once per frame, between Begin and AppendPacket, for a peer with
// Config.Capped. What was sent beyond is to be taken off the next time, and at most MaxDebt;
// packets that acknowledge and do nothing else leave in any case.
func (p *Peer) Allow(bytes int, now time.Time) {
	a := &p.allowed
	wanted, debts := p.mux.Wanted(now, p.tracker.ResendRTT()), p.mux.Debt()
	updates, debt := p.wantedUpdates(), max(0, -a.updates)
	a.given, a.left = bytes, bytes+MaxDebt
	for c := range wanted {
		wanted[c] += debts[c]
	}
	p.streams.left = max(leastStreams, bytes/2)
	total := bytes + debts.Sum() + debt - min(p.streams.left, p.wantedStreams(now))
	shares, forUpdates := divide(total-overhead(max(total, 0)), wanted, updates+debt)
	p.mux.Allow(shares)
	a.updates = forUpdates - debt
	p.limitUpdates(a.updates >= updates)
}

// limitUpdates tells the sender what it may have; where it may have all there is no limit,
// since it knows only about what that takes.
func (p *Peer) limitUpdates(all bool) {
	switch {
	case p.updates == nil:
	case all:
		p.updates.Limit(-1)
	default:
		p.updates.Limit(max(0, p.allowed.updates))
	}
}

// divide divides a frame's bytes among those who want some. Control goes first. What is
// left goes half to the game's messages and half to replication; of that, structure gets
// no more than half while values want the rest, so that play goes on while somebody joins.
// What one does not want the other gets.
func divide(total int, wanted channel.Bytes, updates int) (shares channel.Bytes, forUpdates int) {
	total = max(total, 0)
	shares[channel.Control] = min(total, wanted[channel.Control])
	total -= shares[channel.Control]
	world := 0
	world, shares[channel.Messages] = budget.Two(total, wanted[channel.Structure]+updates, wanted[channel.Messages])
	shares[channel.Structure], forUpdates = budget.Two(world, wanted[channel.Structure], updates)
	return shares, forUpdates
}

// room is how long a payload may be.
func (p *Peer) room() int {
	if !p.cfg.Capped {
		return entangle.MaxPayload
	}
	return max(packet.HeaderSize, min(entangle.MaxPayload, p.allowed.left-sealBytes))
}

// roomForStructure reports whether a frame's structure may have more. Without a cap it is
// bounded all the same: it is worked out for one client after the other, so a world of
// 10,000 entities that somebody enters would hold up the tick. Under one what waits in the
// channel stays short, so that what waits in the sender leaves as it is by then.
func (p *Peer) roomForStructure() bool {
	if p.structure >= maxFrameActions || p.groups >= maxFrameGroups {
		return false
	}
	return !p.cfg.Capped || p.mux.Unsent(Actions) < max(2*p.allowed.given, 1)
}
