package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/group"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// reader implements encode.Reader.
type reader visibility

// CanReceive reports whether the peer may see an entity in its present group, and can be sent it there.
func (r *reader) CanReceive(s repl.Slot) bool { return r.groups.CanReceive(s) }

// Loses reports whether a leaver that moved or was orphaned despawns at the peer.
func (r *reader) Loses(id ident.Group, l *group.Leaver) bool { return r.groups.Loses(id, l) }

// KeepsMoved reports whether the peer keeps an entity in a vacated group.
func (r *reader) KeepsMoved(s repl.Slot) bool { return (*visibility)(r).keepsInVacated(s) }

// LostComponents returns the components to remove from the entity of a vacated group.
func (r *reader) LostComponents(id ident.Group) set.Mask { return r.vacant[id].remove }
