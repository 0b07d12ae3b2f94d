package sender

import (
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/ident"
	"github.com/entangle-ecs/entangle/internal/set"
)

// reader is a peer as the encoding of bodies and references knows it.
type reader Peer

// CanReceive reports whether the peer may see an entity where it is now, and can be sent it.
func (r *reader) CanReceive(s repl.Slot) bool { return (*Peer)(r).groups.CanReceive(s) }

// KeepsMoved reports whether the peer keeps an entity in a group that it left.
func (r *reader) KeepsMoved(s repl.Slot) bool { return (*Peer)(r).keepsMoved(s) }

// LostComponents returns the components that the peer is to lose of the entity in a vacated group.
func (r *reader) LostComponents(id ident.Group) set.Mask { return r.vacant[id].lose }

// ID returns the network id of an entity that has one at the peer.
func (r *reader) ID(s repl.Slot) repl.ID { return r.groups.ID(s) }
