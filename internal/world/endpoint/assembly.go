package endpoint

import (
	"sync"
	"time"

	"github.com/entangle-ecs/entangle"
)

// assembly writes and seals the packets of all clients, with several goroutines if the server is
// configured with workers. All data that clients share is encoded before it starts, and only one
// worker touches each client, so a client's packets do not depend on the number of workers.
//
// The goroutines live for one frame: a server that is garbage collected leaves none behind.
type assembly struct {
	payload [][]byte // by worker
	work    []func() // by worker; worker 0 is the goroutine that calls run
	byWork  bool     // the number of workers in use follows the amount of work
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

// worthwhile is the least number of clients per worker for which another worker pays off.
const worthwhile = 2

// workerBytes is the least number of packet bytes per worker where the number of workers follows
// the amount of work. Waking a goroutine takes tens of microseconds, writing and sealing a packet
// about one. Measured with 20 clients, frames of up to 67 KB took longer with a second worker than
// without, and the smallest of them three times as long; 168 KB broke even on a busy machine:
// docs/decisions/0014-runs.md.
const workerBytes = 64 << 10

// worth returns how many workers pay off for a frame of the given size. The caller passes the size
// of the last frame, because that of the present one is known only at its end.
func (a *assembly) worth(bytes int) int {
	if a.byWork {
		return min(len(a.work), bytes/workerBytes)
	}
	return len(a.work)
}

func (a *assembly) start(workers int, byWork bool) {
	*a = assembly{byWork: byWork, payload: make([][]byte, max(workers, 1)), written: make([]int, max(workers, 1))}
	for i := range a.payload {
		a.work = append(a.work, func() { // created once, so that a frame does not allocate
			a.share(i)
			a.done.Done()
		})
	}
}

// assembleFrame assembles a frame. It returns after all workers have finished.
func (a *assembly) assembleFrame(j job) {
	j.among = max(1, min(a.worth(a.bytes()), len(j.server.open)/worthwhile))
	a.job = j
	a.done.Add(j.among - 1)
	for i := 1; i < j.among; i++ {
		go a.work[i]()
	}
	a.share(0)
	a.done.Wait()
}

// bytes returns how many bytes the last frame took, and resets the count.
func (a *assembly) bytes() (sum int) {
	for i, n := range a.written {
		sum += n
		a.written[i] = 0
	}
	return sum
}

// share assembles the packets of every client that belongs to worker i.
func (a *assembly) share(i int) {
	written := 0 // not counted in a.written, where workers would share a cache line
	for n, c := range a.job.server.clients {
		if c != nil && n%a.job.among == i {
			var bytes int
			a.payload[i], bytes = a.job.server.assemble(c, a.payload[i], a.job)
			written += bytes
		}
	}
	a.written[i] = written
}

// assemble writes the packets of one client and passes them to its layer, which seals them. It
// returns the buffer, for the next client, and how many bytes it wrote.
func (s *Server) assemble(c *client, payload []byte, j job) (memory []byte, bytes int) {
	for {
		payload = c.peer.AppendPacket(payload[:0], j.tick, j.now)
		if len(payload) == 0 {
			return payload, bytes
		}
		bytes += len(payload)
		c.sendPayload(payload, j.now)
	}
}
