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

const (
	// lookEvery is how often the counters are read, which costs a step per slot: not
	// in every frame.
	lookEvery = time.Second
	// tellEvery bounds what a flood of requests can write into a log.
	tellEvery = 10 * time.Second
)

func (r *refusals) tell(log *slog.Logger, sess *session.Server, now time.Time) {
	if now.Before(r.next) {
		return
	}
	r.next = now.Add(lookEvery)
	drops := sess.Stats().Drops
	for reason := session.DropRequestForm; int(reason) < len(drops); reason++ {
		if more := drops[reason] - r.told[reason]; more > 0 {
			log.Info("requests to connect were refused", "reason", reason.String(), "count", more)
			r.next = now.Add(tellEvery)
		}
	}
	r.told = drops
}
