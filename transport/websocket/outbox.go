//go:build !js && !wasip1

package websocket

import (
	"net/netip"
	"sync"

	"github.com/entangle-ecs/entangle/transport/internal/queue"
)

// outbox is what waits to be written to one peer. One goroutine puts, another takes;
// either side may finish it.
type outbox struct {
	queue    *queue.Queue
	wake     chan struct{} // holds one: there is something
	finished chan struct{} // closed: nothing more is to come
	once     sync.Once
}

func newOutbox(limit int) *outbox {
	return &outbox{queue: queue.New(limit), wake: make(chan struct{}, 1), finished: make(chan struct{})}
}

// put copies a datagram into the box and reports whether it did.
func (o *outbox) put(data []byte) bool {
	if o.isFinished() || !o.queue.Push(netip.AddrPort{}, data) {
		return false
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return true
}

// next waits for a datagram. There is none any more when the box is finished and what
// was in it is taken out.
func (o *outbox) next(buf []byte) (datagram []byte, ok bool) {
	for {
		last := o.isFinished() // looked at first, so that nothing comes in between
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
