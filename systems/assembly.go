package systems

import (
	"sync"
	"time"

	"github.com/entangle-ecs/entangle"
)

// assembly writes and seals the packets of all clients, by several goroutines if the
// server has them. By then all that clients share is encoded, and each client is
// touched by one worker alone: what it is sent does not depend on how many there are.
type assembly struct {
	workers int
	payload [][]byte // by worker
	jobs    []chan job
	done    sync.WaitGroup
}

// job is a frame to be assembled.
type job struct {
	server *Server
	tick   entangle.Tick
	now    time.Time
}

// start brings up all workers but the first, who is whoever calls run.
func (a *assembly) start(workers int) {
	a.workers = max(workers, 1)
	a.payload = make([][]byte, a.workers)
	a.jobs = make([]chan job, a.workers)
	for i := 1; i < a.workers; i++ {
		a.jobs[i] = make(chan job)
		go a.work(i, a.jobs[i])
	}
}

// stop ends the workers.
func (a *assembly) stop() {
	for i := 1; i < a.workers; i++ {
		close(a.jobs[i])
	}
	*a = assembly{}
}

func (a *assembly) work(i int, jobs <-chan job) {
	for j := range jobs {
		a.share(i, j)
		a.done.Done()
	}
}

// run assembles a frame and returns when all of it is done.
func (a *assembly) run(j job) {
	a.done.Add(a.workers - 1)
	for i := 1; i < a.workers; i++ {
		a.jobs[i] <- j
	}
	a.share(0, j)
	a.done.Wait()
}

// share assembles every client whose turn it is at worker i.
func (a *assembly) share(i int, j job) {
	for n, c := range j.server.clients {
		if c != nil && n%a.workers == i {
			a.payload[i] = j.server.assemble(c, a.payload[i], j)
		}
	}
}

// assemble writes and seals the packets of one client into its own outbox.
func (s *Server) assemble(c *client, payload []byte, j job) []byte {
	for {
		payload = c.peer.AppendPacket(payload[:0], j.tick, j.now)
		if len(payload) == 0 {
			return payload
		}
		s.sealInto(&c.out, c, payload, j.now)
	}
}
