package predict

import (
	"fmt"
	"strings"
)

// PredictionStats counts what happened to predictions since the client was made.
type PredictionStats struct {
	Rollbacks [RollbackReasons]uint64 // by the reason for the tick that was restored
	Ticks     uint64                  // ticks that rollbacks have replayed
	Deepest   int                     // the largest number of ticks of one rollback

	CaughtUp    uint64 // ticks that were never due, because the clock was set past them
	Blind       uint64 // restarts of the histories from the confirmed state alone
	Resyncs     uint64 // times that confirmed state too old for a rollback was taken over
	Inserted    uint64 // confirmed states that were inserted in a replay or later, and differed from the prediction
	Corrections uint64 // values of the present that were mispredicted
}

// Total returns the number of rollbacks, for any reason.
func (s PredictionStats) Total() (n uint64) {
	for _, of := range s.Rollbacks {
		n += of
	}
	return n
}

// String says in one line how many rollbacks there were, for which reasons, and how many ticks
// they replayed.
func (s PredictionStats) String() string {
	var reasons []string
	for reason, n := range s.Rollbacks {
		if n > 0 {
			reasons = append(reasons, fmt.Sprintf("%v %d", RollbackReason(reason), n))
		}
	}
	line := fmt.Sprintf("%d rollbacks", s.Total())
	if len(reasons) > 0 {
		line += fmt.Sprintf(" (%s) of %d ticks, %d in the deepest", strings.Join(reasons, ", "), s.Ticks, s.Deepest)
	}
	return line + fmt.Sprintf("; %d corrections, %d resyncs", s.Corrections, s.Resyncs)
}

// rollback counts one rollback.
func (s *PredictionStats) rollback(reason RollbackReason, ticks int) {
	s.Rollbacks[reason]++
	s.Ticks += uint64(ticks)
	s.Deepest = max(s.Deepest, ticks)
}
