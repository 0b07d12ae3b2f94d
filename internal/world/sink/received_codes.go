package sink

import (
	"fmt"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/wire/stepcode"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// receivedCodes holds the learned codes that were received, by version.
type receivedCodes struct {
	comps set.Mask
	n     int
	at    [repl.CodesPlaces + 1][]*stepcode.Codes // by component number; place 0: always none
}

// codesOf returns the codes of a component at a place, which holds a version.
func (t *receivedCodes) codesOf(comp int, at uint8) *stepcode.Codes {
	if at == 0 {
		return nil
	}
	return t.at[at][comp]
}

var _ receiver.Learner = (*Applier)(nil)

// Learns implements receiver.Learner.
func (a *Applier) Learns() bool { return a.diffs.history.Learns() }

// Learn implements receiver.Learner.
func (a *Applier) Learn(table []byte, at, over uint8) error {
	var r bits.Reader
	r.Reset(table)
	codes, err := a.diffs.codes.readTable(&r, over)
	if err == nil {
		a.diffs.codes.at[at] = codes
	}
	return err
}

func (t *receivedCodes) readTable(r *bits.Reader, over uint8) ([]*stepcode.Codes, error) {
	all, books := make([]*stepcode.Codes, t.n), 0
	for c := range t.comps.All() {
		all[c] = t.codesOf(c, over)
		if r.Bool() {
			var err error
			if all[c], err = stepcode.ReadCodes(r, all[c]); err != nil {
				return nil, fmt.Errorf("sink: codes of component %d: %w", c, err)
			}
		}
		if books += all[c].Books(); books > stepcode.MaxBooks {
			return nil, fmt.Errorf("sink: %d codes: %w", books, stepcode.ErrCodes)
		}
	}
	return all, r.End()
}
