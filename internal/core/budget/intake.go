package budget

import (
	"math"
	"time"
)

const (
	// IntakeSaved is how much of its rate a peer saves up, in time. A transport holds fewer packets
	// of one peer than an honest one pays for with it, so a line or an end that stood still costs it
	// nothing.
	IntakeSaved = 500 * time.Millisecond

	// IntakeShared is how much of what was saved up all peers together use within one frame, in
	// time at the rate of one.
	IntakeShared = 2 * IntakeSaved

	// IntakeFrame is the longest time since the last frame that counts as one: an end that stood
	// still for so long, or longer, takes as much in of everybody.
	IntakeFrame = time.Second

	// IntakeDebt is the most that a peer is behind, in time at its rate. What one packet costs
	// beyond is forgotten.
	IntakeDebt = time.Second

	// IntakePatience is for how long in all a peer may go on sending more than its quota.
	IntakePatience = 5 * time.Second

	// intakeLeak is how many times as long without excess makes up for some with it.
	intakeLeak = 10
)

// Verdict is what to do with a packet.
type Verdict uint8

const (
	// Take is a packet to read.
	Take Verdict = iota
	// Drop is a packet beyond what is allowed, to be dropped unread.
	Drop
	// Part is one of a peer that has sent too much for too long and has to go.
	Part
)

// Intake divides what this end does for its peers within a frame, in units of work. Each peer
// has its own share: what its rate brings in the time since the last frame. Beyond it a peer uses
// what it has saved up of earlier shares, as long as all peers together have not used IntakeShared
// in this frame: so the longest frame is known, however many of them spend their savings at once.
type Intake struct {
	rate   int64         // units per second, of one peer; 0: there is no bound
	seen   time.Time     // the time of the frame
	now    time.Duration // of all frames before it, and its own
	past   time.Duration // since the frame before, at most IntakeFrame
	shared int64         // what all may still use of their savings, in parts
}

// NewIntake returns an intake that gives each peer so many units per second, at most MaxRate. A
// rate below 1 is no bound.
func NewIntake(rate int) Intake { return Intake{rate: int64(min(max(rate, 0), MaxRate))} }

// Begin begins a frame. A clock that is set back costs the time of one frame.
func (i *Intake) Begin(now time.Time) {
	i.past = 0
	if !i.seen.IsZero() {
		i.past = min(max(now.Sub(i.seen), 0), IntakeFrame)
	}
	i.seen = now
	i.now += i.past
	i.shared = i.rate * int64(IntakeShared)
}

// Admit returns the quota of a peer that has come for the first time, or so long after it left that
// its last quota is Restored: all is saved up that can be.
func (i *Intake) Admit() Quota {
	return Quota{at: i.now, share: i.rate * int64(i.past), saved: i.rate * int64(IntakeSaved)}
}

// Quota is what one peer has of an Intake. Admit makes one.
type Quota struct {
	at     time.Duration // the frame that share is of
	share  int64         // what is left of the peer's share of that frame, in parts
	saved  int64         // what is left of the shares before; negative: debt, and share is 0
	over   bool          // in that frame packets were dropped
	excess time.Duration // for how long in all it has been over, less what was made up for
}

// renew moves a quota on to the frame under way.
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
	// As much of the silence counts as pays all there may be.
	q.saved = min(q.saved+q.share+i.rate*int64(min(silent, IntakeSaved+IntakeDebt)), i.rate*int64(IntakeSaved))
	q.share = i.rate * int64(i.past)
	if q.saved < 0 {
		paid := min(q.share, -q.saved)
		q.share -= paid
		q.saved += paid
	}
	q.at, q.over = i.now, false
}

// Restored reports whether a quota has all that one of Admit has, so that it need not be kept for a
// peer that has left.
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

// Spare returns how many of those units may be for what is not the peer's own: half of what it can
// save up stays.
func (i *Intake) Spare(q *Quota) int {
	if i.rate == 0 {
		return math.MaxInt
	}
	left := i.Left(q)
	return min(left, int(floorDiv(q.share+q.saved-i.rate*int64(IntakeSaved/2), scale)))
}

// Take decides about a packet of a peer. What it costs is known when it was read.
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

// Spend takes what was done for a peer off its quota. The last work of a frame may bring it below
// what there is, and nothing more is done before that is made up for.
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
