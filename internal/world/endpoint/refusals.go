package endpoint

import (
	"log/slog"
	"time"

	"github.com/entangle-ecs/entangle/connection"
)

// refusals tells an operator why a layer does not let clients in. Some answer none of
// them, on purpose: without this, a wrong key looks like a dead server.
type refusals struct {
	now, told []connection.Dropped
	next      time.Time
}

const (
	// lookEvery is how often the counters are read, which costs a step per slot: not
	// in every frame.
	lookEvery = time.Second
	// tellEvery bounds what a flood of requests can write into a log.
	tellEvery = 10 * time.Second
)

func (r *refusals) tell(log *slog.Logger, layer connection.Server, now time.Time) {
	if now.Before(r.next) {
		return
	}
	r.next = now.Add(lookEvery)
	r.now = layer.AppendDropped(r.now[:0])
	for i, d := range r.now {
		more := d.Count
		if i < len(r.told) {
			more -= r.told[i].Count
		}
		if d.Refused && more > 0 {
			attrs := []any{"reason", d.Reason, "count", more}
			if d.Hint != "" {
				attrs = append(attrs, "hint", d.Hint)
			}
			log.Info("requests to connect were refused", attrs...)
			r.next = now.Add(tellEvery)
		}
	}
	r.now, r.told = r.told, r.now
}
