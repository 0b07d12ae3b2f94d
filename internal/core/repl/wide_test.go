package repl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
)

// A limit of many packets is used up in the first tick in which it applies, even if an int has 32
// bits.
//
// Proves: R36
func TestALimitOfManyPacketsIsMadeUseOf(t *testing.T) {
	for _, limit := range []int{7_000, 35_000, 38_500, 42_000} {
		c := newCrowd(14_000, 1, func(repl.Slot) group.Place { return group.Place{} })
		tick(c.World, func() { c.Change(0, c.all) })
		p, spent := c.peers[0], 0
		p.Prepare()
		p.Limit(limit)
		for pkt := uint16(1); ; pkt++ {
			n := len(p.AppendUpdates(nil, repl.MaxUpdateBytes, pkt))
			if n == 0 {
				break
			}
			spent += n
		}
		assert.LessOrEqual(t, spent, limit)
		assert.Greater(t, spent, limit*4/5)
	}
}
