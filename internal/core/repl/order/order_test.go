package order

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
)

// The tick of an action says whether it is after or before the newest action, also if their
// sequence numbers are equal.
//
// Proves: R23
func TestTheTickOfAnActionDecidesItsPlace(t *testing.T) {
	p := First(10)
	after := func(seq repl.Seq, tick entangle.Tick) int64 {
		rec := Record{Record: repl.Record{Seq: seq, Tick: tick}}
		p.ExpandSeq(&rec)
		return rec.LongSeq - firstLongSeq
	}
	assert.EqualValues(t, 1, after(1, 11))
	assert.EqualValues(t, repl.SeqCycle+1, after(1, 20), "a whole cycle later")
	assert.EqualValues(t, 2, after(2, 12), "it is late")
	assert.EqualValues(t, repl.SeqCycle+2, after(2, 21))
}

// An action of the next group under a handle may find no room before the end of the group is applied. It is passed over
// once the next group is there.
func TestAnActionOfTheNextGroupIsPassedOver(t *testing.T) {
	p := First(10)
	end := p.LongSeq + 1
	p.PassLater(end + 2)
	p.Advance(end)
	p.Restart()
	p.State = State{Known: true, LongSeq: p.LongSeq, Tick: 20}
	p.Advance(end + 1)
	assert.True(t, p.NextPassed())
}
