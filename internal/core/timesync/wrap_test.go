package timesync_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/entangle-ecs/entangle"
)

// Nothing changes if the ticks of the server or the client wrap around at 2^32, or if they begin as
// far apart as ticks can be.
//
// Proves: S7
func TestTicksWrap(t *testing.T) {
	for _, c := range []struct {
		name           string
		server, client entangle.Tick
	}{
		{"the server's, soon", 1<<32 - 100, 0},
		{"the server's, later", 1<<32 - 30*rate, 1<<32 - 10},
		{"at 2^31", 1<<31 - 20*rate, 1<<32 - 20*rate},
		{"as far away as can be", 5, 1<<31 + 5},
		{"a little less", 5, 1<<31 + 6},
		{"a little more", 5, 1<<31 + 4},
		{"just before, from far away", 1<<32 - 720, 1 << 31},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := usual(moves(2), func(n *network) { n.start, n.client.tick = c.server, c.client })
			n.run(t, *firstSeed, time.Minute)
			f := n.after(warmUp)
			t.Log(f)
			assert.GreaterOrEqual(t, f.inTime, 0.999)
			assert.LessOrEqual(t, f.lead, f.best+2)
			assert.Equal(t, 1, n.after(0).jumps)
			assert.Greater(t, f.seen, 0.99)
			n.advancesSteadily(t, warmUp, time.Minute)
		})
	}
}
