package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/set"
)

// prespawnTargets holds of which entities only some clients get components.Prespawned: those that predict
// the entity. It is hidden from all others, as if it had an override.
type prespawnTargets struct {
	comp    int        // the number of components.Prespawned; -1: it is not registered
	partial set.Bitset // slots of prespawned entities that not all clients predict
}

// hasPrespawned reports whether an entity has components.Prespawned, if it is registered.
func (v *visibility) hasPrespawned(s repl.Slot) bool {
	if v.Prespawns.comp < 0 {
		return false
	}
	mask := v.collector.Table.Mask(columns.Slot(s))
	return mask.Has(v.Prespawns.comp)
}

// refreshPrespawned finds whether all clients see components.Prespawned of an entity.
func (v *visibility) refreshPrespawned(s repl.Slot) {
	if t := &v.Prespawns; t.comp >= 0 {
		t.partial.Assign(int(s), v.hasPrespawned(s) && v.Predictions.targetOf(s).target != components.Everyone)
	}
}

// hidesPrespawned reports whether a client is not to see components.Prespawned of an entity.
func (v *visibility) hidesPrespawned(s repl.Slot, client entangle.ClientID) bool {
	t, by := &v.Prespawns, v.Predictions.targetOf(s)
	return t.partial.Has(int(s)) && !v.includes(by.target, by.setBy, client)
}
