package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// reader implements encode.Reader and encode.Namer for a peer.
type reader Peer

// CanReceive reports whether the peer may see an entity in its present group, and can be sent it there.
func (r *reader) CanReceive(s repl.Slot) bool { return (*Peer)(r).groups.CanReceive(s) }

// KeepsMoved reports whether the peer keeps an entity in a vacated group.
func (r *reader) KeepsMoved(s repl.Slot) bool { return (*Peer)(r).keepsInVacated(s) }

// LostComponents returns the components to remove from the entity of a vacated group.
func (r *reader) LostComponents(id ident.Group) set.Mask { return r.vacant[id].remove }

// ID returns the network id of an entity that has one at the peer.
func (r *reader) ID(s repl.Slot) repl.ID { return r.groups.ID(s) }
