package program

import (
	"encoding/json"
	"io"
)

// Result is the result of a run without a terminal.
type Result interface {
	// Verdict returns an error if the example's claim does not hold.
	Verdict() error
}

// Tabled is a result with a table for people, in addition to its line of JSON.
type Tabled interface {
	Table(out io.Writer) error
}

// Tell prints a result, and returns its Verdict.
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
