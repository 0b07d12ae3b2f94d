package source

import (
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/refs"
)

// foresight is which clients predict which entities. It says so to their peers, who tell of
// it while the entity is shown: so it asks for nothing but targets. Nothing is kept until an
// entity has one.
type foresight struct {
	Of      []foreseen                   // by slot
	Some    repl.Bitset                  // slots that have a target, or of which a peer was told
	rooms   refs.Chains[components.Room] // slots, by the room that is their target
	stirred []repl.Slot
	noted   repl.Bitset // what is in stirred
}

// foreseen is who predicts an entity.
type foreseen struct {
	target components.Target // of the nearest above it that says one; never Default
	whose  repl.Slot         // it: the entity whose owner the target may stand for
}

func newForesight() foresight { return foresight{rooms: refs.NewChains[components.Room]()} }

// at returns who predicts an entity.
func (f *foresight) at(s repl.Slot) foreseen {
	if int(s) >= len(f.Of) {
		return foreseen{target: components.Nobody, whose: s}
	}
	return f.Of[s]
}

// set takes note of who predicts an entity.
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

// stir has the peers told again in this tick.
func (f *foresight) stir(s repl.Slot) {
	if f.noted.Grow(len(f.Of)); f.Some.Has(int(s)) && !f.noted.Has(int(s)) {
		f.noted.Set(int(s))
		f.stirred = append(f.stirred, s)
	}
}

// forget forgets an entity that is gone, as the peers do.
func (f *foresight) forget(s repl.Slot) {
	if int(s) < len(f.Of) {
		f.set(s, foreseen{target: components.Nobody, whose: s})
		f.Some.Clear(int(s))
	}
}

// predictionOf returns who predicts an entity: whom its Replicate names, or where that says
// nothing, those who predict its parent.
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

// readPrediction takes in who predicts an entity.
func (v *sight) readPrediction(s repl.Slot) {
	to := v.publisher.Family.predictionOf(s)
	if to.target == components.Nobody {
		to.whose = s // as if nobody had said so
	}
	v.Foresight.set(s, to)
}

// predicts reports whether a client predicts an entity that it is shown.
func (v *sight) predicts(c *Spectator, s repl.Slot) bool {
	f := v.Foresight.at(s)
	return f.target != components.Nobody && v.includes(f.target, f.whose, c.id)
}

// foretell tells the peers who predict what was stirred.
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

// foretellAll tells the peer of a client that has just come of all that is predicted.
func (v *sight) foretellAll(c *Spectator) {
	for s := v.Foresight.Some.Next(0); s >= 0; s = v.Foresight.Some.Next(s + 1) {
		v.foretellOne(c, repl.Slot(s))
	}
}

// foretellRoom tells the peer of a client that came into a room, or left it.
func (v *sight) foretellRoom(c *Spectator, m interest.Move) {
	room := components.Room(m.Room)
	for s, ok := v.Foresight.rooms.First(room); ok; s, ok = v.Foresight.rooms.Next(s) {
		v.foretellOne(c, repl.Slot(s))
	}
}
