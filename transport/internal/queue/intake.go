package queue

import (
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// Limits are the numbers of datagrams that may wait in an Intake. Strangers must be positive.
type Limits struct {
	Strangers int // from all addresses that are not admitted
	Client    int // from each admitted address, whatever the others send
	Shared    int // from all admitted addresses, beyond the first Client of each address
	Each      int // of Shared, from one address; 0 allows all of Shared
}

// Intake is the queue of a server's end. It reserves room for admitted addresses:
// Limits.Client datagrams for each, and Limits.Shared more for all of them, of which no
// address takes more than Limits.Each.
type Intake struct {
	mu        sync.Mutex
	limits    Limits
	clients   ring
	strangers ring
	senders   map[netip.AddrPort]*sender
	shared    int // waiting datagrams that count against Limits.Shared
	round     round
	filter    transport.Filter
	closed    bool
	stats     IntakeStats
}

// round counts the datagrams that waited when a round began and have not been returned yet.
type round struct {
	begun              bool
	clients, strangers int
}

// sender is an address that is admitted, or that was admitted and still has datagrams
// waiting.
type sender struct {
	admitted bool
	waiting  int // datagrams in the clients' ring
}

// IntakeStats counts since the Intake was made. A datagram given to Push is in
// exactly one of Pushed, Size, Form, Strange, StrangersFull and ClientFull, unless the
// Intake was closed.
type IntakeStats struct {
	Pushed        uint64 // datagrams that were queued
	Size          uint64 // dropped because they were empty or over entangle.MaxDatagram
	Form          uint64 // dropped by the filter, whoever sent it
	Strange       uint64 // dropped by the filter, because its sender is not admitted
	StrangersFull uint64 // dropped because Limits.Strangers datagrams waited
	ClientFull    uint64 // dropped because Limits.Client was reached, and so was Limits.Shared or Limits.Each
	TooLarge      uint64 // of Pushed: dropped because they did not fit into the buffer given to Pop
}

// NewIntake makes an Intake without admitted addresses.
func NewIntake(limits Limits) *Intake {
	return &Intake{limits: limits, senders: map[netip.AddrPort]*sender{}}
}

// SetFilter makes Push drop datagrams that the filter refuses.
func (q *Intake) SetFilter(filter transport.Filter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.filter = filter
}

// Admit reserves room for an address.
func (q *Intake) Admit(addr netip.AddrPort) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.senders[addr]
	if s == nil {
		s = &sender{}
		q.senders[addr] = s
	}
	s.admitted = true
}

// Dismiss makes an address a stranger again. Its waiting datagrams keep their places.
func (q *Intake) Dismiss(addr netip.AddrPort) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.senders[addr]; s != nil {
		s.admitted = false
		q.removeSender(addr, s)
	}
}

// removeSender removes a sender that is neither admitted nor has datagrams waiting.
func (q *Intake) removeSender(addr netip.AddrPort, s *sender) {
	if !s.admitted && s.waiting == 0 {
		delete(q.senders, addr)
	}
}

// Push copies data into the queue and reports whether it did. It drops the datagram if
// the Intake is closed, the datagram is empty or over entangle.MaxDatagram, the filter
// refuses it, or its sender has no room.
func (q *Intake) Push(from netip.AddrPort, data []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	if len(data) == 0 || len(data) > entangle.MaxDatagram {
		q.stats.Size++
		return false
	}
	s := q.senders[from]
	client := s != nil && s.admitted
	if q.filter != nil && !q.filter(data, client) {
		if !client && q.filter(data, true) {
			q.stats.Strange++
		} else {
			q.stats.Form++
		}
		return false
	}
	if client {
		return q.pushClient(s, from, data)
	}
	return q.pushStranger(from, data)
}

func (q *Intake) pushStranger(from netip.AddrPort, data []byte) bool {
	if q.strangers.count == q.limits.Strangers {
		q.stats.StrangersFull++
		return false
	}
	q.strangers.push(from, data, q.limits.Strangers)
	q.stats.Pushed++
	return true
}

func (q *Intake) pushClient(s *sender, from netip.AddrPort, data []byte) bool {
	if s.waiting >= q.limits.Client {
		if q.shared == q.limits.Shared || s.waiting-q.limits.Client >= q.each() {
			q.stats.ClientFull++
			return false
		}
		q.shared++
	}
	s.waiting++
	q.clients.push(from, data, q.limits.Shared+len(q.senders)*q.limits.Client)
	q.stats.Pushed++
	return true
}

// each returns how many datagrams of one address may wait in the shared room.
func (q *Intake) each() int {
	if q.limits.Each > 0 {
		return q.limits.Each
	}
	return q.limits.Shared
}

// Pop copies the next datagram into buf: the oldest of an admitted address, else the
// oldest of a stranger. Datagrams that do not fit into buf are dropped. Without a
// datagram it returns transport.ErrEmpty or transport.ErrClosed.
//
// The calls up to one that returns ErrEmpty form a round, which returns the datagrams that
// waited at its first call. Later datagrams belong to the next round. So the work per
// frame is bounded at any rate of arrival, even if the address of a client is forged.
func (q *Intake) Pop(buf []byte) (int, netip.AddrPort, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0, netip.AddrPort{}, transport.ErrClosed
	}
	for s := q.nextDatagram(); s != nil; s = q.nextDatagram() {
		if len(s.data) > len(buf) {
			q.stats.TooLarge++
			continue
		}
		return copy(buf, s.data), s.from, nil
	}
	q.round.begun = false
	return 0, netip.AddrPort{}, transport.ErrEmpty
}

// nextDatagram removes and returns the next datagram of the round, or nil at its end.
func (q *Intake) nextDatagram() *slot {
	r := &q.round
	if !r.begun {
		*r = round{true, q.clients.count, q.strangers.count}
	}
	switch {
	case r.clients > 0:
		r.clients--
		s := q.clients.pop()
		q.releaseDatagram(s.from)
		return s
	case r.strangers > 0:
		r.strangers--
		return q.strangers.pop()
	default:
		return nil
	}
}

// releaseDatagram frees the place that one datagram of a sender took: a shared place if the sender
// has one.
func (q *Intake) releaseDatagram(from netip.AddrPort) {
	s := q.senders[from]
	if s.waiting > q.limits.Client {
		q.shared--
	}
	s.waiting--
	q.removeSender(from, s)
}

// Close drops the waiting datagrams and frees the memory; later calls of Push and Pop fail.
func (q *Intake) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.clients, q.strangers = true, ring{}, ring{}
	clear(q.senders)
}

// Closed reports whether Close was called.
func (q *Intake) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// Stats returns the counters.
func (q *Intake) Stats() IntakeStats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stats
}
