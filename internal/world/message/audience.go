package message

import (
	"fmt"
	"slices"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/protocol/bits"
)

// audience is the set of clients that a client's message is addressed to.
type audience struct {
	ids    []entangle.ClientID
	except bool // all clients except ids
}

// maxAudience bounds the ids that a client may name. To a larger set of clients, the server should
// send the message itself.
const maxAudience = 64

func (a audience) contains(id entangle.ClientID) bool {
	return slices.Contains(a.ids, id) != a.except
}

// most returns an upper bound on the clients in the audience while the given number is connected.
// It counts named clients that are not connected as well: each id is compared with every connected
// client.
func (a audience) most(connected int) int {
	if a.except {
		return connected
	}
	return len(a.ids)
}

// bounds checks that a player's message names no more clients than a server accepts. A message with
// more would end the connection.
func (p *Post) bounds(l *Outgoing) error {
	if !l.Player || l.one != entangle.Nobody {
		return nil
	}
	if ids, _ := p.targets.Clients(l.target); len(ids) > maxAudience {
		return fmt.Errorf("%w: %v to %d", ErrTooMany, p.messages[l.Number].Type, len(ids))
	}
	return nil
}

func appendAudience(w *bits.Writer, a audience) {
	w.Bool(a.except)
	w.Uvarint(uint64(len(a.ids)))
	for _, id := range a.ids {
		w.Bits(uint64(id), 64)
	}
}

func readAudience(r *bits.Reader) (a audience, ok bool) {
	a.except = r.Bool()
	n := r.Uvarint()
	if n > maxAudience || n*64 > uint64(r.RemainingBits()) {
		return audience{}, false
	}
	for range n {
		a.ids = append(a.ids, entangle.ClientID(r.Bits(64)))
	}
	return a, r.Err() == nil
}
