package predict

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/world/input"
	"github.com/mlange-42/arche/ecs"
)

var _ input.IntentPredictor = (*Prediction)(nil)

// BeginIntent implements input.IntentPredictor. It updates the histories with the changes of this tick, so
// that only the new entity counts as if it had always been there.
func (p *Prediction) BeginIntent() bool {
	if !p.progress.synced() {
		return false
	}
	p.FollowChildren()
	p.CommitStructure()
	return true
}

// Intends implements input.IntentPredictor.
func (p *Prediction) Intends(hash uint32) bool { return p.prespawned.matcher.Has(hash) }

// Intend implements input.IntentPredictor. The entity is in the histories of all ticks, without what is
// assembled: replays do not run the system that has fired it. It is removed if the server's has not arrived
// when all state of its tick has.
func (p *Prediction) Intend(e ecs.Entity, hash uint32, tick entangle.Tick) {
	p.entities.commitStructure(between)
	p.prespawned.matcher.Announced(e, hash, tick, p.prespawned.drop)
}

// NetworkID implements input.IntentPredictor.
func (p *Prediction) NetworkID(e ecs.Entity) (id repl.ID, ok bool) {
	return p.cfg.Applier.Replicas.ID(e)
}

// IntentMarks returns the components of an entity that the player has fired.
func (p *Prediction) IntentMarks() []ecs.ID { return p.entities.marks }
