package cases

import (
	"errors"
	"fmt"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
	"github.com/entangle-ecs/entangle/transport/udp"
)

// In the case server, one operation is the whole frame of a server with all its parts, over a real
// socket on loopback: it reads, opens and handles the packets of its clients, runs a tick, compares
// its world, and writes, seals and sends the packets for the clients. Each client sends a packet in
// each tick, with the acknowledgement of what it received and a message of one byte. The worlds are
// those of tick-shared/plain and tick-views/grid, but a round trip is one tick. What the game does in
// the tick is not included: the case moves the entities before it.
//
// The limit has a socket of its own and as many clients that send equal sizes (limits/server.go). It
// reads with recvmmsg, opens each packet, does the work of the limits of tick-shared and tick-views,
// and sends with sendmmsg and UDP_SEGMENT.
//
// Times are the processor time of all threads, because a goroutine of the server reads the socket.
// Everything runs one after the other on one processor. The clients' sockets are read by the case
// alone: no goroutine waits at them.
func serverVariants() []report.Variant {
	shared := sceneConfig{entities: tickEntities, clients: tickClients, percent: 100}
	grid := gridScene(workload.ViewEntities, viewClients)
	return []report.Variant{
		{Name: "server/shared", Goal: 1.5, Rounds: sceneRounds, Heavy: true, Missing: socketsMissing, Prepare: func() (report.Sides, error) { return serverPrepare(shared) }},
		{Name: "server/grid", Goal: 2, Rounds: sceneRounds, Heavy: true, Warm: gridWarm, Missing: socketsMissing, Prepare: func() (report.Sides, error) { return serverPrepare(grid) }},
	}
}

// serverPair is both sides of a variant.
type serverPair struct {
	*serverGame
	limit   *limits.ServerLimit
	answers int // of the clients since the limit began
}

func serverPrepare(cfg sceneConfig) (_ report.Sides, err error) {
	p := &serverPair{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.serverGame, err = newServerGame(cfg); err != nil {
		return report.Sides{}, err
	}
	l, err := limits.NewSceneLimit(cfg.entities, cfg.clients)
	if err != nil {
		return report.Sides{}, err
	}
	l.Poses = p.poses
	if cfg.grid {
		l.Walk(p.walkers)
	}
	l.Move(100) // as at the beginning of the game
	l.Detect()
	l.Round = p.round
	if p.limit, err = limits.NewServerLimit(l, udp.DefaultListenerBuffer, udp.DefaultDialerBuffer); err != nil {
		return report.Sides{}, err
	}
	for range sceneWarm {
		p.begin()
		p.serverFrame()
		p.limit.Tick()
	}
	return report.Sides{
		Before:     p.begin,
		Ours:       p.serverFrame,
		Limit:      p.limit.Tick,
		AllThreads: true,
		Bytes:      p.size,
		Sizes:      func() map[string]int { return map[string]int{"limit": p.limit.Size()} },
		Verify:     p.verify,
		Close:      p.close,
	}, p.err
}

// begin runs what happens between two frames of the server: its packets arrive at the clients, which
// answer, and the entities move.
func (p *serverPair) begin() {
	p.limit.Move(p.cfg.percent)
	p.between(p.cfg.percent)
	for i, c := range p.conns {
		for b := range c.queued.Each {
			p.limit.Answer(i, b)
			p.answers++
		}
	}
	p.answer()
}

func (p *serverPair) verify() error {
	if err := p.limit.Check(p.answers); err != nil {
		return err
	}
	var err error
	for range sceneQuiet {
		p.between(0)
		p.answer()
		p.serverFrame()
		if err = p.verifyWorlds(); err == nil {
			return p.err
		}
	}
	return errors.Join(p.err, fmt.Errorf("after %d quiet ticks, %w", sceneQuiet, err))
}

// verifyWorlds compares the clients' worlds with the entities of the limit.
func (p *serverPair) verifyWorlds() error {
	var sees func(client, entity int) bool
	if p.cfg.grid {
		sees = p.limit.Grid.Sees
	}
	for i, w := range p.worlds {
		if err := verifyPoses(w, p.limit.Wanted(i, sees)); err != nil {
			return fmt.Errorf("client %d: %w", i, err)
		}
	}
	return nil
}

func (p *serverPair) close() {
	if p.serverGame != nil {
		p.stop()
	}
	if p.limit != nil {
		_ = p.limit.Close()
	}
}
