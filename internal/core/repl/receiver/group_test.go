package receiver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// A record waits until its group has reached the baseline, and is dropped when the group has reached its tick. A full has
// no baseline.
//
// Proves: R20, R21, R22, R23
func TestTheBaselineOfARecordDecides(t *testing.T) {
	empty, at10 := group{}, group{tick: 10, known: true}
	for _, kind := range []repl.Kind{repl.Change, repl.Gone, repl.Update} {
		rec := repl.Record{Kind: kind, Tick: 12, From: repl.From{Base: 10}}
		assert.Equal(t, wait, empty.judge(&rec))
		assert.Equal(t, apply, at10.judge(&rec))
		rec.Base = 9
		assert.Equal(t, apply, at10.judge(&rec))
		rec.Base = 11
		assert.Equal(t, wait, at10.judge(&rec))
		rec.Tick, rec.Base = 10, 9
		assert.Equal(t, drop, at10.judge(&rec))
	}
	full := repl.Record{Kind: repl.Full, Tick: 12}
	assert.Equal(t, apply, empty.judge(&full))
	assert.Equal(t, apply, at10.judge(&full))
	full.Tick = 10
	assert.Equal(t, drop, at10.judge(&full))
}
