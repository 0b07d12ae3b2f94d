package budget

import (
	"math"
	"time"
)

const (
	// IntakeSaved is how much of its unused rate a peer can save, in time. The packets of one peer
	// that a transport holds cost an honest peer less than that, so it loses none after a stall of
	// the network or of one end.
	IntakeSaved = 500 * time.Millisecond

	// IntakeShared is how much of their savings all peers together may use in one frame, in time at
	// the rate of one peer.
	IntakeShared = 2 * IntakeSaved

	// IntakeFrame is the longest time since the previous frame that counts. After a stall of this
	// time or longer, this end accepts the work of this time from every peer.
	IntakeFrame = time.Second

	// IntakeDebt is the largest debt of a peer, in time at its rate. If a packet costs more than
	// that, the excess is not counted.
	IntakeDebt = time.Second

	// IntakePatience is for how long in total a peer may exceed its quota before it must be
	// disconnected.
	IntakePatience = 5 * time.Second

	// intakeLeak is how many times as long a peer must stay within its quota to make up for having
	// exceeded it.
	intakeLeak = 10
)

// Verdict is the decision about a packet.
type Verdict uint8

const (
	// Take means that the packet is to be read.
	Take Verdict = iota
	// Drop means that the packet is beyond the budget, and is to be dropped unread.
	Drop
	// Part means that the packet is to be dropped and its peer disconnected, because it has sent
	// too much for too long.
	Part
)

// Intake divides the work that this end does for its peers in a frame, in units. Each peer has its
// own share: its rate times the time since the previous frame. When it has used it up, a peer uses
// what it has saved of earlier shares, as long as all peers together have not used IntakeShared in
// this frame. So the length of the longest frame is bounded, however many peers use their savings
// at once.
type Intake struct {
	rate   int64         // units per second of one peer; 0 for no bound
	seen   time.Time     // the time of the current frame
	now    time.Duration // the sum of the times of all frames so far
	past   time.Duration // the time since the previous frame, at most IntakeFrame
	shared int64         // the savings that all peers may still use in this frame, in parts
}

// NewIntake returns an intake that gives each peer rate units per second, at most MaxRate. A rate
// below 1 means no bound.
func NewIntake(rate int) Intake { return Intake{rate: int64(min(max(rate, 0), MaxRate))} }

// Begin begins a frame. If the clock was set back, the frame counts as having no length.
func (i *Intake) Begin(now time.Time) {
	i.past = 0
	if !i.seen.IsZero() {
		i.past = min(max(now.Sub(i.seen), 0), IntakeFrame)
	}
	i.seen = now
	i.now += i.past
	i.shared = i.rate * int64(IntakeShared)
}

// Admit returns the quota of a peer that connects for the first time, or that left so long ago that
// its last quota is Restored. Its savings are full.
func (i *Intake) Admit() Quota {
	return Quota{at: i.now, share: i.rate * int64(i.past), saved: i.rate * int64(IntakeSaved)}
}

// Quota is one peer's part of an Intake. Admit makes one.
type Quota struct {
	at     time.Duration // Intake.now when share was set
	share  int64         // what remains of the peer's share of that frame, in parts
	saved  int64         // what remains of earlier shares; negative for a debt, and then share is 0
	over   bool          // packets were dropped in that frame
	excess time.Duration // for how long in total the peer has exceeded its quota, minus the time that was made up for
}

// renew brings a quota to the current frame.
func (i *Intake) renew(q *Quota) {
	if q.at == i.now {
		return
	}
	silent := max(i.now-q.at-i.past, 0) // the time of the frames in between, in which the peer sent nothing
	calm := silent
	if !q.over {
		calm += i.past
	}
	q.excess -= min(q.excess, calm/intakeLeak)
	// More silence counts only until it has paid the largest debt and filled the savings.
	q.saved = min(q.saved+q.share+i.rate*int64(min(silent, IntakeSaved+IntakeDebt)), i.rate*int64(IntakeSaved))
	q.share = i.rate * int64(i.past)
	if q.saved < 0 {
		paid := min(q.share, -q.saved)
		q.share -= paid
		q.saved += paid
	}
	q.at, q.over = i.now, false
}

// Restored reports whether a quota is as full as a new one from Admit. The quota of a peer that has
// left need not be kept then.
func (i *Intake) Restored(q *Quota) bool {
	i.renew(q)
	return q.excess == 0 && q.saved+q.share >= i.rate*int64(IntakeSaved)
}

// Left returns how many units a peer may still use in this frame. If it is 0 or less, the peer may
// use none.
func (i *Intake) Left(q *Quota) int {
	if i.rate == 0 {
		return math.MaxInt
	}
	i.renew(q)
	if q.saved < 0 {
		return int(floorDiv(q.saved, scale))
	}
	return int((q.share + min(q.saved, max(i.shared, 0))) / scale)
}

// ForOthers returns how many of the units of Left may be used for the benefit of other peers. Half
// of the greatest savings are kept.
func (i *Intake) ForOthers(q *Quota) int {
	if i.rate == 0 {
		return math.MaxInt
	}
	left := i.Left(q)
	return min(left, int(floorDiv(q.share+q.saved-i.rate*int64(IntakeSaved/2), scale)))
}

// Take decides about a packet of a peer. The cost of the packet is known only after it was read;
// Spend then subtracts it.
func (i *Intake) Take(q *Quota) Verdict {
	if i.Left(q) > 0 {
		return Take
	}
	if !q.over {
		q.over = true
		q.excess += i.past
	}
	if q.excess >= IntakePatience {
		return Part
	}
	return Drop
}

// Spend subtracts the work that was done for a peer from its quota. The last work of a frame may
// make the quota negative; then nothing more is done for the peer until it is made up for.
func (i *Intake) Spend(q *Quota, units int) {
	if i.rate == 0 {
		return
	}
	i.renew(q)
	parts := q.share + q.saved + i.rate*int64(IntakeDebt)
	if int64(units) < parts/scale {
		parts = int64(units) * scale
	}
	own := min(parts, q.share)
	q.share -= own
	q.saved -= parts - own
	i.shared -= parts - own
}
