package interest

import "github.com/entangle-ecs/entangle/internal/set"

// Move is the fact that a client entered or left a room.
type Move struct {
	Room   uint32
	Client int
}

// Changed returns the entities that may have become relevant to a client, or ceased to be, since
// ClearChanges. It is valid until the next command and must not be modified.
func (r *Relevance) Changed(row int) set.Bitset {
	if !r.hasClient(row) {
		return nil
	}
	return r.clients[row].changed.set
}

// NextChanged returns the smallest entity of Changed that is at least from, or -1. If there are few
// among many rows, it is faster than iterating over Changed.
func (r *Relevance) NextChanged(row, from int) int {
	if !r.hasClient(row) {
		return -1
	}
	return r.clients[row].changed.next(from)
}

// ChangedClients returns the clients for which Changed is not empty. The rules of Changed apply to
// it.
func (r *Relevance) ChangedClients() set.Bitset { return r.changed }

// Moves returns the clients that entered or left rooms since ClearChanges, each pair once, even if
// a client went back. Clients that have left the server may be among them. It is valid until the
// next command.
func (r *Relevance) Moves() []Move { return r.rooms.moves }

// ClearChanges empties Changed, ChangedClients and Moves.
func (r *Relevance) ClearChanges() {
	for row := r.changed.Next(0); row >= 0; row = r.changed.Next(row + 1) {
		r.clearChangesOf(row)
	}
	r.rooms.clearMoves()
}

func (r *Relevance) clearChangesOf(row int) {
	r.clients[row].changed.reset()
	r.changed.Clear(row)
}

func (r *Relevance) mark(row, entity int) {
	c := &r.clients[row]
	c.changed.grow(entity + 1)
	c.changed.addBits(entity>>6, 1<<(entity&63))
	r.changed.Set(row)
}
