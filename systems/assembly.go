package systems

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

func (a *assembly) start(workers int) {
	*a = assembly{payload: make([][]byte, max(workers, 1))}
	for i := range a.payload {
		a.work = append(a.work, func() { // made once, so that a frame allocates nothing
			a.share(i)
			a.done.Done()
		})
	}
}

// run assembles a frame and returns when all of it is done.
func (a *assembly) run(j job) {
	j.among = max(1, min(len(a.work), len(j.server.open)/worthwhile))
	a.job = j
	a.done.Add(j.among - 1)
	for i := 1; i < j.among; i++ {
		go a.work[i]()
	}
	a.share(0)
	a.done.Wait()
}

// share assembles every client whose turn it is at worker i.
func (a *assembly) share(i int) {
	for n, c := range a.job.server.clients {
		if c != nil && n%a.job.among == i {
			a.payload[i] = a.job.server.assemble(c, a.payload[i], a.job)
		}
	}
}

// assemble writes the packets of one client and hands them to its layer, which seals them.
func (s *Server) assemble(c *client, payload []byte, j job) []byte {
	for {
		payload = c.peer.AppendPacket(payload[:0], j.tick, j.now)
		if len(payload) == 0 {
			return payload
		}
		c.send(payload, j.now)
	}
}
