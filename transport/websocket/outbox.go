//go:build !js && !wasip1

package websocket

import (
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// outbox is the queue of datagrams to write to one peer. One goroutine puts, another takes;
// either may finish it.
type outbox struct {
	queue    *queue.Queue
	wake     chan struct{} // capacity 1: a datagram waits
	finished chan struct{} // closed: no further datagram is put
	once     sync.Once
}

func newOutbox(limit int) *outbox {
	return &outbox{queue: queue.New(limit), wake: make(chan struct{}, 1), finished: make(chan struct{})}
}

// enqueue queues a copy of a datagram and reports whether it had room.
func (o *outbox) enqueue(data []byte) bool {
	if o.isFinished() || !o.queue.Push(netip.AddrPort{}, data) {
		return false
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return true
}

// waitDatagram waits for a datagram. It is not ok once the outbox is finished and empty.
func (o *outbox) waitDatagram(buf []byte) (datagram []byte, ok bool) {
	for {
		last := o.isFinished() // read first, so that no datagram is missed
		if n, _, err := o.queue.Pop(buf); err == nil {
			return buf[:n], true
		}
		if last {
			return nil, false
		}
		select {
		case <-o.wake:
		case <-o.finished:
		}
	}
}

func (o *outbox) finish() { o.once.Do(func() { close(o.finished) }) }

func (o *outbox) isFinished() bool {
	select {
	case <-o.finished:
		return true
	default:
		return false
	}
}
