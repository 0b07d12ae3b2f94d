package sender

import (
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// sentAction is one record of an action message, or several with consecutive handles: first fulls.
type sentAction struct {
	group  repl.Handle
	groups int32 // number of groups
	seq    repl.Seq
	waits  bool          // for actions of other groups
	after  entangle.Tick // of the action of its group before it
}

// actionLog stores the records of each action message until it is delivered.
type actionLog struct {
	messages []actionMessage
	spare    [][]sentAction
	waiting  []waitingAction

	// before is the tick of the action before the oldest one of each group that is in flight, or may
	// wait at the peer. It is made when it is asked for.
	before  map[repl.Handle]entangle.Tick
	indexed bool
}

// waitingAction is a delivered action that may wait at the peer for another one.
type waitingAction struct {
	sentAction
	tick entangle.Tick
}

type actionMessage struct {
	name    uint16
	tick    entangle.Tick
	ends    uint64 // that there had been in the world
	records []sentAction
	again   again
}

func (a *actionLog) empty() bool { return len(a.messages) == 0 && len(a.waiting) == 0 }

// beginMessage starts the entry of a message.
func (a *actionLog) beginMessage(tick entangle.Tick, ends uint64) {
	var records []sentAction
	if n := len(a.spare); n > 0 {
		records, a.spare = a.spare[n-1], a.spare[:n-1]
	}
	a.messages = append(a.messages, actionMessage{tick: tick, ends: ends, records: records})
}

func (a *actionLog) last() *actionMessage { return &a.messages[len(a.messages)-1] }

func (a *actionLog) fresh() bool { return len(a.last().records) == 0 }

// cancel removes the newest entry, which stayed empty.
func (a *actionLog) cancel() {
	a.keep(a.last().records)
	a.messages = a.messages[:len(a.messages)-1]
}

func (a *actionLog) addRecord(rec sentAction) {
	a.last().records = append(a.last().records, rec)
	if a.indexed {
		a.index(rec)
	}
}

// settle handles the delivery of a message, and calls each for the actions that the peer has
// applied or will apply before anything later. An action that waits for other groups counts when
// all that was sent up to its tick is delivered.
func (a *actionLog) settle(name uint16, each func(sentAction)) {
	i := slices.IndexFunc(a.messages, func(m actionMessage) bool { return m.name == name })
	if i < 0 {
		return
	}
	a.indexed = false
	m := a.messages[i]
	a.messages = append(a.messages[:i], a.messages[i+1:]...)
	for _, rec := range m.records {
		if rec.waits {
			a.waiting = append(a.waiting, waitingAction{rec, m.tick})
			continue
		}
		each(rec)
	}
	a.keep(m.records)
	a.release(each)
}

// carries reports whether the action that carried a group's structure of a tick is in flight, or may
// wait at the peer: for actions of other groups, or for one of its group before it.
func (a *actionLog) carries(group repl.Handle, tick entangle.Tick) bool {
	if !a.indexed {
		a.indexAll()
	}
	before, some := a.before[group]
	return some && before.Before(tick)
}

// indexAll makes before. A peer that holds up one message can have thousands of actions waiting.
func (a *actionLog) indexAll() {
	if a.indexed = true; a.before == nil {
		a.before = map[repl.Handle]entangle.Tick{}
	}
	clear(a.before)
	for i := range a.messages {
		for _, rec := range a.messages[i].records {
			a.index(rec)
		}
	}
	for i := range a.waiting {
		a.index(a.waiting[i].sentAction)
	}
}

func (a *actionLog) index(rec sentAction) {
	for h := rec.group; h < rec.group+repl.Handle(rec.groups); h++ {
		if before, some := a.before[h]; !some || rec.after.Before(before) {
			a.before[h] = rec.after
		}
	}
}

// maxSpare bounds the lists that are kept for later messages: the memory for many messages
// at once, as when a peer joins, is not kept for ever.
const maxSpare = 8

func (a *actionLog) keep(records []sentAction) {
	if len(a.spare) < maxSpare {
		a.spare = append(a.spare, records[:0])
	}
}

// release removes the delivered actions that no message in flight can hold up.
func (a *actionLog) release(each func(sentAction)) {
	if len(a.waiting) == 0 {
		return
	}
	kept := a.waiting[:0]
	for _, w := range a.waiting {
		if len(a.messages) > 0 && !w.tick.Before(a.messages[0].tick) {
			kept = append(kept, w)
			continue
		}
		each(w.sentAction)
	}
	a.waiting = kept
}

// oldest returns the tick of the oldest message in flight, or now if there is none.
func (a *actionLog) oldest(now entangle.Tick) entangle.Tick {
	if len(a.messages) == 0 {
		return now
	}
	return a.messages[0].tick
}
