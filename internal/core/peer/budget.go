package peer

import (
	"time"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/budget"
	"github.com/entangle-ecs/entangle/internal/core/channel"
	"github.com/entangle-ecs/entangle/internal/core/packet"
)

// MaxDebt bounds the bytes of datagrams that one frame sends beyond its budget: a fragment of a
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
	given   int // bytes of datagrams that SetBudget allowed
	left    int // bytes of datagrams that may still be sent, including the possible debt
	updates int // bytes left for updates; below 0 they are in debt
}

// frameUse is how much the current frame has added for the peer.
type frameUse struct {
	packets   int
	structure int // bytes of actions
	groups    int // groups in these actions
}

// Wanted returns about how many bytes of datagrams the peer would send in this frame. Call
// it after Begin.
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

// SetBudget sets how many bytes of datagrams the frame's packets may use. With 0 or less, only
// data that must be sent is sent. Call it once per frame, between Begin and AppendPacket, for a
// peer with Config.Capped. The caller subtracts excess bytes, at most MaxDebt, from the next budget.
// Packets that only acknowledge are sent in any case.
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

// limitUpdates sets the budget of the sender. With all there is no limit, since only the sender
// knows the size of its updates.
func (p *Peer) limitUpdates(all bool) {
	switch {
	case p.replication == nil:
	case all:
		p.replication.Limit(-1)
	default:
		p.replication.Limit(max(0, p.budget.updates))
	}
}

// divide divides a frame's bytes. Control goes first. Half of the rest goes to the game's messages
// and half to replication; of that, structure gets no more than half while values want the rest, so
// that the game stays playable while a player joins. Bytes that one side does not want go to the
// other.
func divide(total int, wanted channel.Bytes, updates int) (shares channel.Bytes, forUpdates int) {
	total = max(total, 0)
	shares[channel.Control] = min(total, wanted[channel.Control])
	total -= shares[channel.Control]
	world := 0
	world, shares[channel.Messages] = budget.Two(total, wanted[channel.Structure]+updates, wanted[channel.Messages])
	shares[channel.Structure], forUpdates = budget.Two(world, wanted[channel.Structure], updates)
	return shares, forUpdates
}

// maxPayload returns the largest length of the next payload.
func (p *Peer) maxPayload() int {
	if !p.cfg.Capped {
		return entangle.MaxPayload
	}
	return max(packet.HeaderSize, min(entangle.MaxPayload, p.budget.left-sealBytes))
}

// structureFits reports whether the frame may carry more structure. It is bounded without a cap,
// too: structure is encoded for one client after the other, so entering a world of 10,000 entities
// would hold up the tick. Under a cap the channel's queue stays short, so that structure which
// waits in the sender leaves in its latest state.
func (p *Peer) structureFits() bool {
	if p.frame.structure >= maxFrameActions || p.frame.groups >= maxFrameGroups {
		return false
	}
	return !p.cfg.Capped || p.mux.Unsent(Actions) < max(2*p.budget.given, 1)
}
