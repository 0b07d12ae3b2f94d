package cases

import (
	"errors"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// tick-shared: 1,000 entities that all move, 100 clients that see them all. One operation is a
// server's tick from Observe to sealed packets. Limit: find the moved entities, encode each once,
// and copy and seal the payloads for each client (limits/scene.go). With two workers, on a line of
// its own, the limit is that for one. If clients predict moving entities, the server rounds their
// values too: compared with the same without. The packets received by the server between two ticks
// are on a line of their own, without a goal: each client's acknowledgements and a byte of input.
// Limit: open as many packets.
const (
	tickEntities = 1_000
	tickClients  = 100
)

func tickVariants() []report.Variant {
	plain := sceneConfig{entities: tickEntities, clients: tickClients, percent: 100, rtt: sixTicks}
	lossy := plain
	lossy.loss, lossy.rtt = 0.05, spreadTicks
	workers := plain
	workers.workers = maxWorkers
	return []report.Variant{
		{Name: "tick-shared/plain", Goal: 1.5, Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return tickPrepare(plain) }},
		{Name: "tick-shared/lossy", Goal: 2.5, Rounds: sceneRounds, Warm: 80, Heavy: true, Prepare: func() (report.Sides, error) { return tickPrepare(lossy) }},
		{Name: "tick-shared/workers-2", Workers: maxWorkers, Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return tickPrepare(workers) }},
		{Name: "tick-shared/rounded", Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return roundedPrepare(plain) }},
		{Name: "tick-shared/answers", Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return answersPrepare(plain) }},
	}
}

// spreadTicks are round trips from 20 to 200 ms.
func spreadTicks(client int) int { return 1 + client%12 }

func tickPrepare(cfg sceneConfig) (report.Sides, error) {
	s, l, err := newScenePair(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	return report.Sides{
		Before:   func() { s.before(); l.Move(cfg.percent) },
		Ours:     s.runServerTick,
		Limit:    l.Send,
		Bytes:    s.size,
		Sizes:    func() map[string]int { return map[string]int{"limit": l.Size()} },
		Verify:   func() error { return s.verifyClients(l, nil) },
		Anchors:  l.Anchors(),
		Anchored: true,
	}, nil
}

// roundedPrepare prepares a tick with rounded values next to one with exact values.
func roundedPrepare(cfg sceneConfig) (report.Sides, error) {
	l, err := newScene(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	cfg.rounded = true
	s, err := newScene(cfg)
	return report.Sides{
		Before: func() { s.before(); l.before() },
		Ours:   s.runServerTick,
		Limit:  l.runServerTick,
		Bytes:  s.size,
		Verify: func() error { return errors.Join(s.err, l.err) },
	}, err
}

func answersPrepare(cfg sceneConfig) (report.Sides, error) {
	s, l, err := newScenePair(cfg)
	if err != nil {
		return report.Sides{}, err
	}
	arrive := func() {
		s.now = s.now.Add(workload.SceneStep)
		s.receiveAll()
	}
	arrive()
	s.hear()
	return report.Sides{
		Before: func() {
			s.nextTick(cfg.percent)
			l.Move(cfg.percent)
			s.runServerTick()
			arrive()
			l.Answer(s.clients[0].up.At(s.tick).Data)
		},
		Ours:  s.hear,
		Limit: l.Open,
		Verify: func() error {
			s.nextTick(0)
			s.runServerTick()
			return s.verifyClients(l, nil)
		},
	}, nil
}

// newScenePair returns both sides of a scene.
func newScenePair(cfg sceneConfig) (*scene, *limits.SceneLimit, error) {
	s, err := newScene(cfg)
	if err != nil {
		return nil, nil, err
	}
	l, err := limits.NewSceneLimit(cfg.entities, cfg.clients)
	if err != nil {
		return nil, nil, err
	}
	l.Poses = s.poses
	if cfg.grid {
		l.Walk(s.walkers)
	}
	l.Move(100) // as the scene began
	l.Detect()
	l.Round = s.round // both choose the same entities from here on
	for range sceneWarm {
		s.before()
		l.Move(cfg.percent)
		s.runServerTick()
		if cfg.grid {
			l.SendGrid()
		} else {
			l.Send()
		}
	}
	s.moved = 0
	return s, l, s.err
}

// sceneWarm is the number of ticks that a scene runs before it counts: then the number of packets
// in flight is stable, and memory that grows with it has grown.
const sceneWarm = 30
