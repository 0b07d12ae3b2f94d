package schedule

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
)

// Breach reports that groups wait for longer than their bound (group.Rate.MaxAge): the limits of the peer are too low
// for the bounds.
type Breach struct {
	Slot   repl.Slot // an entity of the group that waited for longest
	Groups int       // number of groups with this bound that exceeded it in the tick
	Age    int       // ticks for which a change of that group will have waited in the next tick, at least
	Bound  int       // in ticks
}

// breach is the state of the reports for one bound.
type breach struct {
	bound    uint16
	tick     entangle.Tick // of groups, age and slot
	reported entangle.Tick // tick of the last report
	pending  bool          // PollBreach is to return a report
	slot     repl.Slot
	groups   int
	age      int
}

const (
	// breachPause is the least number of ticks between two reports of one bound.
	breachPause = 60
	// maxBreaches is the number of bounds that are reported separately. Further ones count as the last of these.
	maxBreaches = 8
)

// overdue counts a group that was not sent, and will exceed its bound in the next tick.
func (p *Planner) overdue(id ident.GroupIndex, age int, bound uint16) {
	p.OverdueTotal++
	b, now := p.breachOf(bound), p.tick
	if b.tick != now {
		b.tick, b.groups, b.age = now, 0, 0
	}
	b.groups++
	if age > b.age {
		b.age, b.bound, b.slot = age, bound, p.state.Groups[id].Members[0].Slot
	}
	if now.Sub(b.reported) >= breachPause {
		b.reported, b.pending = now, true
	}
}

// breachOf returns the state of the reports for a bound.
func (p *Planner) breachOf(bound uint16) *breach {
	at := slices.IndexFunc(p.breaches, func(b breach) bool { return b.bound == bound })
	if at < 0 {
		if len(p.breaches) < maxBreaches {
			p.breaches = append(p.breaches, breach{bound: bound, tick: p.tick - 1, reported: p.tick - breachPause})
		}
		at = len(p.breaches) - 1
	}
	return &p.breaches[at]
}

// PollBreach returns a report of groups that wait for longer than their bound: see PollBreach of sender.Peer.
func (p *Planner) PollBreach() (b Breach, ok bool) {
	for i := range p.breaches {
		if of := &p.breaches[i]; of.pending {
			of.pending = false
			return Breach{Slot: of.slot, Groups: of.groups, Age: of.age, Bound: int(of.bound)}, true
		}
	}
	return Breach{}, false
}
