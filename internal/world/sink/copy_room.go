package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/mlange-42/arche/ecs"
)

// DefaultMaxEntities is how many entities a copy holds at a time where nobody says
// otherwise: several times what a server replicates that keeps its ticks, and some hundred
// megabytes for a client whose server means harm.
const DefaultMaxEntities = 1 << 17

// Limit sets how many entities the copy holds at a time.
func (c *Copy) Limit(most int) { c.most = most }

// Most implements receiver.Bounded.
func (c *Copy) Most() int { return c.most }

// Full implements receiver.Bounded. An entity counts for as long as it may be in the world
// because of the server: also when it was let go, until the game removes it, and when it was
// despawned while it was predicted, until the prediction has come to that.
func (c *Copy) Full() bool {
	if c.held() < c.most {
		return false
	}
	c.forgetRemoved()
	return c.held() >= c.most
}

func (c *Copy) held() int { return len(c.Slots) + len(c.letGo) + len(c.ahead.gone) }

// forgetRemoved forgets of those that were let go whom the game has removed.
func (c *Copy) forgetRemoved() {
	c.letGo = slices.DeleteFunc(c.letGo, func(e ecs.Entity) bool { return !c.world.Alive(e) })
}

var _ receiver.Bounded = (*Copy)(nil)
