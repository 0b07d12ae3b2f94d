package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
)

// progress is where the predicted world is among the ticks.
type progress struct {
	time            *components.Time
	maxRollback     int
	synced          func() bool
	newestConfirmed func() (tick entangle.Tick, ok bool)

	worldTick entangle.Tick // the world is as of the end of this tick
	lost      bool          // the histories do not lead to the world as it is
	fresh     bool          // confirmed state has arrived since the last Check
	confirmed entangle.Tick // the confirmed tick as of the last Check
	jumped    bool          // the clock was set since the last Check
	ran       entangle.Tick // the newest tick that has run; a jump of the clock does not change it
}

// present is the last finished tick, or the one that is being simulated.
func (p *progress) present() entangle.Tick { return p.time.Tick }

// tooDeep reports whether a tick is more than MaxRollback ticks before the present.
func (p *progress) tooDeep(tick entangle.Tick) bool {
	return int(p.present().Sub(tick)) > p.maxRollback
}

// oldest returns the oldest tick that is not too deep.
func (p *progress) oldest() entangle.Tick { return p.present() - entangle.Tick(p.maxRollback) }

// confirmedTick returns the newest tick up to the present for which all confirmed state has arrived. If
// there is none, ok is false and the tick is before all kept ones.
func (p *progress) confirmedTick() (tick entangle.Tick, ok bool) {
	tick, ok = p.newestConfirmed()
	switch now := p.present(); {
	case !ok:
		return p.oldest() - 1, false
	case now.Before(tick):
		return now, true
	}
	return tick, true
}
