package budget

import "time"

const (
	// IntakeSaved is how much of what an Intake allows is saved up, in time: at a quarter of
	// its rates, what a line that stood still for ten seconds delivers at once.
	IntakeSaved = 5 * time.Second / 2

	// IntakePatience is for how long a peer may go on sending more than its Intake allows.
	IntakePatience = 5 * time.Second

	// intakeCalm is without how much excess a peer has come to its senses.
	intakeCalm = time.Second
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

// Intake bounds what a peer makes this end do, in packets and in units of work, both per
// second. What a packet costs is known when it was read: it may bring the work below what there
// is, and nothing more is taken before that is made up for.
type Intake struct {
	packets, work meter
	over          bool
	since, last   time.Time // of the excess at hand: the first packet that was dropped, the last
}

// NewIntake returns an Intake that has saved up all it can. A rate below 1 is no bound.
func NewIntake(packets, work int) Intake {
	return Intake{packets: newMeter(packets), work: newMeter(work)}
}

// Take counts a packet that came at now.
func (i *Intake) Take(now time.Time) Verdict {
	if i.packets.open(now) && i.work.open(now) {
		i.packets.spend(1)
		return Take
	}
	if !i.over || now.Sub(i.last) > intakeCalm {
		i.over, i.since = true, now
	}
	i.last = now
	if now.Sub(i.since) >= IntakePatience {
		return Part
	}
	return Drop
}

// Spend counts work that was done for the peer.
func (i *Intake) Spend(units int) { i.work.spend(units) }

// meter lets so many units through per second, and those of IntakeSaved at once.
type meter struct {
	every time.Duration // for one unit; 0: there is no bound
	paid  time.Time     // up to when all that was let through is paid for
}

func newMeter(perSecond int) meter {
	if perSecond < 1 {
		return meter{}
	}
	return meter{every: max(time.Second/time.Duration(perSecond), 1)}
}

func (m *meter) open(now time.Time) bool {
	if m.paid.Before(now) {
		m.paid = now
	}
	return m.every == 0 || m.paid.Sub(now) < IntakeSaved
}

func (m *meter) spend(units int) { m.paid = m.paid.Add(m.every * time.Duration(units)) }
