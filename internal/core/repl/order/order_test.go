package order

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// The tick of an action says whether its place is after or before that of the newest action, also if their
// sequence numbers are equal.
//
// Proves: R23
func TestTheTickOfAnActionDecidesItsPlace(t *testing.T) {
	p := First(10)
	place := func(seq repl.Seq, tick entangle.Tick) int64 {
		rec := Record{Record: repl.Record{Seq: seq, Tick: tick}}
		p.Place(&rec)
		return rec.At - firstAt
	}
	assert.EqualValues(t, 1, place(1, 11))
	assert.EqualValues(t, repl.SeqCycle+1, place(1, 20), "a whole cycle later")
	assert.EqualValues(t, 2, place(2, 12), "it is late")
	assert.EqualValues(t, repl.SeqCycle+2, place(2, 21))
}
