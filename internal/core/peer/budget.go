package peer

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// MaxDebt bounds by how many bytes of datagrams one frame may exceed its budget: by a fragment of a
// message, a fragment of structure, and a record that fills a packet.
const MaxDebt = 2 * entangle.MaxDatagram

const (
	// sealBytes is the most bytes that sealing adds to a payload.
	sealBytes = entangle.MaxDatagram - entangle.MaxPayload
	// packetBytes is the overhead of a packet, whatever it carries.
	packetBytes = sealBytes + packet.HeaderSize
)

// frameBudget is the byte budget of the current frame, for a peer with a cap.
type frameBudget struct {
	given   int // bytes of datagrams that SetBudget has allowed
	left    int // bytes of datagrams that may still be sent, including the possible debt
	updates int // bytes left for updates; negative if they are in debt
}

// frameUse counts what was added for the peer in the current frame.
type frameUse struct {
	packets   int
	limit     int // of packets
	structure int // bytes of actions
	groups    int // groups in these actions
}

// An end can acknowledge only the last packet.WindowSize ids. If a frame has many packets and some
// overtake others on their way, those behind the window are dropped, and whatever is resent in their
// place adds to the crowd. So the packets of a frame become fewer while more than crowdedLoss of them
// are lost, down to leastPackets, and more by one in each frame after that. A loss below
// crowdedLoss, or a line with so few packets, is not affected.
const (
	crowdedLoss  = 0.3
	leastPackets = packet.WindowSize / 2
)

// nextLimit returns the limit on the packets of the next frame.
func (f *frameUse) nextLimit(lossRate float64) int {
	if f.limit == 0 {
		return maxPackets
	}
	if lossRate > crowdedLoss && f.packets > leastPackets {
		return max(leastPackets, f.packets-f.packets/8)
	}
	return min(maxPackets, f.limit+1)
}

// Wanted returns approximately how many bytes of datagrams the peer would send in this frame
// without a cap. Call it after Begin.
func (p *Peer) Wanted(now time.Time) int {
	wanted := p.mux.Wanted(now, p.tracker.ResendRTT())
	bytes := wanted.Sum() + p.wantedUpdates() + p.wantedFeeds(now)
	if bytes == 0 && !p.tracker.AckDue(now) {
		return 0
	}
	return bytes + overhead(bytes)
}

func (p *Peer) wantedUpdates() int {
	if p.replication == nil {
		return 0
	}
	return p.replication.WantedBytes()
}

// wantedFeeds returns the bytes that feeds want to send now.
func (p *Peer) wantedFeeds(now time.Time) int {
	if !p.Open() {
		return 0
	}
	return p.feeds.wanted(now)
}

// overhead returns the overhead of the packets that carry the given number of bytes.
func overhead(bytes int) int {
	return packetBytes * (1 + bytes/(entangle.MaxDatagram-packetBytes))
}

// SetBudget sets how many bytes of datagrams the packets of the frame may use. With 0 or less, only
// data that must be sent is sent. Call it once per frame, between Begin and AppendPacket, if
// Config.Capped is set. The frame may exceed its budget by up to MaxDebt; the caller subtracts the
// excess from the next budget. Packets that only acknowledge are sent in any case.
func (p *Peer) SetBudget(bytes int, now time.Time) {
	b := &p.budget
	wanted, debts := p.mux.Wanted(now, p.tracker.ResendRTT()), p.mux.Debt()
	updates, debt := p.wantedUpdates(), max(0, -b.updates)
	b.given, b.left = bytes, bytes+MaxDebt
	for c := range wanted {
		wanted[c] += debts[c]
	}
	p.feeds.left = max(leastFeeds, bytes/2)
	total := bytes + debts.Sum() + debt - min(p.feeds.left, p.wantedFeeds(now))
	shares, forUpdates := divide(total-overhead(max(total, 0)), wanted, updates+debt)
	p.mux.SetBudget(shares)
	b.updates = forUpdates - debt
	p.limitUpdates(b.updates >= updates)
}

// limitUpdates sets the byte limit of the sender. If all updates fit, it sets no limit, because
// only the sender knows the exact size of its updates.
func (p *Peer) limitUpdates(all bool) {
	switch {
	case p.replication == nil:
	case all:
		p.replication.Limit(-1)
	default:
		p.replication.Limit(max(0, p.budget.updates))
	}
}

// divide divides the bytes of a frame. Control messages come first. Of the rest, half goes to the
// game's messages and half to replication. Structure gets at most half of the latter as long as
// updates want the rest, so that the game remains playable while a player joins. Bytes that one
// side does not want go to the other.
func divide(total int, wanted channel.Bytes, updates int) (shares channel.Bytes, forUpdates int) {
	total = max(total, 0)
	shares[channel.Control] = min(total, wanted[channel.Control])
	total -= shares[channel.Control]
	world := 0
	world, shares[channel.Messages] = budget.Two(total, wanted[channel.Structure]+updates, wanted[channel.Messages])
	shares[channel.Structure], forUpdates = budget.Two(world, wanted[channel.Structure], updates)
	return shares, forUpdates
}

// maxPayload returns the greatest length of the next payload.
func (p *Peer) maxPayload() int {
	if !p.cfg.Capped {
		return entangle.MaxPayload
	}
	return max(packet.HeaderSize, min(entangle.MaxPayload, p.budget.left-sealBytes))
}

// structureFits reports whether the frame may carry more structure. There is a bound even without a
// cap: structure is encoded for one client after the other, and a client that enters a world of
// 10,000 entities would delay the tick. Under a cap the channel's queue is kept short, so that
// structure is encoded as late as possible, with its latest state.
func (p *Peer) structureFits() bool {
	if p.frame.structure >= maxFrameActions || p.frame.groups >= maxFrameGroups {
		return false
	}
	return !p.cfg.Capped || p.mux.Unsent(Actions) < max(2*p.budget.given, 1)
}
