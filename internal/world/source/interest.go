package source

import (
	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/components"
	"github.com/entangle-ecs/entangle/internal/core/interest"
	"github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/ecs/event"
)

// Interest assigns rows for relevance to connected clients and entities. A row is cleared when its
// client disconnects or its entity ends, so the next one to get it inherits nothing.
type Interest struct {
	relevance *interest.Relevance
	rows      map[entangle.ClientID]int // of connected clients
	clients   []rowClient               // by row
	entities  []ecs.Entity              // by number
	numbers   []int                     // scratch
}

// rowClient is the client that has a row.
type rowClient struct {
	id    entangle.ClientID // Nobody: the row is free
	count uint64            // number of clients that have had the row
}

func NewInterest() *Interest {
	return &Interest{relevance: interest.New(), rows: map[entangle.ClientID]int{}}
}

// Interest returns the rows of the collector's clients and entities.
func (c *Collector) Interest() *Interest { return c.interest }

// Relevance returns which entities are relevant to which clients, by rows.
func (i *Interest) Relevance() *interest.Relevance { return i.relevance }

// Row returns the row of a connected client.
func (i *Interest) Row(client entangle.ClientID) (row int, ok bool) {
	row, ok = i.rows[client]
	return row, ok
}

// ClientOf returns the client of a row, Nobody if it is free, and how many clients have had the row.
// A client that reconnects counts as another one.
func (i *Interest) ClientOf(row int) (client entangle.ClientID, count uint64) {
	return i.clients[row].id, i.clients[row].count
}

// Rows returns how many rows there are, free ones included.
func (i *Interest) Rows() int { return len(i.clients) }

// Number returns the row of a living entity, which is its ID. The state of an earlier entity with
// that ID is cleared.
func (i *Interest) Number(e ecs.Entity) int {
	if n, ok := i.Known(e); ok {
		return n
	}
	return i.assignRow(e)
}

// assignRow is Number of an entity that has no row yet.
func (i *Interest) assignRow(e ecs.Entity) int {
	n := int(e.ID())
	for len(i.entities) <= n {
		i.entities = append(i.entities, ecs.Entity{})
	}
	if !i.entities[n].IsZero() {
		i.relevance.End(n)
	}
	i.entities[n] = e
	return n
}

// Known reports whether an entity has a row, and so may have relevance set.
func (i *Interest) Known(e ecs.Entity) (n int, ok bool) {
	n = int(e.ID())
	return n, n < len(i.entities) && i.entities[n] == e
}

// Join gives a row to a client that has connected.
func (i *Interest) Join(id entangle.ClientID) (row int) {
	for row < len(i.clients) && i.clients[row].id != entangle.Nobody {
		row++
	}
	if row == len(i.clients) {
		i.clients = append(i.clients, rowClient{})
	}
	i.clients[row] = rowClient{id: id, count: i.clients[row].count + 1}
	i.rows[id] = row
	i.relevance.Join(row)
	return row
}

// Leave frees a client's row.
func (i *Interest) Leave(row int) {
	i.relevance.Leave(row)
	delete(i.rows, i.clients[row].id)
	i.clients[row].id = entangle.Nobody
}

// End clears the row of a removed entity.
func (i *Interest) End(e ecs.Entity) {
	if n, ok := i.Known(e); ok {
		i.relevance.End(n)
		i.entities[n] = ecs.Entity{}
	}
}

// AppendEntities appends the entities that are in a room.
func (i *Interest) AppendEntities(dst []ecs.Entity, room components.Room) []ecs.Entity {
	i.numbers = i.relevance.AppendEntities(i.numbers[:0], uint32(room))
	for _, n := range i.numbers {
		dst = append(dst, i.entities[n])
	}
	return dst
}

// Shares reports whether a client is in a room.
func (i *Interest) Shares(room components.Room, client entangle.ClientID) bool {
	row, ok := i.rows[client]
	return ok && i.relevance.InRoom(uint32(room), row)
}

// endListener observes the removal of entities, replicated or not.
type endListener struct {
	world    *ecs.World
	interest *Interest
}

// Subscriptions implements ecs.Listener.
func (endListener) Subscriptions() event.Subscription { return event.EntityRemoved }

// Components implements ecs.Listener: all of them.
func (endListener) Components() *ecs.Mask { return nil }

// Notify implements ecs.Listener.
func (l endListener) Notify(w *ecs.World, evt ecs.EntityEvent) {
	if w == l.world {
		l.interest.End(evt.Entity)
	}
}

// Shows reports whether a client sees an entity, as of the last Observe.
func (p *Collector) Shows(e ecs.Entity, client entangle.ClientID) bool {
	row, ok := p.interest.Row(client)
	if !ok {
		return false
	}
	c := p.Visibility.clientOfRow(row)
	s, known := p.Slot(e)
	return known && c != nil && !c.fresh && c.Peer.Finds(s)
}
