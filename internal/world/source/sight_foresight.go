package source

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
)

// foresight holds which clients predict which entities. It passes that to their peers, which send
// it while the entity is visible, so only targets matter here. Nothing is stored until an entity
// has a prediction target.
type foresight struct {
	Of      []foreseen                   // by slot
	Some    repl.Bitset                  // slots that have a target, or one that a peer was given
	rooms   refs.Chains[components.Room] // slots, by the room that is their target
	stirred []repl.Slot
	noted   repl.Bitset // slots in stirred
}

// foreseen names the clients that predict an entity.
type foreseen struct {
	target components.Target // set by the entity or its nearest ancestor that has one; never Default
	whose  repl.Slot         // the entity that set it, to whose owner the target may refer
}

func newForesight() foresight { return foresight{rooms: refs.NewChains[components.Room]()} }

// at returns the prediction target of an entity.
func (f *foresight) at(s repl.Slot) foreseen {
	if int(s) >= len(f.Of) {
		return foreseen{target: components.Nobody, whose: s}
	}
	return f.Of[s]
}

// set records the prediction target of an entity.
func (f *foresight) set(s repl.Slot, to foreseen) {
	was := f.at(s)
	if was == to {
		return
	}
	for len(f.Of) <= int(s) {
		f.Of = append(f.Of, foreseen{target: components.Nobody, whose: repl.Slot(len(f.Of))})
	}
	if room, ok := was.target.Room(); ok {
		f.rooms.Remove(room, int32(s))
	}
	f.Of[s] = to
	if room, ok := to.target.Room(); ok {
		f.rooms.Add(room, int32(s))
	}
	if f.Some.Grow(len(f.Of)); to.target != components.Nobody {
		f.Some.Set(int(s))
	}
	f.stir(s)
}

// stir marks the prediction target of an entity to be passed to the peers in this tick.
func (f *foresight) stir(s repl.Slot) {
	if f.noted.Grow(len(f.Of)); f.Some.Has(int(s)) && !f.noted.Has(int(s)) {
		f.noted.Set(int(s))
		f.stirred = append(f.stirred, s)
	}
}

// forget removes a despawned entity, as the peers do.
func (f *foresight) forget(s repl.Slot) {
	if int(s) < len(f.Of) {
		f.set(s, foreseen{target: components.Nobody, whose: s})
		f.Some.Clear(int(s))
	}
}

// predictionOf returns the prediction target of an entity: that of its Replicate, or of the
// nearest ancestor that sets one.
func (f *family) predictionOf(s repl.Slot) foreseen {
	for {
		target := f.publisher.replicate(s).Predict
		if target != components.Default {
			return foreseen{target, s}
		}
		above, ok := f.Parent(s)
		if !ok {
			return foreseen{components.Nobody, s}
		}
		s = above
	}
}

// readPrediction reads the prediction target of an entity.
func (v *sight) readPrediction(s repl.Slot) {
	to := v.publisher.Family.predictionOf(s)
	if to.target == components.Nobody {
		to.whose = s // as if no target was set
	}
	v.Foresight.set(s, to)
}

// predicts reports whether a client predicts an entity that is visible to it.
func (v *sight) predicts(c *Spectator, s repl.Slot) bool {
	f := v.Foresight.at(s)
	return f.target != components.Nobody && v.includes(f.target, f.whose, c.id)
}

// foretell passes the stale prediction targets to the peers.
func (v *sight) foretell() {
	f := &v.Foresight
	for _, s := range f.stirred {
		f.noted.Clear(int(s))
		v.publisher.doubtPrediction(s, f.Of[s])
		for i := range v.Clients {
			v.foretellOne(&v.Clients[i], s)
		}
		if f.Of[s].target == components.Nobody {
			f.Some.Clear(int(s))
		}
	}
	f.stirred = f.stirred[:0]
}

func (v *sight) foretellOne(c *Spectator, s repl.Slot) {
	c.Peer.Predict(s, v.predicts(c, s))
	if c.local != nil {
		v.one[0] = s
		c.local.MarkStale(v.one[:])
	}
}

// foretellAll passes all prediction targets to the peer of a new client.
func (v *sight) foretellAll(c *Spectator) {
	for s := v.Foresight.Some.Next(0); s >= 0; s = v.Foresight.Some.Next(s + 1) {
		v.foretellOne(c, repl.Slot(s))
	}
}

// foretellRoom updates the peer of a client that entered or left a room.
func (v *sight) foretellRoom(c *Spectator, m interest.Move) {
	room := components.Room(m.Room)
	for s, ok := v.Foresight.rooms.First(room); ok; s, ok = v.Foresight.rooms.Next(s) {
		v.foretellOne(c, repl.Slot(s))
	}
}
