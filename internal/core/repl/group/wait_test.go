package group

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/set"
)

// A group keeps its lateness as long as it is not sent late or early again, however often it becomes due and is sent.
//
// Proves: R36
func TestAGroupKeepsItsLateness(t *testing.T) {
	sp := Space{WaitingSince: make([]uint32, 1), Due: make(set.Bitset, 1)}
	for _, c := range []struct {
		late float32
		want uint32
	}{{0, 8}, {0.5, 16}, {-0.25, 4}, {9, 31}, {-9, 0}} {
		sp.SetLateness(0, c.late)
		for now := entangle.Tick(100); now < 110; now += 3 {
			sp.MarkDue(0, now)
			ticks, late := sp.Waited(0, now+2)
			assert.True(t, ticks == 2 && late == c.want, "%v: waited %d, %d late", c.late, ticks, late)
			sp.Due.Clear(0)
		}
	}
}
