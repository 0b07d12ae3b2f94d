package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Relevance is a game's own word on which entities matter to which clients: an enemy that
// was spied out, a quest that one player has, somebody who is invisible. It counts more
// than rooms, grids and ownership do, for entities that are components.ByInterest or
// Retained; see components.Relevance. It shows nothing beyond the Target.
//
// It is for the server. What is said in a frame counts at its end, the last word alone,
// and until it is taken back: through pauses, from before the entity is replicated, and
// until the client's connection or the entity ends. A client that connects again
// inherits nothing.
type Relevance struct {
	world     *ecs.World
	publisher *source.Publisher
}

// NewRelevance returns what says what matters to whom. It is made in a system's Initialize
// and kept; all that are made in a world are the same. It panics in a world without a
// server.
func NewRelevance(w *ecs.World) Relevance {
	return Relevance{world: w, publisher: serverOf(w, "NewRelevance")}
}

// Show has an entity gain relevance for a client: it matters to it, whatever else says. It
// reports whether the client is connected; to one that is not, or not any more, nothing
// happens. To say it again is harmless. It panics if the entity is not alive.
func (r *Relevance) Show(e ecs.Entity, client entangle.ClientID) bool {
	return r.say("Show", e, client, interest.Shown)
}

// Hide has an entity lose relevance for a client: it does not matter to it, though it be
// the client's own or in a room with it. Otherwise it is like Show.
func (r *Relevance) Hide(e ecs.Entity, client entangle.ClientID) bool {
	return r.say("Hide", e, client, interest.Hidden)
}

// Clear takes back what Show or Hide said: it is for rooms, grids and ownership again to
// say what matters. It reports whether anything was said.
func (r *Relevance) Clear(e ecs.Entity, client entangle.ClientID) bool {
	_, said := r.Said(e, client)
	return said && r.say("Clear", e, client, interest.Unset)
}

func (r *Relevance) say(what string, e ecs.Entity, client entangle.ClientID, word interest.Setting) bool {
	if !r.world.Alive(e) {
		panic(fmt.Sprintf("plugin: %s of %v, which is not alive; ask World.Alive of entities that are kept", what, e))
	}
	i := r.publisher.Interest()
	row, ok := i.Row(client)
	if ok {
		i.Relevance().Set(row, i.Number(e), word)
	}
	return ok
}

// Said returns what was said of an entity and a client, by Show or by Hide, and whether
// anything was.
func (r *Relevance) Said(e ecs.Entity, client entangle.ClientID) (show, said bool) {
	i := r.publisher.Interest()
	row, ok := i.Row(client)
	if !ok || !r.world.Alive(e) {
		return false, false
	}
	word := i.Relevance().Setting(row, i.Number(e))
	return word == interest.Shown, word != interest.Unset
}

// Sees reports whether a client is shown an entity, as of the last sending: it is in the
// Target, and mattered if that was asked for. What it has of an entity that is Retained
// and no longer matters is not seen. It is how a game asks who can hear what somebody
// says, and costs no more than Rooms.HasClient.
func (r *Relevance) Sees(e ecs.Entity, client entangle.ClientID) bool {
	return r.world.Alive(e) && r.publisher.Shows(e, client)
}
