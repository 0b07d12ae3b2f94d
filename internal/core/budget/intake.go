package budget

import (
	"math"
	"time"
)

const (
	// IntakeSaved is how much of its rate a peer saves up, in time. A transport holds fewer packets
	// of one peer than an honest peer pays for with it, so a stalled line or end costs it nothing.
	IntakeSaved = 500 * time.Millisecond

	// IntakeShared is the part of their savings that all peers together use within one frame, in
	// time at the rate of one.
	IntakeShared = 2 * IntakeSaved

	// IntakeFrame is the longest time between frames that counts: an end that stalled for that
	// long, or longer, accepts as much of every peer.
	IntakeFrame = time.Second

	// IntakeDebt is the largest debt of a peer, in time at its rate. The cost of one packet beyond
	// it is forgotten.
	IntakeDebt = time.Second

	// IntakePatience is the total time for which a peer may send more than its quota.
	IntakePatience = 5 * time.Second

	// intakeLeak is how many times as long a peer must stay within its quota to make up for excess.
	intakeLeak = 10
)

// Verdict is the decision about a packet.
type Verdict uint8

const (
	// Take is a packet to read.
	Take Verdict = iota
	// Drop is a packet beyond the budget, to be dropped unread.
	Drop
	// Part drops a packet of a peer that has sent too much for too long and must be disconnected.
	Part
)

// Intake divides the work that this end does for its peers within a frame, in units. Each peer has
// its own share: its rate times the time since the last frame. Beyond it a peer uses savings from
// earlier shares, as long as all peers together have not used IntakeShared in this frame. So the
// length of the longest frame is known, however many peers spend their savings at once.
type Intake struct {
	rate   int64         // units per second, of one peer; 0: there is no bound
	seen   time.Time     // the time of the frame
	now    time.Duration // the sum of all frames before it, and its own
	past   time.Duration // since the frame before, at most IntakeFrame
	shared int64         // the savings that all peers may still use, in parts
}

// NewIntake returns an intake that gives each peer that many units per second, at most MaxRate. A
// rate below 1 means no bound.
func NewIntake(rate int) Intake { return Intake{rate: int64(min(max(rate, 0), MaxRate))} }

// Begin begins a frame. A clock that is set back loses the time of one frame.
func (i *Intake) Begin(now time.Time) {
	i.past = 0
	if !i.seen.IsZero() {
		i.past = min(max(now.Sub(i.seen), 0), IntakeFrame)
	}
	i.seen = now
	i.now += i.past
	i.shared = i.rate * int64(IntakeShared)
}

// Admit returns the quota of a peer that connects for the first time, or so long after it left that
// its last quota is Restored: its savings are full.
func (i *Intake) Admit() Quota {
	return Quota{at: i.now, share: i.rate * int64(i.past), saved: i.rate * int64(IntakeSaved)}
}

// Quota is one peer's part of an Intake. Admit makes one.
type Quota struct {
	at     time.Duration // the frame of share
	share  int64         // the rest of the peer's share of that frame, in parts
	saved  int64         // the rest of the shares before; negative: debt, and share is 0
	over   bool          // in that frame packets were dropped
	excess time.Duration // how long in all it has exceeded its quota, less the time that was made up for
}

// renew moves a quota on to the current frame.
func (i *Intake) renew(q *Quota) {
	if q.at == i.now {
		return
	}
	silent := max(i.now-q.at-i.past, 0) // of frames between, in which it sent nothing
	calm := silent
	if !q.over {
		calm += i.past
	}
	q.excess -= min(q.excess, calm/intakeLeak)
	// No longer silence counts than pays the largest debt and fills the savings.
	q.saved = min(q.saved+q.share+i.rate*int64(min(silent, IntakeSaved+IntakeDebt)), i.rate*int64(IntakeSaved))
	q.share = i.rate * int64(i.past)
	if q.saved < 0 {
		paid := min(q.share, -q.saved)
		q.share -= paid
		q.saved += paid
	}
	q.at, q.over = i.now, false
}

// Restored reports whether a quota is as full as a new one of Admit, so that it need not be kept
// for a peer that has left.
func (i *Intake) Restored(q *Quota) bool {
	i.renew(q)
	return q.excess == 0 && q.saved+q.share >= i.rate*int64(IntakeSaved)
}

// Left returns how many units a peer may still use in this frame: none if 0 or less.
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

// ForOthers returns how many of those units may be spent on other peers: half of the peer's
// possible savings stay.
func (i *Intake) ForOthers(q *Quota) int {
	if i.rate == 0 {
		return math.MaxInt
	}
	left := i.Left(q)
	return min(left, int(floorDiv(q.share+q.saved-i.rate*int64(IntakeSaved/2), scale)))
}

// Take decides about a packet of a peer. Its cost is known only after it was read.
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
// make it negative, and nothing more is done until that is made up for.
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
