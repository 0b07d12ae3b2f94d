package cases

import (
	"errors"

	"github.com/entangle-ecs/entangle/benchmarks/limits"
	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// The case tick-shared has 1,000 entities that all move, and 100 clients that see all of them. One
// operation is a server's tick from Observe to sealed packets. The limit finds the moved entities,
// encodes each once, and copies and seals the payloads for each client (limits/scene.go). The
// variant with two workers has a line of its own; its limit is the one for a single worker. If
// clients predict moving entities, the server rounds their values too; that tick is compared with
// the same tick without rounding. The packets that the server receives between two ticks are on a
// line of their own: each client's acknowledgements of ten packets and a byte of input. The limit
// there opens as many packets, and does nothing about what they acknowledge, so the goal is higher.
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
		{Name: "tick-shared/lossy", Goal: 2, Rounds: sceneRounds, Warm: 80, Heavy: true, Prepare: func() (report.Sides, error) { return tickPrepare(lossy) }},
		{Name: "tick-shared/workers-2", Workers: maxWorkers, Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return tickPrepare(workers) }},
		{Name: "tick-shared/rounded", Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return roundedPrepare(plain) }},
		{Name: "tick-shared/answers", Goal: 6, Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return answersPrepare(plain) }},
	}
}

// spreadTicks returns round trips from 20 to 200 ms, in ticks.
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

// roundedPrepare prepares a tick with rounded values, and one with exact values in place of the
// limit.
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
	l.Move(100) // as at the beginning of the scene
	l.Detect()
	l.Round = s.round // both sides choose the same entities from now on
	for range sceneWarm {
		s.before()
		l.Move(cfg.percent)
		s.runServerTick()
		if cfg.grid {
			l.Acknowledge(viewRTT)
			l.SendGrid()
		} else {
			l.Send()
		}
	}
	s.moved = 0
	return s, l, s.err
}

// sceneWarm is the number of ticks that a scene runs before the measurement. By then the number of
// packets in flight is stable, and so is the memory that depends on it.
const sceneWarm = 30
