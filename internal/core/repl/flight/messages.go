package flight

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Messages records the actions in each message until the message is delivered, and after that those that may still
// wait at the peer for other groups. An action is pending until the peer has applied it for certain.
type Messages struct {
	inFlight []Message
	unused   [][]Action
	waiting  []waitingAction
}

// Message is a reliable message with actions.
type Message struct {
	Number  uint16 // the channel's number of the message
	tick    entangle.Tick
	ended   uint64 // how many entities had ended when it was written
	actions []Action
	repeat  repeat
}

// Groups returns the number of groups for which the message has an action.
func (m *Message) Groups() (n int) {
	for i := range m.actions {
		n += int(m.actions[i].Count)
	}
	return n
}

// Action is one action of a message, or the same kind of action for several groups with consecutive handles.
type Action struct {
	Group    repl.Handle // the first group
	Count    int32       // number of groups
	Seq      repl.Seq
	HasNeeds bool // the peer may have to wait for other groups before it can apply the action
}

// waitingAction is a delivered action that may wait at the peer for actions of other groups.
type waitingAction struct {
	Action
	tick entangle.Tick // of its message
}

// Empty reports whether the peer has applied every action.
func (a *Messages) Empty() bool { return len(a.inFlight) == 0 && len(a.waiting) == 0 }

// Begin records a new message, to which Add adds actions. ended is the number of entities that have ended so far.
func (a *Messages) Begin(tick entangle.Tick, ended uint64) {
	var actions []Action
	if n := len(a.unused); n > 0 {
		actions, a.unused = a.unused[n-1], a.unused[:n-1]
	}
	a.inFlight = append(a.inFlight, Message{tick: tick, ended: ended, actions: actions})
}

// Last returns the newest message. The pointer is valid until the next Begin.
func (a *Messages) Last() *Message { return &a.inFlight[len(a.inFlight)-1] }

// LastIsEmpty reports whether the newest message has no actions.
func (a *Messages) LastIsEmpty() bool { return len(a.Last().actions) == 0 }

// Cancel removes the newest message, which must be empty.
func (a *Messages) Cancel() {
	a.recycle(a.Last().actions)
	a.inFlight = a.inFlight[:len(a.inFlight)-1]
}

// Add adds an action to the newest message.
func (a *Messages) Add(act Action) {
	a.Last().actions = append(a.Last().actions, act)
}

// HandleDelivered records that a message was delivered. It calls each for the actions that are no longer pending: the
// peer has applied them, or will before it applies anything that is sent from now on. Those are the actions of the
// message, and earlier ones that waited for it. An action with needs is pending until every message of its tick and
// of earlier ticks is delivered. It calls waits for those of the message.
func (a *Messages) HandleDelivered(number uint16, each, waits func(Action, entangle.Tick)) {
	i := slices.IndexFunc(a.inFlight, func(m Message) bool { return m.Number == number })
	if i < 0 {
		return
	}
	m := a.inFlight[i]
	a.inFlight = append(a.inFlight[:i], a.inFlight[i+1:]...)
	for _, act := range m.actions {
		if act.HasNeeds {
			a.waiting = append(a.waiting, waitingAction{act, m.tick})
			waits(act, m.tick)
			continue
		}
		each(act, m.tick)
	}
	a.recycle(m.actions)
	if i == 0 { // otherwise the oldest message is the same, and nothing waits for others alone
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

func (a *Messages) recycle(actions []Action) {
	if len(a.unused) < maxUnused {
		a.unused = append(a.unused, actions[:0])
	}
}

// OldestTick returns the tick of the oldest message in flight, or now if none is in flight.
func (a *Messages) OldestTick(now entangle.Tick) entangle.Tick {
	if len(a.inFlight) == 0 {
		return now
	}
	return a.inFlight[0].tick
}

// EndedSinceOldest returns how many entities have ended since the oldest message in flight was written. ended is the
// number of entities that have ended so far, as in Begin.
func (a *Messages) EndedSinceOldest(ended uint64) int {
	if len(a.inFlight) == 0 {
		return 0
	}
	return int(ended - a.inFlight[0].ended)
}
