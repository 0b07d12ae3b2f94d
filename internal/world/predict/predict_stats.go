package predict

import (
	"fmt"
	"strings"
)

// PredictionStats counts what became of what a client predicts, since it was made.
type PredictionStats struct {
	Rollbacks [RollbackReasons]uint64 // by what asked for the tick that was gone back to
	Ticks     uint64                  // that rollbacks have computed anew
	Deepest   int                     // the most of them in one

	CaughtUp    uint64 // ticks that were never due, because the clock went past them
	Blind       uint64 // beginnings anew, from what the server said alone
	Resyncs     uint64 // times that the server's word was taken for the present, being too old to go back to
	Inserted    uint64 // words of the server, later than the tick gone back to, that were not as predicted
	Corrections uint64 // values of the present that were predicted otherwise
}

// Total is how many rollbacks there were, whatever for.
func (s PredictionStats) Total() (n uint64) {
	for _, of := range s.Rollbacks {
		n += of
	}
	return n
}

// String says in one line how many rollbacks there were, what for, and what they computed.
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

// Stats returns the counters.
func (p *Prediction) Stats() PredictionStats { return p.stats }

// rollback counts one.
func (s *PredictionStats) rollback(reason RollbackReason, ticks int) {
	s.Rollbacks[reason]++
	s.Ticks += uint64(ticks)
	s.Deepest = max(s.Deepest, ticks)
}
