package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/internal/columns"
	"github.com/entangle-ecs/entangle/internal/core/peer"
	"github.com/entangle-ecs/entangle/internal/core/repl"
	"github.com/entangle-ecs/entangle/internal/core/repl/sender"
	"github.com/entangle-ecs/entangle/protocol/bits"
	"github.com/mlange-42/arche/ecs"
)

// Name returns the network id of an entity for a peer. If the peer does not see the entity, the id
// becomes valid when it does. Without a peer, Name returns the id that all peers share.
func (c *Collector) Name(to *sender.Peer, e ecs.Entity) (ref repl.Ref, known bool) {
	s, ok := c.Slot(e)
	if !ok {
		return ref, false
	}
	if to == nil {
		ref.ID, known = c.World.ID(s)
	} else {
		ref.ID, known = to.ID(s)
	}
	return ref, known
}

// Named returns the entity to which a client refers by a network id. An entity that was never sent
// to the client is not found, nor one after the client acknowledged its despawn, even if the client
// guesses the id.
func (c *Collector) Named(by *peer.Peer, id repl.ID) (ecs.Entity, bool) {
	if by == nil || by.Replication() == nil {
		return ecs.Entity{}, false
	}
	s, ok := by.Replication().Slot(id)
	if !ok || !by.Replication().Has(s) {
		return ecs.Entity{}, false
	}
	return c.Table.Entity(columns.Slot(s)), true
}

// Common reports whether all clients see an entity, under the same network id.
func (c *Collector) Common(s repl.Slot) bool {
	at, ok := c.World.PlaceOf(s)
	_, public := c.World.ID(s)
	return ok && public && !at.Private
}

// Recipient is a client for which a message is encoded. The zero value stands for all
// clients.
type Recipient struct {
	ID          entangle.ClientID
	Replication *sender.Peer // nil if nothing is replicated to it
}

// Visible reports whether a client sees an entity.
func (c *Collector) Visible(to Recipient, s repl.Slot) bool {
	return to.Replication != nil && to.Replication.Sees(s) && c.Visibility.maySee(s, to.ID)
}

// AppendTable writes a table of entities. An entity without a network id is written as none.
func AppendTable(w *bits.Writer, entities []ecs.Entity, name func(ecs.Entity) (repl.Ref, bool)) {
	w.Uvarint(uint64(len(entities)))
	AppendNames(w, entities, name)
}

// AppendNames writes the content of a table, without its length.
func AppendNames(w *bits.Writer, entities []ecs.Entity, name func(ecs.Entity) (repl.Ref, bool)) {
	for _, e := range entities {
		ref, known := name(e)
		w.Bool(known)
		if known {
			repl.AppendRef(w, ref)
		}
	}
}
