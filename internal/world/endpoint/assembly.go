package endpoint

import (
	"sync"
	"time"

	"github.com/entangle-ecs/entangle"
)

// assembly writes and seals the packets of all clients, by several goroutines if the
// server has them. By then all that clients share is encoded, and each client is
// touched by one worker alone: what it is sent does not depend on how many there are.
//
// The goroutines live for a frame: a server that is let go leaves none behind.
type assembly struct {
	payload [][]byte // by worker
	work    []func() // the same, of all workers but the first, who is whoever calls run
	byWork  bool     // the work says how many of them are used
	written []int    // bytes that each worker wrote in the last frame
	done    sync.WaitGroup

	job job
}

// job is a frame to be assembled.
type job struct {
	server *Server
	tick   entangle.Tick
	now    time.Time
	among  int // workers
}

// worthwhile is how many clients each worker has to have for another one to be of use.
const worthwhile = 2

// workerBytes is how many bytes of packets each worker has to write and seal, where their
// number is chosen by the work. Waking a goroutine takes tens of microseconds, writing and
// sealing a packet about one. Measured with 20 clients, frames of up to 67 KB took longer with a
// second worker than without, and the smallest of them three times as long; at 168 KB it broke even
// on a busy machine: docs/decisions/0014-runs.md.
const workerBytes = 64 << 10

// worth returns how many workers a frame is worth that is like the last one, which took so
// many bytes. What this one takes is known when it is done.
func (a *assembly) worth(bytes int) int {
	if a.byWork {
		return min(len(a.work), bytes/workerBytes)
	}
	return len(a.work)
}

func (a *assembly) start(workers int, byWork bool) {
	*a = assembly{byWork: byWork, payload: make([][]byte, max(workers, 1)), written: make([]int, max(workers, 1))}
	for i := range a.payload {
		a.work = append(a.work, func() { // made once, so that a frame allocates nothing
			a.share(i)
			a.done.Done()
		})
	}
}

// run assembles a frame and returns when all of it is done.
func (a *assembly) run(j job) {
	j.among = max(1, min(a.worth(a.bytes()), len(j.server.open)/worthwhile))
	a.job = j
	a.done.Add(j.among - 1)
	for i := 1; i < j.among; i++ {
		go a.work[i]()
	}
	a.share(0)
	a.done.Wait()
}

// bytes returns how many bytes the last frame took, and begins to count anew.
func (a *assembly) bytes() (sum int) {
	for i, n := range a.written {
		sum += n
		a.written[i] = 0
	}
	return sum
}

// share assembles every client whose turn it is at worker i.
func (a *assembly) share(i int) {
	written := 0 // and not counted in place: workers' counts lie next to each other
	for n, c := range a.job.server.clients {
		if c != nil && n%a.job.among == i {
			var bytes int
			a.payload[i], bytes = a.job.server.assemble(c, a.payload[i], a.job)
			written += bytes
		}
	}
	a.written[i] = written
}

// assemble writes the packets of one client and hands them to its layer, which seals them. It
// returns the memory for the next one's, and how many bytes it wrote.
func (s *Server) assemble(c *client, payload []byte, j job) (memory []byte, bytes int) {
	for {
		payload = c.peer.AppendPacket(payload[:0], j.tick, j.now)
		if len(payload) == 0 {
			return payload, bytes
		}
		bytes += len(payload)
		c.send(payload, j.now)
	}
}
