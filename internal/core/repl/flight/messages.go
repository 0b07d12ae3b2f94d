package flight

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// Messages remembers the actions in each message until it is delivered, and those that may wait at the
// peer after that.
type Messages struct {
	list    []Message
	unused  [][]Action
	waiting []waitingAction

	// before is the tick of the action before the oldest one of each group that is in flight, or may
	// wait at the peer. It is made when it is needed.
	before  map[repl.Handle]entangle.Tick
	indexed bool
}

// Message is a reliable message with actions.
type Message struct {
	Number  uint16 // by which it is acknowledged
	tick    entangle.Tick
	ended   uint64
	actions []Action
	repeat  repeat
}

// Groups returns the number of groups that the message has actions of.
func (m *Message) Groups() (n int) {
	for i := range m.actions {
		n += int(m.actions[i].Groups)
	}
	return n
}

// Action is one record of an action message, or several of the same kind with consecutive handles.
type Action struct {
	Group  repl.Handle
	Groups int32 // number of groups
	Seq    repl.Seq
	Waits  bool          // for actions of other groups
	After  entangle.Tick // of the action of its group before it
}

// waitingAction is a delivered action that may wait at the peer for another one.
type waitingAction struct {
	Action
	tick entangle.Tick
}

// Empty reports whether the peer has applied every action.
func (a *Messages) Empty() bool { return len(a.list) == 0 && len(a.waiting) == 0 }

// Begin starts the entry of a message. ended counts the entities that had ended by then.
func (a *Messages) Begin(tick entangle.Tick, ended uint64) {
	var actions []Action
	if n := len(a.unused); n > 0 {
		actions, a.unused = a.unused[n-1], a.unused[:n-1]
	}
	a.list = append(a.list, Message{tick: tick, ended: ended, actions: actions})
}

// Last returns the newest message. The address is valid until the next Begin.
func (a *Messages) Last() *Message { return &a.list[len(a.list)-1] }

// LastIsEmpty reports whether the newest message has no actions.
func (a *Messages) LastIsEmpty() bool { return len(a.Last().actions) == 0 }

// Cancel removes the newest message, which is empty.
func (a *Messages) Cancel() {
	a.keep(a.Last().actions)
	a.list = a.list[:len(a.list)-1]
}

// Add notes an action of the newest message.
func (a *Messages) Add(act Action) {
	a.Last().actions = append(a.Last().actions, act)
	if a.indexed {
		a.index(act)
	}
}

// Deliver handles the delivery of a message, and calls each for the actions that the peer has
// applied or will apply before anything later. An action that waits for other groups counts when
// all that was sent up to its tick is delivered.
func (a *Messages) Deliver(number uint16, each func(Action)) {
	i := slices.IndexFunc(a.list, func(m Message) bool { return m.Number == number })
	if i < 0 {
		return
	}
	a.indexed = false
	m := a.list[i]
	a.list = append(a.list[:i], a.list[i+1:]...)
	for _, act := range m.actions {
		if act.Waits {
			a.waiting = append(a.waiting, waitingAction{act, m.tick})
			continue
		}
		each(act)
	}
	a.keep(m.actions)
	a.release(each)
}

// release removes the delivered actions that no message in flight can hold up.
func (a *Messages) release(each func(Action)) {
	if len(a.waiting) == 0 {
		return
	}
	kept := a.waiting[:0]
	for _, w := range a.waiting {
		if len(a.list) > 0 && !w.tick.Before(a.list[0].tick) {
			kept = append(kept, w)
			continue
		}
		each(w.Action)
	}
	a.waiting = kept
}

// Carries reports whether the action that carried a group's structure of a tick is in flight, or may
// wait at the peer: for actions of other groups, or for one of its group before it.
func (a *Messages) Carries(group repl.Handle, tick entangle.Tick) bool {
	if !a.indexed {
		a.indexAll()
	}
	before, some := a.before[group]
	return some && before.Before(tick)
}

// indexAll makes before. A peer that holds up one message can have thousands of actions waiting.
func (a *Messages) indexAll() {
	if a.indexed = true; a.before == nil {
		a.before = map[repl.Handle]entangle.Tick{}
	}
	clear(a.before)
	for i := range a.list {
		for _, act := range a.list[i].actions {
			a.index(act)
		}
	}
	for i := range a.waiting {
		a.index(a.waiting[i].Action)
	}
}

func (a *Messages) index(act Action) {
	for h := act.Group; h < act.Group+repl.Handle(act.Groups); h++ {
		if before, some := a.before[h]; !some || act.After.Before(before) {
			a.before[h] = act.After
		}
	}
}

// maxUnused bounds the lists that are kept for later messages: the memory for many messages
// at once, as when a peer joins, is not kept for ever.
const maxUnused = 8

func (a *Messages) keep(actions []Action) {
	if len(a.unused) < maxUnused {
		a.unused = append(a.unused, actions[:0])
	}
}

// Oldest returns the tick of the oldest message in flight, or now if there is none.
func (a *Messages) Oldest(now entangle.Tick) entangle.Tick {
	if len(a.list) == 0 {
		return now
	}
	return a.list[0].tick
}

// EndedSince returns how many of the ended entities, of which there are now so many, ended since the
// oldest message in flight was sent.
func (a *Messages) EndedSince(ended uint64) int {
	if len(a.list) == 0 {
		return 0
	}
	return int(ended - a.list[0].ended)
}
