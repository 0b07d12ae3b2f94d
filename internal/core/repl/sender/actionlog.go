package sender

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// sentAction is one record of an action message.
type sentAction struct {
	group repl.Handle
	seq   repl.Seq
}

// actionLog remembers the records of each action message until it is delivered.
type actionLog struct {
	messages []actionMessage
	spare    [][]sentAction
}

type actionMessage struct {
	name    uint16
	tick    entangle.Tick
	records []sentAction
}

func (a *actionLog) empty() bool { return len(a.messages) == 0 }

// begin opens the record of a message.
func (a *actionLog) begin(tick entangle.Tick) {
	var records []sentAction
	if n := len(a.spare); n > 0 {
		records, a.spare = a.spare[n-1], a.spare[:n-1]
	}
	a.messages = append(a.messages, actionMessage{tick: tick, records: records})
}

func (a *actionLog) last() *actionMessage { return &a.messages[len(a.messages)-1] }

func (a *actionLog) fresh() bool { return len(a.last().records) == 0 }

// cancel takes back the record that was begun last and stayed empty.
func (a *actionLog) cancel() {
	a.spare = append(a.spare, a.last().records)
	a.messages = a.messages[:len(a.messages)-1]
}

func (a *actionLog) add(rec sentAction) { a.last().records = append(a.last().records, rec) }

func (a *actionLog) settle(name uint16, each func(sentAction)) {
	for i := range a.messages {
		if a.messages[i].name != name {
			continue
		}
		records := a.messages[i].records
		for _, rec := range records {
			each(rec)
		}
		a.spare = append(a.spare, records[:0])
		a.messages = append(a.messages[:i], a.messages[i+1:]...)
		return
	}
}

// oldest returns the tick of the oldest message under way, or now if there is none.
func (a *actionLog) oldest(now entangle.Tick) entangle.Tick {
	if len(a.messages) == 0 {
		return now
	}
	return a.messages[0].tick
}
