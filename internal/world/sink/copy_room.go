package sink

import (
	"slices"

	"github.com/entangle-ecs/entangle/internal/core/repl/receiver"
	"github.com/mlange-42/arche/ecs"
)

// DefaultMaxEntities is the default limit on the entities of a copy at a time. It is several times
// the number that a server can replicate without dropping ticks, and costs a client a few hundred
// megabytes if its server is malicious.
const DefaultMaxEntities = 1 << 17

// Limit sets how many entities the copy holds at a time.
func (c *Copy) Limit(most int) { c.most = most }

// Most implements receiver.Bounded.
func (c *Copy) Most() int { return c.most }

// Full implements receiver.Bounded. An entity counts as long as it may be in the world because of
// the server. An orphaned entity counts until the game removes it. An entity that was despawned
// while it was predicted counts until the prediction has reached that tick.
func (c *Copy) Full() bool {
	if c.held() < c.most {
		return false
	}
	c.forgetRemoved()
	return c.held() >= c.most
}

func (c *Copy) held() int { return len(c.Slots) + len(c.letGo) + len(c.ahead.gone) }

// forgetRemoved drops the orphaned entities that the game has removed.
func (c *Copy) forgetRemoved() {
	c.letGo = slices.DeleteFunc(c.letGo, func(e ecs.Entity) bool { return !c.world.Alive(e) })
}

var _ receiver.Bounded = (*Copy)(nil)
