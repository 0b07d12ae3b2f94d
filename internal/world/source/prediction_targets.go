package source

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
	"github.com/entangle-ecs/entangle/internal/world/refs"
)

// predictionTargets holds which clients predict which entities. It passes that to their peers,
// which send it while the entity is visible, so only targets matter here. Nothing is stored until
// an entity has a prediction target.
type predictionTargets struct {
	Of    []clientTarget               // by slot
	Some  set.Bitset                   // slots that have a target, or one that a peer was given
	rooms refs.Chains[components.Room] // slots, by the room that is their target
	stale staleSlots                   // to be passed to the peers in this tick
}

// clientTarget names the clients that predict or interpolate an entity.
type clientTarget struct {
	target components.Target // set by the entity or its nearest ancestor that has one; never Default
	setBy  repl.Slot         // the entity that set it; the target may refer to the owner of that
}

func newPredictionTargets() predictionTargets {
	return predictionTargets{rooms: refs.NewChains[components.Room]()}
}

// targetOf returns the prediction target of an entity.
func (t *predictionTargets) targetOf(s repl.Slot) clientTarget {
	if int(s) >= len(t.Of) {
		return clientTarget{target: components.Nobody, setBy: s}
	}
	return t.Of[s]
}

// setTarget records the prediction target of an entity, and reports whether it changed.
func (t *predictionTargets) setTarget(s repl.Slot, to clientTarget) (changed bool) {
	was := t.targetOf(s)
	if was == to {
		return false
	}
	for len(t.Of) <= int(s) {
		t.Of = append(t.Of, clientTarget{target: components.Nobody, setBy: repl.Slot(len(t.Of))})
	}
	if room, ok := was.target.Room(); ok {
		t.rooms.Remove(room, int32(s))
	}
	t.Of[s] = to
	if room, ok := to.target.Room(); ok {
		t.rooms.Add(room, int32(s))
	}
	if t.Some.Grow(len(t.Of)); to.target != components.Nobody {
		t.Some.Set(int(s))
	}
	t.markStale(s)
	return true
}

// markStale marks the prediction target of an entity to be passed to the peers in this tick.
func (t *predictionTargets) markStale(s repl.Slot) {
	if t.stale.marked.Grow(len(t.Of)); t.Some.Has(int(s)) {
		t.stale.markSlot(s)
	}
}

// forgetEntity removes a despawned entity, as the peers do.
func (t *predictionTargets) forgetEntity(s repl.Slot) {
	if int(s) < len(t.Of) {
		t.setTarget(s, clientTarget{target: components.Nobody, setBy: s})
		t.Some.Clear(int(s))
	}
}

// inheritedTarget returns a target of an entity: that of its Replicate, or of the nearest ancestor that
// sets one. No client is a target without a setBy of its own.
func (h *hierarchy) inheritedTarget(s repl.Slot, of func(*components.Replicate) components.Target) clientTarget {
	none := clientTarget{components.Nobody, s}
	for {
		switch target := of(h.collector.replicateOf(s)); target {
		case components.Default:
		case components.Nobody:
			return none
		default:
			return clientTarget{target, s}
		}
		above, ok := h.Parent(s)
		if !ok {
			return none
		}
		s = above
	}
}

// readPrediction reads the prediction target of an entity.
func (v *visibility) readPrediction(s repl.Slot) {
	to := v.collector.Hierarchy.inheritedTarget(s, func(r *components.Replicate) components.Target { return r.Predict })
	if v.Predictions.setTarget(s, to) && (v.Interpolations.comp >= 0 || v.hasPrespawned(s)) {
		v.markStale(s) // a client that predicts the entity does not interpolate it, and gets its hash
	}
}

// predicts reports whether a client predicts an entity that is visible to it.
func (v *visibility) predicts(c *Client, s repl.Slot) bool {
	f := v.Predictions.targetOf(s)
	return f.target != components.Nobody && v.includes(f.target, f.setBy, c.id)
}

// updatePredictions passes the stale prediction targets to the peers.
func (v *visibility) updatePredictions() {
	f := &v.Predictions
	for _, s := range f.stale.slots {
		v.collector.checkPrediction(s, f.Of[s])
		for i := range v.Clients {
			v.updatePrediction(&v.Clients[i], s)
		}
		if f.Of[s].target == components.Nobody {
			f.Some.Clear(int(s))
		}
	}
	f.stale.clearMarks()
}

func (v *visibility) updatePrediction(c *Client, s repl.Slot) {
	c.Peer.Predict(s, v.predicts(c, s))
	if c.local != nil {
		v.scratch.one[0] = s
		c.local.MarkStale(v.scratch.one[:])
	}
}

// initPredictions passes all prediction targets to the peer of a new client.
func (v *visibility) initPredictions(c *Client) {
	for s := v.Predictions.Some.Next(0); s >= 0; s = v.Predictions.Some.Next(s + 1) {
		v.updatePrediction(c, repl.Slot(s))
	}
}

// updateRoomPredictions updates the peer and the views of a client that entered or left a room.
func (v *visibility) updateRoomPredictions(c *Client, m interest.Move) {
	room := components.Room(m.Room)
	for s, ok := v.Predictions.rooms.First(room); ok; s, ok = v.Predictions.rooms.Next(s) {
		v.updatePrediction(c, repl.Slot(s))
		if v.Prespawns.partial.Has(int(s)) {
			v.reevaluate(c, repl.Slot(s), v.show)
		}
	}
}
