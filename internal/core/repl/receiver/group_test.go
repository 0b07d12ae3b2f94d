package receiver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/protocol/bits"
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

// The memory of a large record is not kept for reuse, which would add to what WaitingBytes counts.
func TestLargeRecordsAreNotKept(t *testing.T) {
	for bytes, kept := range map[int]int{maxFreeBody: 1, maxFreeBody + 1: 0} {
		var p pool
		var q queue
		var in bits.Reader
		in.Reset(make([]byte, bytes))
		p.add(&q, &repl.Record{}, nil, in, bytes*8)
		p.dropIf(&q, func(*waitingRecord) bool { return true })
		assert.Len(t, p.free, kept, "%d bytes", bytes)
		assert.Zero(t, p.bytes)
	}
}
