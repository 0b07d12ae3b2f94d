package endpoint

import (
	"log/slog"
	"time"

	"github.com/entangle-ecs/entangle/connection"
)

// refusals logs why a layer refuses clients. Some layers do not answer refused clients, on purpose:
// without the log, a wrong key looks like a dead server.
type refusals struct {
	now, logged []connection.Dropped
	next        time.Time
}

const (
	// readInterval is how often the counters are read. Reading costs a step per slot, too much for
	// every frame.
	readInterval = time.Second
	// logInterval limits how many log lines a flood of requests can cause.
	logInterval = 10 * time.Second
)

func (r *refusals) logNew(log *slog.Logger, layer connection.Server, now time.Time) {
	if now.Before(r.next) {
		return
	}
	r.next = now.Add(readInterval)
	r.now = layer.AppendDropped(r.now[:0])
	for i, d := range r.now {
		more := d.Count
		if i < len(r.logged) {
			more -= r.logged[i].Count
		}
		if d.Refused && more > 0 {
			attrs := []any{"reason", d.Reason, "count", more}
			if d.Hint != "" {
				attrs = append(attrs, "hint", d.Hint)
			}
			log.Info("requests to connect were refused", attrs...)
			r.next = now.Add(logInterval)
		}
	}
	r.now, r.logged = r.logged, r.now
}
