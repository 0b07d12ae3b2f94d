package sink

import (
	"slices"

	"github.com/mlange-42/arche/ecs"
)

// DefaultMaxEntities is the default limit on the replicas and orphaned entities at a time. It is
// several times the number that a server can replicate without dropping ticks, and costs a client a
// few hundred megabytes if its server is malicious.
const DefaultMaxEntities = 1 << 17

// Limit sets how many entities the server may make this side hold at a time.
func (a *Applier) Limit(most int) {
	a.Replicas.most = most
	a.archetypes.setLimits(most)
}

// Most implements receiver.Sink.
func (a *Applier) Most() int { return a.Replicas.most }

// AtLimit implements receiver.Sink. An entity counts as long as it may be in the world because of
// the server. An orphaned entity counts until the game removes it. An entity that was despawned
// while it was predicted counts until the prediction has reached that tick.
func (a *Applier) AtLimit() bool {
	if a.counted() < a.Replicas.most {
		return false
	}
	a.Replicas.orphans.sweepRemoved(a.world)
	return a.counted() >= a.Replicas.most
}

func (a *Applier) counted() int {
	return a.Replicas.Len() + len(a.Replicas.orphans.list) + len(a.prediction.gone)
}

// orphans are entities that the server no longer updates nor despawns.
type orphans struct {
	list    []ecs.Entity
	sweepAt int // length of list at which entities that the game removed are dropped from it
}

// addOrphan adds an entity.
func (o *orphans) addOrphan(w *ecs.World, e ecs.Entity) {
	if len(o.list) >= o.sweepAt {
		o.sweepRemoved(w)
		o.sweepAt = 2*len(o.list) + 64
	}
	o.list = append(o.list, e)
}

// sweepRemoved drops the entities that the game has removed.
func (o *orphans) sweepRemoved(w *ecs.World) {
	o.list = slices.DeleteFunc(o.list, func(e ecs.Entity) bool { return !w.Alive(e) })
}
