package plugin

import (
	"fmt"

	"github.com/mlange-42/arche/ecs"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/entangle-ecs/entangle/internal/world/source"
)

// Relevance lets a game decide itself which entities matter to which clients: a scouted enemy, a
// quest of one player, an invisible character. It overrides rooms, grids and ownership, for
// entities that are components.ByInterest or Retained; see components.Relevance. It never shows an
// entity beyond its Target.
//
// It is for the server. Settings take effect at the end of the frame; of several settings for the
// same entity and client, the last one counts. A setting holds until it is cleared, the client
// disconnects, or the entity is removed. It survives pauses, and may be made before the entity is
// replicated. A client that reconnects starts without settings.
type Relevance struct {
	world     *ecs.World
	collector *source.Collector
}

// NewRelevance returns the relevance settings of a world. It is made in a system's Initialize and
// kept; all Relevance values of a world share their settings. It panics in a world without a
// server.
func NewRelevance(w *ecs.World) Relevance {
	return Relevance{world: w, collector: serverOf(w, "NewRelevance")}
}

// Show makes an entity relevant to a client, whatever other rules say. It reports whether the
// client is connected; otherwise nothing happens. Repeated calls are harmless. It panics if the
// entity is not alive.
func (r *Relevance) Show(e ecs.Entity, client entangle.ClientID) bool {
	return r.applySetting("Show", e, client, interest.Shown)
}

// Hide makes an entity irrelevant to a client, even if the client owns it or shares a room with it.
// Otherwise it is like Show.
func (r *Relevance) Hide(e ecs.Entity, client entangle.ClientID) bool {
	return r.applySetting("Hide", e, client, interest.Hidden)
}

// Clear removes the setting of Show or Hide: rooms, grids and ownership decide again. It reports
// whether there was a setting.
func (r *Relevance) Clear(e ecs.Entity, client entangle.ClientID) bool {
	_, set := r.Setting(e, client)
	return set && r.applySetting("Clear", e, client, interest.Unset)
}

func (r *Relevance) applySetting(what string, e ecs.Entity, client entangle.ClientID, setting interest.Setting) bool {
	if !r.world.Alive(e) {
		panic(fmt.Sprintf("plugin: %s of %v, which is not alive; ask World.Alive of entities that are kept", what, e))
	}
	i := r.collector.Interest()
	row, ok := i.Row(client)
	if ok {
		i.Relevance().Set(row, i.Number(e), setting)
	}
	return ok
}

// Setting returns the setting of an entity and a client, and whether there is one. show is true after
// Show and false after Hide.
func (r *Relevance) Setting(e ecs.Entity, client entangle.ClientID) (show, set bool) {
	i := r.collector.Interest()
	row, ok := i.Row(client)
	if !ok || !r.world.Alive(e) {
		return false, false
	}
	setting := i.Relevance().Setting(row, i.Number(e))
	return setting == interest.Shown, setting != interest.Unset
}

// Sees reports whether an entity was visible to a client at the last sending: the client was in its
// Target, and the entity mattered if it depends on interest. A retained entity that no longer
// matters is not visible. A game uses it to find the clients that can hear a speaker, for example.
// It costs no more than Rooms.HasClient.
func (r *Relevance) Sees(e ecs.Entity, client entangle.ClientID) bool {
	return r.world.Alive(e) && r.collector.Shows(e, client)
}
