package program

import (
	"encoding/json"
	"io"
)

// Result is what comes of a run without a terminal.
type Result interface {
	// Verdict returns what of the example's claim does not hold.
	Verdict() error
}

// Tabled is a result with a table for people beside its line of JSON for programs.
type Tabled interface {
	Table(out io.Writer) error
}

// Tell prints a result, and fails if it is not what was claimed.
func (s Streams) Tell(r Result) error {
	if err := json.NewEncoder(s.Out).Encode(r); err != nil {
		return err
	}
	if t, ok := r.(Tabled); ok {
		if err := t.Table(s.Err); err != nil {
			return err
		}
	}
	return r.Verdict()
}
