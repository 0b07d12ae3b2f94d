package flight

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Messages records the actions in each message until the message is delivered, and after that those that may still
// wait at the peer for other groups. An action is pending until the peer has applied it for certain.
type Messages struct {
	Written  []Action // of the message that is written now, which Add records
	inFlight []message
	unused   [][]Action
	waiting  []waitingAction
	pending  pending
}

// message is a reliable message with actions.
type message struct {
	number  uint16 // the channel's number of the message
	tick    entangle.Tick
	ended   uint64 // how many entities had ended when it was written
	actions []Action
	repeat  repeat
}

// Action is one action of a message, or the same kind of action for several groups with consecutive handles.
type Action struct {
	Group  repl.Handle   // the first group
	Count  int32         // number of groups
	Seq    uint8         // group.Structure.Seq of the action
	InUnit bool          // the peer may have to wait for other groups before it can apply the action
	After  entangle.Tick // tick of the action of the group before it, or of itself if the peer had no state of the group
}

// waitingAction is a delivered action that may wait at the peer for actions of other groups.
type waitingAction struct {
	Action
	tick entangle.Tick // of its message
}

// Empty reports whether the peer has applied every action.
func (a *Messages) Empty() bool { return len(a.inFlight) == 0 && len(a.waiting) == 0 }

// Add records that the message with the actions Written is sent in a tick. bytes is its size, and ended the number of entities
// that have ended so far. If it is short, repeats of it are scheduled.
func (a *Messages) Add(number uint16, tick entangle.Tick, ended uint64, bytes int) {
	m := message{number: number, tick: tick, ended: ended, actions: a.Written}
	if a.Written = nil; len(a.unused) > 0 {
		last := len(a.unused) - 1
		a.Written, a.unused = a.unused[last], a.unused[:last]
	}
	if bytes <= maxRepeated {
		m.repeat = repeat{tick, MaxRepeats}
	}
	a.inFlight = append(a.inFlight, m)
	if a.pending.madeIn(tick) {
		a.pending.add(m.actions)
	}
}

// HandleDelivered records that a message was delivered. It calls each for the actions that are no longer pending: the
// peer has applied them, or will before it applies anything that is sent from now on. Those are the actions of the
// message, and earlier ones that waited for it. An action of a unit is pending until every message of its tick and
// of earlier ticks is delivered. It calls waits for those of the message.
func (a *Messages) HandleDelivered(number uint16, each, waits func(Action, entangle.Tick)) {
	i := slices.IndexFunc(a.inFlight, func(m message) bool { return m.number == number })
	if i < 0 {
		return
	}
	m := a.inFlight[i]
	a.inFlight = append(a.inFlight[:i], a.inFlight[i+1:]...)
	for _, act := range m.actions {
		if act.InUnit {
			a.waiting = append(a.waiting, waitingAction{act, m.tick})
			waits(act, m.tick)
			continue
		}
		each(act, m.tick)
	}
	if len(a.unused) < maxUnused {
		a.unused = append(a.unused, m.actions[:0])
	}
	if i == 0 { // otherwise the oldest message is still in flight, and every waiting action waits for it
		a.release(each)
	}
}

// release reports the waiting actions for which every message of their tick and of earlier ticks is delivered.
func (a *Messages) release(each func(Action, entangle.Tick)) {
	if len(a.waiting) == 0 {
		return
	}
	kept := a.waiting[:0]
	for _, w := range a.waiting {
		if len(a.inFlight) > 0 && !w.tick.Before(a.inFlight[0].tick) {
			kept = append(kept, w)
			continue
		}
		each(w.Action, w.tick)
	}
	a.waiting = kept
}

// maxUnused bounds the lists that are kept for later messages, so that the many that a join takes do not stay
// allocated.
const maxUnused = 8

// OldestTick returns the tick of the oldest message in flight, or now if none is in flight.
func (a *Messages) OldestTick(now entangle.Tick) entangle.Tick {
	if len(a.inFlight) == 0 {
		return now
	}
	return a.inFlight[0].tick
}

// EndedSinceOldest returns how many entities have ended since the oldest message in flight was written. ended is the
// number of entities that have ended so far, as in Add.
func (a *Messages) EndedSinceOldest(ended uint64) int {
	if len(a.inFlight) == 0 {
		return 0
	}
	return int(ended - a.inFlight[0].ended)
}
