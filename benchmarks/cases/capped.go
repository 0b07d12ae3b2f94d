package cases

import (
	"errors"

	"github.com/entangle-ecs/entangle/benchmarks/report"
	"github.com/entangle-ecs/entangle/benchmarks/workload"
)

// The case capped runs the ticks of tick-shared/plain and tick-views/own under a cap that leaves
// each client half of the changes, and compares them with the same ticks without a cap. Under the
// cap, the records are chosen for each client by their waiting time. Clients are therefore sent
// different records, few of which can be shared. One operation is a server's tick.
const (
	cappedShared = 5_200 // bytes of updates for each client in a tick
	cappedOwn    = 290
)

func cappedVariants() []report.Variant {
	shared := sceneConfig{entities: tickEntities, clients: tickClients, percent: 100, rtt: sixTicks, allowed: cappedShared}
	own := viewScene(workload.ViewEntities, viewClients)
	own.allowed = cappedOwn
	return []report.Variant{
		{Name: "capped/shared", Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return cappedPrepare(shared) }},
		{Name: "capped/own", Rounds: sceneRounds, Heavy: true, Prepare: func() (report.Sides, error) { return cappedPrepare(own) }},
	}
}

func cappedPrepare(cfg sceneConfig) (report.Sides, error) {
	free := cfg
	free.allowed = 0
	l, err := newScene(free)
	if err != nil {
		return report.Sides{}, err
	}
	s, err := newScene(cfg)
	return report.Sides{
		Before: func() { s.before(); l.before() },
		Ours:   s.runServerTick,
		Limit:  l.runServerTick,
		Bytes:  s.size,
		Sizes:  func() map[string]int { return map[string]int{"without": l.size()} },
		Verify: func() error { return errors.Join(s.err, l.err) },
	}, err
}
