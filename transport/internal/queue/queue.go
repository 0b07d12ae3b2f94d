package queue

import (
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle"
	"github.com/entangle-ecs/entangle/transport"
)

// Stats counts since the queue was made.
type Stats struct {
	Pushed   uint64 // datagrams that were queued
	Full     uint64 // dropped because the queue was full
	Size     uint64 // dropped because they were empty or over entangle.MaxDatagram
	TooLarge uint64 // dropped because they did not fit into the buffer given to Pop
}

// Queue is a bounded first-in first-out queue of datagrams.
type Queue struct {
	mu     sync.Mutex
	ring   ring
	limit  int
	closed bool
	stats  Stats
}

// New makes a queue for at most limit datagrams; limit must be positive.
func New(limit int) *Queue { return &Queue{limit: limit} }

// Push copies data into the queue and reports whether it did. It drops the datagram if
// the queue is full or closed, or the datagram is empty or over entangle.MaxDatagram.
func (q *Queue) Push(from netip.AddrPort, data []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return false
	case len(data) == 0 || len(data) > entangle.MaxDatagram:
		q.stats.Size++
		return false
	case q.ring.count == q.limit:
		q.stats.Full++
		return false
	}
	q.ring.push(from, data, q.limit)
	q.stats.Pushed++
	return true
}

// Pop copies the oldest datagram into buf. Datagrams that do not fit into buf are
// dropped. Without a datagram it returns transport.ErrEmpty or transport.ErrClosed.
func (q *Queue) Pop(buf []byte) (int, netip.AddrPort, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0, netip.AddrPort{}, transport.ErrClosed
	}
	for q.ring.count > 0 {
		s := q.ring.pop()
		if len(s.data) > len(buf) {
			q.stats.TooLarge++
			continue
		}
		return copy(buf, s.data), s.from, nil
	}
	return 0, netip.AddrPort{}, transport.ErrEmpty
}

// Close drops the waiting datagrams and frees the memory; later calls of Push and Pop fail.
func (q *Queue) Close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed, q.ring = true, ring{}
}

// Closed reports whether Close was called.
func (q *Queue) Closed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed
}

// Stats returns the counters.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stats
}
