package cases

import (
	"fmt"
	"time"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// The case held finds the number of clients that a server can hold at 64 ticks a second with two
// workers, in the world and with the views of tick-views/own, such that no tick takes longer than
// the time between two ticks. A tick here is all work of the server for its clients, from received
// packets to sealed ones. The costs of sockets and of the game itself are not included. Before each
// round a hundred clients join, until a tick is late in two tries. They acknowledge and do not
// decode. The figure is valid for a machine on which nothing else runs, and there is no limit to
// compare it with. The aim is 2,000 clients on two cores. One operation is the server's sending in
// a tick.
const (
	heldRate  = 64
	heldTicks = heldRate // the number of ticks of which none may be late
	heldStep  = 100
	heldMost  = 4_000
	heldTries = 2

	heldRounds = heldMost/heldStep + 1
)

func heldVariants() []report.Variant {
	return []report.Variant{{
		Name: "held/64hz", Unit: "clients", Workers: maxWorkers, Rounds: heldRounds, Heavy: true,
		Prepare: heldPrepare,
	}}
}

// crowd is a scene that more and more clients join.
type crowd struct {
	*scene
	held int  // the greatest number of clients with which no tick was late
	full bool // a tick was late with more clients
}

func heldPrepare() (report.Sides, error) {
	cfg := viewScene(workload.ViewEntities, heldMost)
	cfg.deaf, cfg.workers = true, maxWorkers
	s, err := newEmptyScene(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	c := &crowd{scene: s}
	return report.Sides{
		Before: c.beginTick,
		Ours:   s.runServerTick,
		Limit:  func() {},
		Bytes:  s.size,
		Figure: func() float64 { return float64(c.held) },
		Verify: func() error { return s.err },
	}, nil
}

// beginTick connects more clients unless the crowd is full, and begins the next tick.
func (c *crowd) beginTick() {
	if !c.full && len(c.clients) < heldMost {
		c.recordError(c.come(heldStep))
		if c.full = !c.holds(); !c.full {
			c.held = len(c.clients)
		}
	}
	c.before()
}

// come connects n clients, and runs ticks until they have received their entities.
func (c *crowd) come(n int) error {
	for range n {
		client, err := c.connect(len(c.clients))
		if err != nil {
			return err
		}
		c.clients = append(c.clients, client)
	}
	for range sceneSettle {
		c.showEntities()
		c.still()
		if c.err != nil || c.settled() {
			return c.err
		}
	}
	return fmt.Errorf("clients %d to %d did not join within %d ticks", len(c.clients)-n, len(c.clients), sceneSettle)
}

// holds reports whether no tick is late, in one of heldTries tries.
func (c *crowd) holds() bool {
	for range heldTries {
		for range sceneWarm {
			c.turn()
		}
		slowest := 0.0
		for range heldTicks {
			slowest = max(slowest, c.turn())
		}
		if slowest <= float64(time.Second/heldRate) {
			return true
		}
	}
	return false
}

// turn runs a tick, and returns how long the server took.
func (c *crowd) turn() float64 {
	c.now = c.now.Add(workload.SceneStep)
	c.receiveAll()
	took := report.Clock(c.hear)
	c.nextTick(c.cfg.percent)
	return took + report.Clock(c.runServerTick)
}
