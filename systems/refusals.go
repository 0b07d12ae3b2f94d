package systems

import (
	"log/slog"
	"time"

	"github.com/entangle-ecs/entangle/internal/core/session"
)

// refusals tells an operator why clients are not let in. The session answers none
// of them, on purpose: without this, a wrong key looks like a dead server.
type refusals struct {
	told session.Drops
	next time.Time
}

// tellEvery bounds what a flood of requests can write into a log.
const tellEvery = 10 * time.Second

func (r *refusals) tell(log *slog.Logger, drops session.Drops, now time.Time) {
	if now.Before(r.next) {
		return
	}
	for reason := session.DropRequestForm; int(reason) < len(drops); reason++ {
		if more := drops[reason] - r.told[reason]; more > 0 {
			log.Info("requests to connect were refused", "reason", reason.String(), "count", more)
			r.next = now.Add(tellEvery)
		}
	}
	r.told = drops
}
